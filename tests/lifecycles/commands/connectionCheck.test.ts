/** `pulumi-clouddb strings --check`, with the DNS of the simulator and hosts that speak TLS. */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import {
  type CheckedNetwork,
  checkConnection,
} from "../../../provider/src/commands/connectionCheck";
import { strings as command } from "../../../provider/src/commands/strings";
import { setToOutput } from "../../../provider/src/messages/recommendations";
import { startFront } from "../../database/front";
import { temporaryFolder, useCleanup } from "../../support/cleanup";
import { freePort } from "../../support/freePort";
import { projectId, settingsFor, useService } from "../../support/service";
import { runCommand } from "./runCommand";

const guide = readFileSync(join(__dirname, "../../../docs/guides/connection-strings.md"), "utf8");

describe("pulumi-clouddb strings --check", () => {
  const cleanup = useCleanup("file");
  const service = useService(undefined, { dns: {} });
  const found = new Map<string, string>();
  let open: NonNullable<CheckedNetwork["open"]>;
  let trusted: string;

  before("start the hosts", async () => {
    const args = ["--project", projectId, "--json"];
    const { stdout } = await runCommand(command, args, settingsFor(service));
    for (const [, name = "", url = ""] of stdout.matchAll(/"(\w+)": "(db[^"]*)"/g)) {
      const [, cluster = ""] = /\/\/(\w+)/.exec(url) ?? [];
      found.set(`${cluster} ${name}`, url);
    }
    const front = await startFront(cleanup, [...found.values()], 0);
    open = (_, port) => connect(port, front.address);
    const caFile = join(temporaryFolder(cleanup), "ca.pem");
    writeFileSync(caFile, front.ca);
    trusted = `tlsCAFile=${encodeURIComponent(caFile)}`;
  });

  const variable = ["--check", "--variable", "URL"];
  const withAuthority = (url = "") => `${url}${url.includes("?") ? "&" : "/?"}${trusted}`;
  const check = (
    name: string,
    from: "internet" | "peeredNetwork",
    network: CheckedNetwork = { open },
  ) =>
    checkConnection(withAuthority(found.get(name)), { resolver: service.dns?.[from], ...network });

  it("reports each step as in the guide, with private addresses in a peered network", async () => {
    const { report, isReachable } = await check("orders privateSrv", "peeredNetwork");
    assert.equal(isReachable, true);
    assert.ok(guide.includes(`\n${report}\n\`\`\`\n`), report);
  });

  it("reports public addresses outside of a peered network, and one load balancer", async () => {
    const { report } = await check("orders standardSrv", "internet");
    assert.match(report, /^ok +addresses +\S+ +203\.0\.113\.\d+ \(public\), [^]*\nReachable\.$/m);
    const optimized = (await check("analytics optimizedSrv", "peeredNetwork")).report;
    assert.match(optimized, /\nReachable\.$/);
    assert.equal(optimized.match(/^ok +TLS/gm)?.length, 1);
  });

  it("reports names of hosts that do not exist, and a host list without TLS", async () => {
    const url = found.get("billing standard") ?? "";
    for (const [text, expected] of [
      [
        url.replaceAll("billing-", "biling-"),
        /addresses .*the name does not exist\n[^]* than 127\.0\.0\.1:\d+ with --resolver/,
      ],
      [
        url.replace("ssl=true&", ""),
        /options .*drivers do not use TLS without .*\nNot reachable\. Set tls=true/,
      ],
    ] as const) {
      const { report } = await checkConnection(text, { resolver: service.dns?.internet, open });
      assert.match(report, expected);
    }
  });

  it("reports no problem of the network after a programming error", async () => {
    const bug = new TypeError("x is not a function");
    const broken = () => {
      throw bug;
    };
    await assert.rejects(check("orders privateSrv", "peeredNetwork", { open: broken }), bug);
  });

  it("takes the string from a variable or the service, and prints no credentials", async () => {
    const closed = await freePort();
    const URL = `db://app:s3cret@localhost:${closed}/?tls=true&authMechanismProperties=X:s3cret\n`;
    const { code, stdout, stderr } = await runCommand(command, variable, { URL });
    assert.deepEqual([code, stderr], [1, ""]);
    assert.match(stdout, /^warning +string +white space around it, which some drivers do not/);
    assert.match(stdout, /TCP.*[^]*localhost:\d+[^]*connection refused[^]*Not reachable\./);
    assert.doesNotMatch(stdout, /s3cret|app/);
    const options = ["--project", projectId, "--cluster", "sessions", "--check"];
    const dns = ["--resolver", service.dns?.internet ?? ""];
    const found = await runCommand(command, [...options, ...dns], settingsFor(service));
    assert.match(found.stdout, /\nok +SRV +_db\._tcp\.sessions\./);
  });

  const host = "orders.ab1cd.db.example";
  const srv = `db+srv://app:s3cret@${host}`;
  const base64 = Buffer.from(srv).toString("base64");
  const another = /scheme is that of another kind/;
  const output = /an output .* into a text\. Use pulumi\.interpolate or apply\. \[/;
  const assigned = /begins with a name and = or :\./;
  /** The unit tests of `diagnose` have more strings with the same mistakes. */
  const mistakes: readonly (readonly [RegExp, ...string[]])[] = [
    [/It begins and ends with a quote\./, `"${srv}"`],
    [/It begins or ends with a quote\./, `${srv}'`],
    [/ # in .* %23\. .* % in /, `db://app:s3cret#%@${host}`],
    [/A space in the user name or password must be %20\./, `db+srv://app:s3cret a@${host}`],
    [/The password is a placeholder/, `db+srv://app:<db_password>@${host}`],
    [/The option authSource is in it twice/, `${srv}/?authSource=admin&authSource=s3cret`],
    [/The option that drivers do not know is in it twice/, `${srv}/?s3cret=1&s3cret=2`],
    [/The option ssl has a value that .* put an &/, `${srv}/?ssl=truereplicaSet=s3cret`],
    [/It has no host\./, "db+srv://app:s3cret@/shop"],
    [
      output,
      `db+srv://app:Calling [toString] on an [Output<T>] is not supported@${host}`,
      `db+srv://app:Calling __str__ on an Output[T] is not supported.\n\nTo get@${host}`,
      `db+srv://app:Calling%20%5BtoString%5D%20on%20an%20%5BOutput%3CT%3E%5D%20is%20not%20supported.@${host}`,
    ],
    [/another object into a text\./, `db+srv://app:[object Promise]@${host}`],
    [assigned, `URL=${srv}`, ` export URL="${srv}"`, `URL: ${srv}\n`],
    [/It is base64, as in a Kubernetes Secret\./, `${base64}\n`, base64.replace(/.{20}/g, "$&\n")],
    [another, `jdbc:mysql://${host}/shop?password=s3cret`, `"rediss://:s3cret@${host}:6379"`],
    [/An @ follows .* must be %3F, %2F and %40\./, `db://app:12/s3cret?4=5@${host}`],
    [/the database of the connection string is \. or \.\., which drivers drop/, `${srv}/..`],
    [/must have exactly one host/, `${srv},a.example`],
  ];
  it("names each mistake in a string, and prints no part of it", async () => {
    for (const [expected, ...texts] of mistakes) {
      for (const URL of texts) {
        const { code, stdout, stderr } = await runCommand(command, variable, { URL });
        assert.deepEqual([code, stdout], [1, ""], URL);
        assert.match(stderr, expected);
        assert.doesNotMatch(stderr, /s3cret|ab1cd|db_password|add tls/i);
      }
    }
  });

  it("says how to check the output of a stack if the variable is not set, or blank", async () => {
    const args = ["--check", "--variable", "DATABASE_URL"];
    const output = "pulumi stack output DATABASE_URL --show-secrets";
    const check = "npx pulumi-clouddb strings --check --variable DATABASE_URL";
    for (const environment of [{}, { DATABASE_URL: " \n" }]) {
      const { code, stderr } = await runCommand(command, args, environment);
      assert.equal(code, 1);
      assert.match(stderr, /DATABASE_URL is not set here, or empty\./);
      assert.ok(stderr.includes(`\n  ${setToOutput("DATABASE_URL", output, check)}\n`), stderr);
    }
  });

  const secret = "db://app:s3cret@a:1";
  for (const [what, expectedCode, args, expected] of [
    ["no string", 2, ["--check"], /: --check requires either --variable or/],
    ["a string as an argument", 2, ["--check", secret], /: unexpected argument; see/],
    ["a variable and a cluster", 2, [...variable, "--cluster", "a"], /: --check requires either/],
    ["a variable without --check", 2, ["--variable", "URL"], /--resolver require --check/],
    ["JSON", 2, [...variable, "--json"], /: --json cannot be combined with --check/],
    ["a name as the resolver", 2, [...variable, "--resolver", "dns"], /--resolver must be the IP/],
    [
      "a string as the name of a variable",
      1,
      ["--check", "--variable", secret],
      /--variable must be the name of an environment variable, not its value\./,
    ],
    [
      "another text in the variable",
      1,
      ["--check", "--variable", "TEXT"],
      /^Could not .*: the text is not a connection string/,
    ],
  ] as const) {
    it(`exits ${expectedCode} with ${what}`, async () => {
      const environment = { URL: secret, TEXT: "app:s3cret" };
      const { code, stdout, stderr } = await runCommand(command, args, environment);
      assert.deepEqual([code, stdout], [expectedCode, ""]);
      assert.match(stderr, expected);
      assert.doesNotMatch(stderr, /s3cret/);
    });
  }
});
