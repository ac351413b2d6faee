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

/** Appends options to a string. */
function withOptions(url: string, ...options: string[]): string {
  return [url, ...options].reduce(
    (all, option) => `${all}${all.includes("?") ? "&" : "/?"}${option}`,
  );
}

const trusting = (url: string, { caFile }: Hosts) =>
  withOptions(url, `tlsCAFile=${encodeURIComponent(caFile)}`);

/**
 * Checks a string and connects the driver with it, which must agree. Returns the report.
 *
 * @param driver the error of the driver. Default: none, because it connects
 */
async function expect(url: string, server: string, expected: RegExp, driver?: RegExp) {
  const { isReachable, report } = await checkConnection(url, { resolver: server });
  assert.match(report, expected);
  assert.equal(isReachable, driver === undefined, report);
  const problem = await driverProblem(url, server);
  if (driver === undefined) assert.equal(problem, undefined);
  else assert.match(problem ?? "connected", driver);
  return report;
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

  /** Starts hosts and a DNS server. */
  const start = async (
    kinds: Readonly<Record<string, HostKind>>,
    zoneOf: (list: readonly string[]) => Readonly<Record<string, DnsAnswer>> = () => ({}),
    ...certificate: [names?: readonly string[], hasExpired?: boolean]
  ) => {
    const hosts = await startHosts(cleanup, kinds, ...certificate);
    return { hosts, ...(await startDns(cleanup, zoneOf(hosts.list))) };
  };

  for (const [what, answer, expected, driver] of [
    ["accepts a name without a TXT record", [], /^ok +TXT .* no options$/m],
    ["accepts a name that does not exist for TXT", "NXDOMAIN", reachable],
    ["accepts options in TXT", txt("authSource=admin"), /^ok +TXT .* sets authSource$/m],
    [
      "rejects a failure of DNS for TXT",
      "SERVFAIL",
      /^problem +TXT .*could not answer \(SERVFAIL\)$/m,
      /queryTxt ESERVFAIL/,
    ],
    [
      "rejects two TXT records",
      txt("authSource=admin", "replicaSet=rs0"),
      /^problem +TXT .*one record/m,
      /Multiple text records/,
    ],
    [
      "rejects another option in TXT",
      txt("authSource=admin&ssl=true"),
      /^problem +TXT .*one record/m,
      /Text record may only set/,
    ],
    [
      "rejects an option in TXT in lower case",
      txt("authsource=admin"),
      /^problem +TXT .*one record/m,
      /Text record may only set/,
    ],
    [
      "rejects an option in TXT without a value",
      txt("replicaSet="),
      /^problem +TXT .*one record/m,
      /empty URI params/,
    ],
    [
      "rejects loadBalanced in TXT with several hosts",
      txt("loadBalanced=true"),
      /^problem +TXT .*accept one host/m,
      /single host/,
    ],
  ] satisfies [string, DnsAnswer, RegExp, RegExp?][]) {
    it(what, async () => {
      const zone = (list: readonly string[]) => ({
        [`SRV ${service}`]: srv(list),
        [`TXT ${name}`]: answer,
      });
      const { hosts, address } = await start(routers, zone);
      const report = await expect(trusting(url, hosts), address, expected, driver);
      assert.match(report, driver === undefined ? reachable : withoutRecords);
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
      const all = await expect(url, address, report, /^querySrv E|No addresses found/);
      assert.match(all, withoutRecords);
    });
  }

  it("rejects a DNS server at which nobody listens", async () => {
    const report =
      /^problem +SRV .*nobody listens at the address of the DNS server\n.* than 127\.0\.0\.1:1 with/m;
    await expect(url, "127.0.0.1:1", report, /querySrv ECONNREFUSED/);
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
      const record = `_mongodb._tcp.${srvName.replace(/\.$/, "").toLowerCase()}`;
      const records = [record, record.replace("db.shop.example", "Db.Shop.Example")];
      const { hosts, address } = await start(
        { [target]: "router" },
        (list) => Object.fromEntries(records.map((key) => [`SRV ${key}`, srv(list, record)])),
        [target.toLowerCase()],
      );
      const refused =
        /^problem +SRV .*drivers refuse \S+, because it is of another domain [^]*no other one\..*neither SRV nor TXT\.$/m;
      const driver = /does not share hostname|at least one more domain level/;
      const string = trusting(`mongodb+srv://${srvName}`, hosts);
      if (isAccepted) await expect(string, address, reachable);
      else await expect(string, address, refused, driver);
    });
  }

  it("asks for srvServiceName", async () => {
    const addresses = Object.fromEntries(
      members.map((host) => [`A ${host}`, [{ type: "A", name: host, data: "127.0.0.1" } as const]]),
    );
    const { hosts, address } = await start(routers, (all) => ({
      "*": "NXDOMAIN",
      [`SRV _own._tcp.${name}`]: srv(all, `_own._tcp.${name}`),
      ...addresses,
    }));
    await expect(withOptions(trusting(url, hosts), "srvServiceName=own"), address, reachable);
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
      const { hosts, address } = await start(given);
      await expect(list(hosts, ...options), address, report, driver);
    });
  }

  it("counts a replicaSet in TXT", async () => {
    const [a = "", b = "", c = ""] = members;
    const { hosts, address } = await start(
      { [a]: "secondary", [b]: "end", [c]: "reset" },
      (all) => ({
        [`SRV ${service}`]: srv(all),
        [`TXT ${name}`]: txt("replicaSet=rs0"),
      }),
    );
    await expect(trusting(url, hosts), address, /no primary without b\.\S+, c\./, /./);
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
      const { hosts, address } = await start({ "a.db.example": kind });
      const report = await expect(list(hosts), address, advice, /./);
      assert.ok(report.includes(finding), report);
    });
  }

  it("names the clock for a certificate that has expired", async () => {
    const host = "a.db.example";
    const { hosts, address } = await start({ [host]: "router" }, undefined, [host], true);
    const report = /not trusted \(CERT_HAS_EXPIRED\)\nNot reachable\. Check the clock/;
    await expect(list(hosts), address, report, /expired/);
  });

  it("trusts the authority in tlsCAFile, and no other one", async () => {
    const { hosts, address } = await start({ "a.db.example": "router" });
    const { caFile } = await startHosts(cleanup, { "b.db.example": "router" });
    await expect(list(hosts), address, reachable);
    const untrusted = list({ ...hosts, caFile });
    await expect(untrusted, address, /not trusted \(\w+\)\n.*tlsCAFile/, /certificate/);
    const missing = list({ ...hosts, caFile: "/missing/ca.pem" });
    const file =
      /^problem +options +the file of tlsCAFile cannot be read\n.* where the application runs/;
    await expect(missing, address, file, /ENOENT/);
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
      const kinds = { "a.db.example": "router" } as const;
      const { hosts, address } = await start(kinds, undefined, [certified]);
      const string = withOptions(
        `mongodb://${hosts.list.join()}`,
        "tls=true",
        ...(option === "tls" ? [] : [`${option}=true`]),
      );
      const expected = new RegExp(
        `^${result} +TLS .*${result === "warning" ? `which ${option} allows$[^]*\nReachable\\.` : "certificate"}`,
        "m",
      );
      const driver = result === "problem" ? /certificate/i : undefined;
      await expect(isTrusted ? trusting(string, hosts) : string, address, expected, driver);
    });
  }

  it("does not ask the resolver for localhost", async () => {
    const { hosts, address, asked } = await start({ localhost: "router" }, () => ({
      "*": "NXDOMAIN",
    }));
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
