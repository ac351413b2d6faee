/** What `strings --check` finds with a DNS server and hosts that fail, and what the official driver does there. */
import assert from "node:assert/strict";
import type { Answer } from "dns-packet";
import fc from "fast-check";
import { checkConnection } from "../../../provider/src/commands/connectionCheck";
import { strings } from "../../../provider/src/commands/strings";
import { useCleanup } from "../../support/cleanup";
import {
  type DnsAnswer,
  type HostKind,
  type Hosts,
  driverProblem,
  startDns,
  startHosts,
} from "../../support/databaseHosts";
import { runCommand } from "./runCommand";

/** What the check and the driver say. */
interface Expected {
  readonly report: RegExp;
  /** The error of the driver; absent if it connects. */
  readonly driver?: RegExp;
}

/** Appends options to a string. */
function withOptions(url: string, ...options: string[]): string {
  return [url, ...options].reduce(
    (all, option) => `${all}${all.includes("?") ? "&" : "/?"}${option}`,
  );
}

const trusting = (url: string, { caFile }: Hosts) =>
  withOptions(url, `tlsCAFile=${encodeURIComponent(caFile)}`);

/** Checks a string and connects the driver with it, which must agree. */
async function expect(url: string, server: string, { report: expected, driver }: Expected) {
  const { isReachable, report } = await checkConnection(url, { resolver: server });
  assert.match(report, expected);
  assert.equal(isReachable, driver === undefined, report);
  const problem = await driverProblem(url, server);
  if (driver === undefined) assert.equal(problem, undefined);
  else assert.match(problem ?? "connected", driver);
}

const name = "orders.ab1cd.db.example";
const url = `mongodb+srv://${name}`;
const service = `_mongodb._tcp.${name}`;
const members = ["a", "b", "c"].map((host) => `${host}.ab1cd.db.example`);
const withoutRecords =
  /\nNot reachable\. .*The list of hosts \(form: "hosts"\) needs neither SRV nor TXT\.$/;
const reachable = /\nReachable\.$/;

/** Returns SRV records that lead to hosts. */
const srv = (hosts: readonly string[], record = service): Answer[] =>
  hosts.map((host) => {
    const [target = "", port] = host.split(":");
    return { type: "SRV", name: record, data: { target, port: Number(port) } };
  });
const txt = (...texts: string[]): Answer[] =>
  texts.map((text) => ({ type: "TXT", name, data: [text] }));
const alias = (from: string, to: string): Answer => ({ type: "CNAME", name: from, data: to });

