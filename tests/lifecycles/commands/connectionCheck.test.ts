/** `pulumi-clouddb strings --check`, with the DNS of the simulator and hosts that speak TLS. */
import assert from "node:assert/strict";
import { createSocket } from "node:dgram";
import { readFileSync } from "node:fs";
import { connect } from "node:net";
import { once } from "node:events";
import { join } from "node:path";
import {
  type CheckedNetwork,
  checkConnection,
} from "../../../provider/src/commands/connectionCheck";
import { strings as command } from "../../../provider/src/commands/strings";
import { startFront } from "../../database/front";
import { type Cleanup, useCleanup } from "../../support/cleanup";
import { freePort } from "../../support/freePort";
import { projectId, settingsFor, useService } from "../../support/service";
import { runCommand } from "./runCommand";

const guide = readFileSync(join(__dirname, "../../../docs/guides/connection-strings.md"), "utf8");

describe("pulumi-clouddb strings --check", () => {
  const cleanup = useCleanup("file");
  const service = useService(undefined, { dns: {} });
  const found = new Map<string, string>();
  let hosts: Required<Pick<CheckedNetwork, "open" | "ca">>;

  before("start the hosts", async () => {
    const args = ["--project", projectId, "--json"];
    const { stdout } = await runCommand(command, args, settingsFor(service));
    for (const [, name = "", url = ""] of stdout.matchAll(/"(\w+)": "(db[^"]*)"/g)) {
      const [, cluster = ""] = /\/\/(\w+)/.exec(url) ?? [];
      found.set(`${cluster} ${name}`, url);
    }
    const front = await startFront(cleanup, [...found.values()], 0);
    hosts = { ca: front.ca, open: (_, port) => connect(port, front.address) };
  });

  const check = (
    name: string,
    from: "internet" | "peeredNetwork",
    network: CheckedNetwork = hosts,
  ) => checkConnection(found.get(name) ?? "", { resolver: service.dns?.[from], ...network });

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

  it("reports names that do not exist, closed ports and untrusted certificates", async () => {
    const problem = async (text: string, network: CheckedNetwork) => {
      const { isReachable, report } = await checkConnection(text, { resolver, ...network });
      assert.equal(isReachable, false);
      const [, check, finding = ""] = /^problem +(\w+) +(.*)/m.exec(report) ?? [];
      const [, remedy] = /\nNot reachable\. (.*)$/.exec(report) ?? [];
      return `${String(check)}: ${finding}; ${String(remedy)}`;
    };
    const resolver = service.dns?.internet;
    const url = found.get("billing standard") ?? "";
    const unknown = url.replaceAll("billing-", "biling-");
    assert.match(
      await problem(unknown, hosts),
      /^addresses: .*the name does not exist; .*--resolver/,
    );
    const srv = found.get("billing standardSrv")?.replace("billing", "biling") ?? "";
    assert.match(await problem(srv, hosts), /^SRV: .*the name does not exist; .*--resolver/);
    const closed = { open: () => connect(1, "127.0.0.1") };
    assert.match(await problem(url, closed), /^TCP: .*connection refused; .*IP access list/);
    assert.match(
      await problem(url, { open: hosts.open }),
      /^TLS: .*the certificate is not trusted .*_CA_CERTS/,
    );
    const renamed = { ...hosts, resolver: undefined };
    const local = url.replaceAll(/[\w.-]+:27017/g, "localhost:27017");
    assert.match(await problem(local, renamed), /^TLS: .*the certificate does not name the host/);
    const plain = url.replace("ssl=true&", "");
    assert.match(await problem(plain, hosts), /^options: .*drivers do not use TLS/);
  });

  it("reports no problem of the network after a programming error", async () => {
    const bug = new TypeError("x is not a function");
    const open = () => {
      throw bug;
    };
    await assert.rejects(check("orders privateSrv", "peeredNetwork", { ...hosts, open }), bug);
  });

  it("reports an answer that has only an alias", async () => {
    const resolver = await dnsWithAlias(cleanup);
    for (const text of ["db://a.db.example/?tls=true", "db+srv://a.db.example"]) {
      const { isReachable, report } = await checkConnection(text, { ...hosts, resolver });
      assert.equal(isReachable, false, report);
      assert.match(report, /^problem +(SRV|addresses) +\S+ +.*(alias|no such record)/m);
    }
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
    assert.match(stdout, /^warning +string +white space precedes or follows the string\./);
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
      assert.match(
        stderr,
        /DATABASE_URL is not set here, or empty\.[^]*\n {2}DATABASE_URL=\$\(pulumi stack output DATABASE_URL --show-secrets\) npx pulumi-clouddb strings --check --variable DATABASE_URL\n/,
      );
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

/** Starts a DNS server that answers each question with an alias, but not with what the alias leads to. */
async function dnsWithAlias(cleanup: Cleanup): Promise<string> {
  const server = createSocket("udp4");
  server.on("message", (query, { port, address }) => {
    const questionEnd = query.indexOf(0, 12) + 5;
    const question = query.subarray(12, questionEnd);
    // A response with one question and one answer.
    const header = Buffer.from([...query.subarray(0, 2), 0x81, 0x80, 0, 1, 0, 1, 0, 0, 0, 0]);
    // The name of the question, CNAME, IN, 60 s, and the name x.
    const answer = Buffer.from([0xc0, 12, 0, 5, 0, 1, 0, 0, 0, 60, 0, 3, 1, 0x78, 0]);
    server.send(Buffer.concat([header, question, answer]), port, address);
  });
  server.bind(0, "127.0.0.1");
  await once(server, "listening");
  cleanup(() => {
    server.close();
  });
  return `127.0.0.1:${server.address().port}`;
}
