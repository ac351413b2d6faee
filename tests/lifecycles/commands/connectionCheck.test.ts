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

  it("reports public addresses outside of a peered network", async () => {
    const { report, isReachable } = await check("orders standardSrv", "internet");
    assert.equal(isReachable, true);
    assert.match(report, /^ok +addresses +\S+ +203\.0\.113\.\d+ \(public\), /m);
  });

  it("checks the load balancer of an optimized string", async () => {
    const { report, isReachable } = await check("analytics optimizedSrv", "peeredNetwork");
    assert.equal(isReachable, true);
    assert.equal(report.match(/^ok +TLS/gm)?.length, 1);
  });

  it("reports names that do not exist, and a host list without TLS", async () => {
    const problem = async (text = "") => {
      const { report } = await checkConnection(text, { resolver: service.dns?.internet, open });
      const [, check, finding = ""] = /^problem +(\w+) +(.*)/m.exec(report) ?? [];
      const [, remedy] = /\nNot reachable\. (.*)$/.exec(report) ?? [];
      return `${String(check)}: ${finding}; ${String(remedy)}`;
    };
    const url = found.get("billing standard") ?? "";
    assert.match(
      await problem(url.replaceAll("billing-", "biling-")),
      /^addresses: .*the name does not exist; .* than 127\.0\.0\.1:\d+ with --resolver/,
    );
    const srv = found.get("billing standardSrv")?.replace("billing", "biling");
    assert.match(await problem(srv), /^SRV: .*the name does not exist; .*--resolver/);
    const plain = url.replace("ssl=true&", "");
    assert.match(
      await problem(plain),
      /^options: .*drivers do not use TLS without .*; Set tls=true/,
    );
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
    const URL = `db://app:s3cret@localhost:${closed}/?tls=true&authMechanismProperties=X:s3cret`;
    const { code, stdout, stderr } = await runCommand(command, ["--check", "--variable", "URL"], {
      URL,
    });
    assert.deepEqual([code, stderr], [1, ""]);
    assert.match(stdout, /TCP.*[^]*localhost:\d+[^]*connection refused[^]*Not reachable\./);
    assert.doesNotMatch(stdout, /s3cret|app/);
    const options = ["--project", projectId, "--cluster", "sessions", "--check"];
    const dns = ["--resolver", service.dns?.internet ?? ""];
    const found = await runCommand(command, [...options, ...dns], settingsFor(service));
    assert.match(found.stdout, /\nok +SRV +_db\._tcp\.sessions\./);
  });

  it("goes on after a warning about white space around the string", async () => {
    const closed = await freePort();
    const URL = `db://app:s3cret@localhost:${closed}/?tls=true\n`;
    const { code, stdout } = await runCommand(command, ["--check", "--variable", "URL"], { URL });
    assert.equal(code, 1);
    assert.match(
      stdout,
      /^warning +string +white space around it, which some drivers do not remove\n/,
    );
    assert.match(stdout, /\nok +options +drivers use TLS\n[^]*connection refused/);
  });

  const host = "orders.ab1cd.db.example";
  for (const [what, value, expected] of [
    ["quotes", `"db+srv://app:s3cret@${host}"`, /It begins and ends with a quote\./],
    ["one quote", `db+srv://app:s3cret@${host}'`, /It begins or ends with a quote\./],
    [
      "other characters",
      `db://app:s3cret/#:%@${host}`,
      / \/ in .* %2F\. .* # in .* %23\. .* : in .* %3A\. .* % in /,
    ],
    ["a placeholder", `db+srv://app:<db_password>@${host}`, /The password is a placeholder/],
    [
      "an option with two values",
      `db+srv://app:s3cret@${host}/?authSource=admin&authSource=s3cret`,
      /The option authSource is in it twice/,
    ],
    [
      "an option that drivers do not know with two values",
      `db+srv://app:s3cret@${host}/?s3cret=1&s3cret=2`,
      /The option that drivers do not know is in it twice/,
    ],
    [
      "no & between options",
      "db://app:s3cret@a.db.example:27017/?ssl=truereplicaSet=s3cret",
      /The option ssl has a value that .* If another option follows, put an &/,
    ],
    ["no host", "db+srv://app:s3cret@/shop", /It has no host\./],
    [
      "white space inside",
      `db+srv://app:s3cret a@${host}`,
      /A space in the user name or password must be %20\./,
    ],
    [
      "an output in a text",
      `db+srv://app:Calling [toString] on an [Output<T>] is not supported@${host}`,
      /an output .* into a text\. Use pulumi\.interpolate or apply\. \[/,
    ],
    [
      "an output of Python in a text",
      `db+srv://app:Calling __str__ on an Output[T] is not supported.\n\nTo get@${host}`,
      /an output .* into a text\./,
    ],
    [
      "an encoded output in a text",
      `db+srv://app:Calling%20%5BtoString%5D%20on%20an%20%5BOutput%3CT%3E%5D%20is%20not%20supported.@${host}`,
      /an output .* into a text\./,
    ],
    [
      "an object in a text",
      `db+srv://app:[object Promise]@${host}`,
      /another object into a text\./,
    ],
    [
      "a name before the string",
      `URL=db+srv://app:s3cret@${host}`,
      /begins with a name and = or :\./,
    ],
    ["export", ` export URL="db+srv://app:s3cret@${host}"`, /begins with a name and = or :\./],
    ["a name in YAML", `URL: db+srv://app:s3cret@${host}\n`, /begins with a name and = or :\./],
    [
      "base64",
      `${Buffer.from(`db+srv://app:s3cret@${host}`).toString("base64")}\n`,
      /It is base64, as in a Kubernetes Secret\. Decode it\./,
    ],
    [
      "base64 in lines",
      Buffer.from(`db+srv://app:s3cret@${host}`).toString("base64").replace(/.{20}/g, "$&\n"),
      /It is base64/,
    ],
    ["PostgreSQL", `postgres://app:s3cret@${host}:5432/shop`, /scheme is that of another kind/],
    ["JDBC", `jdbc:mysql://${host}/shop?password=s3cret`, /scheme is that of another kind/],
    ["Redis", `"rediss://:s3cret@${host}:6379"`, /scheme is that of another kind/],
    [
      "an @ that may belong to the password",
      `db://app:12/s3cret?4=5@${host}`,
      /An @ follows a question mark, .* must be %3F, %2F and %40\./,
    ],
    [
      "a database that drivers drop",
      `db+srv://app:s3cret@${host}/..`,
      /the database of the connection string is \. or \.\., which drivers drop/,
    ],
    [
      "two hosts in SRV form",
      `db+srv://app:s3cret@${host},a.example`,
      /must have exactly one host/,
    ],
  ] as const) {
    it(`finds ${what}, and prints no part of the string`, async () => {
      const found = await runCommand(command, ["--check", "--variable", "URL"], { URL: value });
      assert.deepEqual([found.code, found.stdout], [1, ""]);
      assert.match(found.stderr, expected);
      assert.doesNotMatch(found.stderr, /s3cret|ab1cd|db_password|add tls/i);
    });
  }

  for (const DATABASE_URL of [undefined, "", " \n"]) {
    it(`says how to check the output of a stack if the variable is ${JSON.stringify(DATABASE_URL)}`, async () => {
      const args = ["--check", "--variable", "DATABASE_URL"];
      const environment = DATABASE_URL === undefined ? {} : { DATABASE_URL };
      const { code, stderr } = await runCommand(command, args, environment);
      assert.equal(code, 1);
      const output = "pulumi stack output DATABASE_URL --show-secrets";
      const check = "npx pulumi-clouddb strings --check --variable DATABASE_URL";
      assert.match(stderr, /DATABASE_URL is not set here, or empty\./);
      assert.ok(stderr.includes(`\n  ${setToOutput("DATABASE_URL", output, check)}\n`), stderr);
    });
  }

  const secret = "db://app:s3cret@a:1";
  const variable = ["--check", "--variable", "URL"];
  for (const [what, expectedCode, args, expected] of [
    ["no string", 2, ["--check"], /: --check requires either --variable or/],
    ["a string as an argument", 2, ["--check", secret], /: unexpected argument; see/],
    ["no cluster", 2, ["--check", "--project", projectId], /: --check requires either/],
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