describe("strings --check, beside the official driver", () => {
  const cleanup = useCleanup("test");
  const routers = Object.fromEntries(members.map((host) => [host, "router" as const]));

  for (const [what, answer, { report, driver }] of [
    ["accepts a name without a TXT record", [], { report: /^ok +TXT .* no options$/m }],
    ["accepts a name that does not exist for TXT", "NXDOMAIN", { report: reachable }],
    [
      "accepts options in TXT",
      txt("authSource=admin"),
      { report: /^ok +TXT .* sets authSource$/m },
    ],
    [
      "rejects a failure of DNS for TXT",
      "SERVFAIL",
      {
        report: /^problem +TXT .*could not answer \(SERVFAIL\)$/m,
        driver: /queryTxt ESERVFAIL/,
      },
    ],
    [
      "rejects a refusal of DNS for TXT",
      "REFUSED",
      { report: /^problem +TXT .*refused to answer \(REFUSED\)/m, driver: /queryTxt EREFUSED/ },
    ],
    [
      "rejects two TXT records",
      txt("authSource=admin", "replicaSet=rs0"),
      { report: /^problem +TXT .*one record/m, driver: /Multiple text records/ },
    ],
    [
      "rejects another option in TXT",
      txt("authSource=admin&ssl=true"),
      { report: /^problem +TXT .*one record/m, driver: /Text record may only set/ },
    ],
    [
      "rejects an option in TXT in lower case",
      txt("authsource=admin"),
      { report: /^problem +TXT .*one record/m, driver: /Text record may only set/ },
    ],
    [
      "rejects an option in TXT without a value",
      txt("replicaSet="),
      { report: /^problem +TXT .*one record/m, driver: /empty URI params/ },
    ],
    [
      "rejects loadBalanced in TXT with several hosts",
      txt("loadBalanced=true"),
      { report: /^problem +TXT .*accept one host/m, driver: /single host/ },
    ],
  ] satisfies [string, DnsAnswer, Expected][]) {
    it(what, async () => {
      const hosts = await startHosts(cleanup, routers);
      const zone = { [`SRV ${service}`]: srv(hosts.list), [`TXT ${name}`]: answer };
      const { address } = await startDns(cleanup, zone);
      await expect(trusting(url, hosts), address, { report, ...(driver && { driver }) });
      const { report: all } = await checkConnection(trusting(url, hosts), { resolver: address });
      assert.match(all, driver === undefined ? reachable : withoutRecords);
    });
  }

  it("rejects no response for TXT", async () => {
    const zone = {
      [`SRV ${service}`]: srv(["a.ab1cd.db.example:1"]),
      [`TXT ${name}`]: "silence",
    } as const;
    const { address } = await startDns(cleanup, zone);
    const { report } = await checkConnection(url, { resolver: address });
    assert.match(report, /^problem +TXT .*does not respond$/m);
    assert.match(report, withoutRecords);
  });

  for (const [answer, finding] of [
    ["SERVFAIL", "could not answer \\(SERVFAIL\\)"],
    ["REFUSED", "refused to answer \\(REFUSED\\)"],
    ["NXDOMAIN", "does not exist"],
    [[alias(service, "x.example")], "is an alias that leads to"],
  ] as const) {
    it(`rejects an SRV name that ${finding.replaceAll("\\", "")}`, async () => {
      const { address } = await startDns(cleanup, { "*": answer });
      const report = new RegExp(
        `^problem +SRV .*${finding}[^]* than ${address} with --resolver`,
        "m",
      );
      await expect(url, address, { report, driver: /^querySrv E|No addresses found/ });
      const found = await checkConnection(url, { resolver: address });
      assert.match(found.report, withoutRecords);
    });
  }

  it("rejects a DNS server at which nobody listens", async () => {
    const report =
      /^problem +SRV .*nobody listens at the address of the DNS server\n.* than 127\.0\.0\.1:1 with/m;
    await expect(url, "127.0.0.1:1", { report, driver: /querySrv ECONNREFUSED/ });
  });

  for (const [srvName, target, isAccepted] of [
    ["db.shop.example", "a.ab1cd.db.example", false],
    ["db.shop.example", "a.other-shop.example", false],
    ["Db.Shop.Example.", "A.SHOP.example", true],
    ["db.shop.example", "a.eu.shop.example", true],
    ["shop.example", "a.shop.example", true],
    ["shop.example", "b.example", false],
  ] as const) {
    it(`${isAccepted ? "accepts" : "rejects"} ${target} as a host of ${srvName}`, async () => {
      const hosts = await startHosts(cleanup, { [target]: "router" }, [target.toLowerCase()]);
      const record = `_mongodb._tcp.${srvName.replace(/\.$/, "").toLowerCase()}`;
      const records = srv(hosts.list, record);
      const zone = Object.fromEntries(
        [record, record.replace("db.shop.example", "Db.Shop.Example")].map((key) => [
          `SRV ${key}`,
          records,
        ]),
      );
      const { address } = await startDns(cleanup, zone);
      const report =
        /^problem +SRV .*drivers refuse \S+, because it is of another domain [^]*no other one\..*neither SRV nor TXT\.$/m;
      const driver = /does not share hostname|at least one more domain level/;
      await expect(
        trusting(`mongodb+srv://${srvName}`, hosts),
        address,
        isAccepted ? { report: reachable } : { report, driver },
      );
    });
  }

  it("asks for srvServiceName", async () => {
    const hosts = await startHosts(cleanup, routers);
    const zone = {
      "*": "NXDOMAIN",
      [`SRV _own._tcp.${name}`]: srv(hosts.list, `_own._tcp.${name}`),
    } as const;
    const addresses = Object.fromEntries(
      members.map((host) => [`A ${host}`, [{ type: "A", name: host, data: "127.0.0.1" } as const]]),
    );
    const { address } = await startDns(cleanup, { ...zone, ...addresses });
    const own = withOptions(trusting(url, hosts), "srvServiceName=own");
    await expect(own, address, { report: reachable });
  });

  const list = (hosts: Hosts, ...options: string[]) =>
    trusting(withOptions(`mongodb://${hosts.list.join()}`, "tls=true", ...options), hosts);

  for (const [kinds, options, report, driver] of [
    [["primary", "secondary", "secondary"], ["replicaSet=rs0"], reachable],
    [
      ["primary", "secondary", "closed port"],
      ["replicaSet=rs0"],
      /\nReachable, except for c\.ab1cd\.db\.example:\d+\. A host can be down for maintenance\.$/,
    ],
    [
      ["secondary", "closed port", "alert 80"],
      ["replicaSet=rs0"],
      /\nNot reachable\. The replica set may have no primary without b\.ab1cd\S+, c\.ab1cd\S+\. (?!.*access list)/,
      /./,
    ],
    [["router", "closed port", "reset"], [], /\nReachable, except for b\.\S+, c\.\S+\. A host/],
  ] as const satisfies readonly (readonly [readonly HostKind[], string[], RegExp, RegExp?])[]) {
    const [verb, set] = [
      driver === undefined ? "accepts" : "rejects",
      options.join() || "no replica set",
    ];
    it(`${verb} hosts with ${kinds.join(", ")} and ${set}`, async () => {
      const given = Object.fromEntries(members.map((host, at) => [host, kinds[at] ?? "reset"]));
      const hosts = await startHosts(cleanup, given);
      const { address } = await startDns(cleanup, {});
      await expect(list(hosts, ...options), address, { report, ...(driver && { driver }) });
    });
  }

  it("counts a replicaSet in TXT", async () => {
    const [a = "", b = "", c = ""] = members;
    const hosts = await startHosts(cleanup, { [a]: "secondary", [b]: "end", [c]: "reset" });
    const zone = { [`SRV ${service}`]: srv(hosts.list), [`TXT ${name}`]: txt("replicaSet=rs0") };
    const { address } = await startDns(cleanup, zone);
    const report = /no primary without b\.\S+, c\./;
    await expect(trusting(url, hosts), address, { report, driver: /./ });
  });

  const accessList =
    /\nNot reachable\. First, add this network's address to the project's IP access list/;
  const proxy = /\nNot reachable\. Look for a proxy/;
  for (const [kind, finding, advice] of [
    ["alert 80", "alert 80 (internal error)", accessList],
    ["alert 40", "alert 40 (handshake failure)", accessList],
    ["reset", "closed during the TLS handshake", accessList],
    ["end", "closed during the TLS handshake", accessList],
    ["plain text", "ERR_SSL_", proxy],
  ] as const) {
    it(`rejects a host with ${kind} in the handshake`, async () => {
      const hosts = await startHosts(cleanup, { "a.db.example": kind });
      const { address } = await startDns(cleanup, {});
      const { report } = await checkConnection(list(hosts), { resolver: address });
      assert.ok(report.includes(finding), report);
      await expect(list(hosts), address, { report: advice, driver: /./ });
    });
  }

  it("names the clock for a certificate that has expired", async () => {
    const [kinds, names] = [{ "a.db.example": "router" } as const, ["a.db.example"]];
    const hosts = await startHosts(cleanup, kinds, names, true);
    const { address } = await startDns(cleanup, {});
    const report = /not trusted \(CERT_HAS_EXPIRED\)\nNot reachable\. Check the clock/;
    await expect(list(hosts), address, { report, driver: /expired/ });
  });

  it("trusts the authority in tlsCAFile, and no other one", async () => {
    const hosts = await startHosts(cleanup, { "a.db.example": "router" });
    const others = await startHosts(cleanup, { "b.db.example": "router" });
    const { address } = await startDns(cleanup, {});
    await expect(list(hosts), address, { report: reachable });
    const { caFile } = others;
    const report = /not trusted \(\w+\)\n.*tlsCAFile/;
    await expect(list({ ...hosts, caFile }), address, { report, driver: /certificate/ });
    const missing = list({ ...hosts, caFile: "/missing/ca.pem" });
    const file =
      /^problem +options +the file of tlsCAFile cannot be read\n.* where the application runs/;
    await expect(missing, address, { report: file, driver: /ENOENT/ });
  });

  for (const [option, isTrusted, isNamed, result] of [
    ["tlsAllowInvalidHostnames", true, false, "warning"],
    ["tlsAllowInvalidHostnames", false, true, "problem"],
    ["tlsAllowInvalidCertificates", false, false, "warning"],
    ["tlsInsecure", false, false, "warning"],
    ["tlsInsecure", true, false, "warning"],
    ["tls", true, false, "problem"],
  ] as const) {
    it(`reports a ${result} with ${option}, ${isTrusted ? "a" : "no"} trusted certificate and ${isNamed ? "this" : "another"} name`, async () => {
      const certified = isNamed ? "a.db.example" : "b.db.example";
      const hosts = await startHosts(cleanup, { "a.db.example": "router" }, [certified]);
      const { address } = await startDns(cleanup, {});
      const string = withOptions(
        `mongodb://${hosts.list.join()}`,
        "tls=true",
        ...(option === "tls" ? [] : [`${option}=true`]),
      );
      const expected = new RegExp(
        `^${result} +TLS .*${result === "warning" ? `which ${option} allows$[^]*\nReachable\\.` : "certificate"}`,
        "m",
      );
      const driver = result === "problem" ? { driver: /certificate/i } : {};
      await expect(isTrusted ? trusting(string, hosts) : string, address, {
        report: expected,
        ...driver,
      });
    });
  }

  it("does not ask the resolver for localhost", async () => {
    const hosts = await startHosts(cleanup, { localhost: "router" });
    const { address, asked } = await startDns(cleanup, { "*": "NXDOMAIN" });
    const { report } = await checkConnection(list(hosts), { resolver: address });
    assert.match(report, reachable);
    assert.deepEqual(asked, []);
  });

  it("prints no part of 2,000 passwords that are not encoded, and asks DNS for none", async () => {
    const part = fc.oneof(
      fc.stringMatching(/^zq[a-z0-9]{3,8}$/),
      fc.integer({ min: 30_000, max: 65_535 }).map(String),
      fc.integer({ min: 0, max: 9 }).map(String),
    );
    const separator = fc.constantFrom(
      ...Array.from("@/?#:[]% =&,+@/?/?"),
      "/?",
      "?=",
      "://",
      "%zz",
    );
    const password = fc
      .array(fc.tuple(part, separator), { minLength: 1, maxLength: 5 })
      .map((parts) => parts.flat())
      .filter((parts) => parts.some((text) => /[@/?#:[\]% ]/.test(text)));
    const text = fc.tuple(
      fc.constantFrom("mongodb://", "mongodb+srv://", "db://"),
      password,
      fc.constantFrom("", "/", "/shop", "/?tls=true", "/shop?tls=true&w=1"),
    );
    const { address, asked } = await startDns(cleanup, { "*": "NXDOMAIN" });
    const args = ["--check", "--variable", "URL", "--resolver", address];
    for (const [scheme, parts, end] of fc.sample(text, { numRuns: 2000, seed: 66 })) {
      const URL = `${scheme}app:${parts.join("")}zqend@orders.ab1cd.db.example${end}`;
      const { stdout, stderr } = await runCommand(strings, args, { URL });
      const printed = [stdout, stderr, ...asked.splice(0)].join("\n");
      for (const secret of [...parts, "zqend"].filter((one) => one.length > 3))
        assert.ok(!printed.includes(secret), `${URL}\n${printed}`);
    }
  });
});
