/** `pulumi-clouddb strings --check`, with the DNS of the simulator and hosts that speak TLS. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { once } from "node:events";
import { join } from "node:path";
import {
  type CheckedNetwork,
  checkConnection,
  checkReport,
} from "../../../provider/src/commands/connectionCheck";
import { strings as command } from "../../../provider/src/commands/strings";
import { startFront } from "../../database/front";
import { useCleanup } from "../../support/cleanup";
import { minimalEnvironment, sourceCommand, startCommand } from "../../support/command";
import { projectId, settingsFor, startService, useService } from "../../support/service";
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

  const views = [
    ["the string for peering", "orders privateSrv", "peeredNetwork"],
    ["the standard string", "orders standardSrv", "internet"],
  ] as const;
  for (const [what, name, from] of views) {
    it(`reports each step as in the guide for ${what} in the view ${from}`, async () => {
      const report = checkReport(await check(name, from));
      const transcript = report.replaceAll(service.dns?.[from] ?? "", "10.0.0.2");
      assert.ok(guide.includes(`\n${transcript}\n\`\`\`\n`), transcript);
    });
  }

  it("says when legacy names are private, and when they become public", async () => {
    const enabled = await check("billing legacySrv", "internet");
    assert.match(enabled.verdict, /^Reachable\. .* private addresses\.$/);
    assert.match(enabled.withoutPrivateIpMode, /public addresses/);
    assert.match(enabled.next, /^switch to .* --network peering/);
    service.project().setPrivateIpMode(false);
    const disabled = await check("billing legacySrv", "internet");
    assert.match(disabled.verdict, /public addresses, so private IP mode is disabled/);
    assert.match(disabled.next, /^in a peered network/);
  });

  it("recognizes a legacy SRV name under a domain of three labels by its hosts", async () => {
    const domain = "db.clusters.example";
    const other = await startService(undefined, { dns: {}, domain });
    cleanup(() => other.stop());
    const url = found.get("billing legacySrv")?.replace("clusters.example", domain) ?? "";
    const { kind, withoutPrivateIpMode } = await checkConnection(url, {
      ...hosts,
      resolver: other.dns?.internet,
    });
    assert.equal(kind, "legacy");
    assert.match(withoutPrivateIpMode, /public addresses/);
  });

  it("checks the load balancer of an optimized string", async () => {
    const { checks, reachable } = await check("analytics optimizedSrv", "peeredNetwork");
    assert.equal(reachable, true);
    assert.match(checks[1]?.finding ?? "", /loadBalanced=true/);
    assert.equal(checks.filter(({ check }) => check === "TLS").length, 1);
  });

  it("reports names that do not exist, closed ports and untrusted certificates", async () => {
    const first = async (text: string, network: CheckedNetwork) => {
      const { reachable, checks, next } = await checkConnection(text, { resolver, ...network });
      assert.equal(reachable, false);
      const { check: name, finding } = checks.find(({ result }) => result === "problem") ?? {};
      return `${String(name)}: ${String(finding)}; ${next}`;
    };
    const resolver = service.dns?.internet;
    const url = found.get("billing standard") ?? "";
    const unknown = url.replaceAll("billing-", "biling-");
    assert.match(await first(unknown, hosts), /^addresses: the name does not exist; .*--resolver/);
    const srv = found.get("billing standardSrv")?.replace("billing", "biling") ?? "";
    assert.match(await first(srv, hosts), /^SRV: the name does not exist; compare/);
    const closed = { open: () => connect(1, "127.0.0.1") };
    assert.match(await first(url, closed), /^TCP: connection refused; .*IP access list/);
    assert.match(
      await first(url, { open: hosts.open }),
      /^TLS: the certificate is not trusted .*_CA_CERTS/,
    );
    const renamed = { ...hosts, resolver: undefined };
    const local = url.replaceAll(/[\w.-]+:27017/g, "localhost:27017");
    assert.match(await first(local, renamed), /^TLS: the certificate does not name the host/);
    const plain = url.replace("ssl=true&", "");
    assert.match(await first(plain, hosts), /^options: drivers do not use TLS/);
  });

  it("takes the string from an argument, a variable, standard input or the service, and prints no credentials", async () => {
    const closed = createServer().listen(0, "127.0.0.1");
    await once(closed, "listening");
    const address = closed.address();
    const port = typeof address === "object" ? address?.port : undefined;
    closed.close();
    const url = `db://app:s3cret@localhost:${port}/?tls=true&authMechanismProperties=X:s3cret`;
    const results = [
      await runCommand(command, ["--check", url], {}),
      await runCommand(command, ["--check", "--variable", "URL"], { URL: url }),
      await startCommand(
        cleanup,
        process.execPath,
        [...sourceCommand("provider"), "strings", "--check", "-", "--json"],
        { env: minimalEnvironment(), input: `${url}\n` },
      ).result,
    ];
    for (const { code, stdout, stderr } of results) {
      assert.deepEqual([code, stderr], [1, ""]);
      assert.match(stdout, /TCP.*[^]*localhost:\d+[^]*connection refused[^]*Not reachable\./);
      assert.doesNotMatch(stdout, /s3cret|app/);
    }
    const options = ["--project", projectId, "--cluster", "sessions", "--check"];
    const dns = ["--resolver", service.dns?.internet ?? ""];
    const { stdout } = await runCommand(
      command,
      [...options, ...dns, "--json"],
      settingsFor(service),
    );
    assert.match(stdout, /"kind": "standard"[^]*_db\._tcp\.sessions\./);
  });

  const secret = "db://app:s3cret@a:1";
  const mistakes: [what: string, args: string[], expected: RegExp][] = [
    ["no string", ["--check"], /: --check requires STRING/],
    ["two strings", ["--check", secret, secret], /: pass one string; see/],
    [
      "a string and a variable",
      ["--check", secret, "--variable", "URL"],
      /: --check requires STRING/,
    ],
    ["a string without --check", [secret], /: STRING requires --check; see/],
    [
      "a string of a project",
      ["--check", secret, "--project", projectId],
      /--project excludes STRING/,
    ],
    [
      "a cluster without a project",
      ["--check", secret, "--cluster", "a"],
      /--cluster requires --project/,
    ],
    ["no cluster", ["--check", "--project", projectId], /: --project requires --cluster/],
    [
      "a string as the name of a variable",
      ["--check", "--variable", secret],
      /no environment variable/,
    ],
    ["other text", ["--check", "app:s3cret"], /^Could not .*: the text is not a connection string/],
    [
      "a name as the resolver",
      ["--check", secret, "--resolver", "dns"],
      /: --resolver must be the IP/,
    ],
    [
      "a resolver with an impossible port",
      ["--check", secret, "--resolver", "127.0.0.1:65536"],
      /: --resolver must be the IP/,
    ],
  ];
  for (const [what, args, expected] of mistakes) {
    it(`exits 2 with ${what}`, async () => {
      const { code, stdout, stderr } = await runCommand(command, args, {});
      assert.deepEqual([code, stdout], [2, ""]);
      assert.match(stderr, expected);
      assert.doesNotMatch(stderr, /s3cret/);
    });
  }
});
