/** What the check finds with a DNS server and hosts that fail, and what the official driver does there. */
import assert from "node:assert/strict";
import type { Answer } from "dns-packet";
import fc from "fast-check";
import { useCleanup } from "../../../support/cleanup";
import {
  type DnsAnswer,
  type HostKind,
  type Hosts,
  driverProblem,
  startDns,
  startHosts,
} from "../../../support/databaseHosts";
import { checkString } from "./runCheck";

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
  const { isReachable, report } = await checkString(url, { resolver: server });
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
const members = ["a.ab1cd.db.example", "b.ab1cd.db.example", "c.ab1cd.db.example"] as const;
const [a, b, c] = members;
const replicaSet = { [a]: "primary", [b]: "secondary", [c]: "secondary" } as const;
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
/** Returns the records of a cluster with these hosts. */
const clusterZone =
  (published: DnsAnswer = []) =>
  (list: readonly string[]) => ({ [`SRV ${service}`]: srv(list), [`TXT ${name}`]: published });
const ipv4 = (host: string, data: string): Answer[] => [{ type: "A", name: host, data }];
const alias = (from: string, to: string): Answer => ({ type: "CNAME", name: from, data: to });

describe("the check of a string, beside the official driver", () => {
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
      /^problem +options +drivers refuse the loadBalanced in TXT with several hosts$/m,
      /single host/,
    ],
  ] satisfies [string, DnsAnswer, RegExp, RegExp?][]) {
    it(what, async () => {
      const { hosts, address } = await start(routers, clusterZone(answer));
      const report = await expect(trusting(url, hosts), address, expected, driver);
      assert.match(report, driver === undefined ? reachable : withoutRecords);
    });
  }

  for (const [answer, finding, conclusion] of [
    ["SERVFAIL", "could not answer \\(SERVFAIL\\)", "DNS at \\S+ answers no question about orders"],
    ["REFUSED", "refused to answer \\(REFUSED\\)", "DNS at \\S+ answers no question about orders"],
    ["NXDOMAIN", "does not exist", "\nUsual causes: a name that the service does not return"],
    [[alias(service, "x.example")], "is an alias that leads to", "\nUsual causes: a name that the"],
  ] as const) {
    it(`rejects an SRV name that ${finding.replaceAll("\\", "")}`, async () => {
      const { address } = await startDns(cleanup, { "*": answer });
      const report = new RegExp(
        `^problem +SRV .*${finding}[^]*\nNot reachable\\. ?${conclusion}[^]*another DNS server`,
        "m",
      );
      const printed = await expect(url, address, report, /^querySrv E|No addresses found/);
      if (answer === "NXDOMAIN") assert.match(printed, /^also +TXT .* the name does not exist$/m);
    });
  }

  it("rejects a DNS server at which nobody listens", async () => {
    const report =
      /^problem +SRV .*refuses the connection$[^]*\nNot reachable\. DNS at 127\.0\.0\.1:1 answers no question/m;
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
        /^problem +SRV .*drivers refuse \S+, because it is of another domain [^]*\nNot reachable\. Use the name that the service returned, and no other one\..*neither SRV nor TXT\.$/m;
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

  /** The name of a cluster where a host belongs, in strings that drivers refuse or cannot use. */
  for (const [what, string, zone, expected] of [
    [
      "in place of the only host",
      `mongodb://app:secret@${name}:27017/shop?tls=true`,
      { [`SRV ${service}`]: srv(members.map((host) => `${host}:27017`)), [`A ${name}`]: [] },
      /^problem +addresses .*\nalso +SRV .* 3 hosts\nNot reachable\. orders\.ab1cd\.db\.example has SRV records and no address, so it belongs after mongodb\+srv:\/\/, without a port\.$/m,
    ],
    [
      "without a port and without tls",
      `mongodb://${name}/?replicaSet=rs0`,
      { [`SRV ${service}`]: srv([`${a}:27017`]), [`A ${name}`]: "NXDOMAIN" },
      /^problem +options [^]*^also +SRV .* 1 host\nNot reachable\. orders\S+ has SRV records and no address, so [^]*without a port\.$/m,
    ],
    [
      "among hosts that do not exist",
      `mongodb://${name}:27017,b.example:27017,c.example:27017/?tls=true`,
      { [`SRV ${service}`]: srv([`${a}:27017`]), "*": "NXDOMAIN" },
      /\nNot reachable\. orders\S+ has SRV records and no address, .*\nUsual causes: a name that the service does not return/,
    ],
    [
      "with addresses that DNS does not tell",
      `mongodb://${name}/?tls=true`,
      { [`SRV ${service}`]: srv([`${a}:27017`]), [`A ${name}`]: "SERVFAIL" },
      /\nNot reachable\. orders\S+ has SRV records, so it belongs after mongodb\+srv:\/\/, without a port\.$/,
    ],
  ] satisfies [string, string, Record<string, DnsAnswer>, RegExp][]) {
    it(`names the name of a cluster in a list of hosts ${what}`, async () => {
      const { address } = await startDns(cleanup, zone);
      const report = await expect(string, address, expected, /./);
      assert.doesNotMatch(report, /form: "hosts"|tls=true in/);
    });
  }

  /** The name of a host where that of a cluster belongs. */
  for (const [what, host, answers] of [
    ["a node", "orders-shard-00-01.ab1cd.db.example", {}],
    ["a private endpoint", "pl-0-us-east-1.ab1cd.db.example", { TXT: txt("v=spf1 -all") }],
    ["a node with IPv6 only", "a.ab1cd.db.example", { AAAA: "::1", A: [] }],
  ] as const) {
    it(`says that the name of ${what} is that of a host`, async () => {
      const aaaa: Answer[] = [{ type: "AAAA", name: host, data: "::1" }];
      const { address, asked } = await startDns(cleanup, {
        [`SRV _mongodb._tcp.${host}`]: "NXDOMAIN",
        ...("TXT" in answers ? { [`TXT ${host}`]: answers.TXT } : {}),
        ...("AAAA" in answers ? { [`AAAA ${host}`]: aaaa, [`A ${host}`]: answers.A } : {}),
      });
      const expected = new RegExp(
        `^problem +SRV [^]*^also +addresses .* (?:127\\.0\\.0\\.1|::1) [^]*\nNot reachable\\. ${host} has an address and no SRV records, so it is the name of a host\\. After mongodb\\+srv://, use the name of the cluster, .* mongodb:// with the list of all hosts and their ports\\.$`,
        "m",
      );
      await expect(
        `mongodb+srv://app:secret@${host}/shop`,
        address,
        expected,
        /querySrv ENOTFOUND/,
      );
      // Once by the check and once by the driver.
      assert.equal(asked.filter((one) => one.startsWith("_mongodb.")).length, 2);
    });
  }

  it("says that TXT knows the name of a cluster whose SRV records DNS drops", async () => {
    const zone = { [`SRV ${service}`]: [], [`TXT ${name}`]: txt("replicaSet=rs0") };
    const { address } = await startDns(cleanup, zone);
    const expected =
      /^problem +SRV [^]*^also +TXT [^]*\nNot reachable\. TXT says that orders\S+ is the name of a cluster, but DNS at \S+ has no SRV records of _mongodb\._tcp\.orders\S+ Ask another DNS server/m;
    const report = await expect(url, address, expected, /querySrv ENODATA|No addresses/);
    assert.match(report, withoutRecords);
    // TXT is enough, so the check does not wait for addresses.
    assert.doesNotMatch(report, /^also +addresses/m);
    const other = withOptions(url, "srvServiceName=own");
    const { report: ofOther } = await checkString(other, { resolver: address });
    assert.match(ofOther, /SRV records of _own\._tcp\.orders\S+ Remove srvServiceName from/);
  });

  /** The replica set of the string, and what TXT says. */
  for (const [own, published, isReachable, expected] of [
    ["replicaSet=rs0", "replicaSet=rs0", true, /^ok +TXT .*sets replicaSet$/m],
    [
      "replicaSet=Cluster0-shard-0",
      "authSource=admin&replicaSet=rs0",
      false,
      /^ok +TXT [^]*^problem +options +drivers take replicaSet=Cluster0-shard-0 of the string, instead of rs0 in TXT$[^]*\nNot reachable\. Remove replicaSet from the string, so that drivers take the one in TXT\.$/m,
    ],
    [
      "REPLICASET=RS0&retryWrites=true",
      "replicaSet=rs0",
      false,
      /^problem +options +drivers take replicaSet=RS0 of the string, instead of rs0 in TXT$/m,
    ],
    [
      "replicaSet=rs0",
      "authSource=admin",
      true,
      /^warning +options +remove replicaSet if the cluster is sharded, because TXT names no/m,
    ],
    [
      "authSource=shop",
      "authSource=admin&replicaSet=rs0",
      true,
      /^warning +options +drivers take authSource=shop of the string, instead of admin in TXT$/m,
    ],
    ["authSource=%24external", "authSource=admin&replicaSet=rs0", true, /^ok +TXT [^]*Reachable/m],
  ] as const) {
    it(`compares ${own} with ${published} in TXT`, async () => {
      const { hosts, address } = await start(replicaSet, clusterZone(txt(published)));
      const string = withOptions(trusting(url, hosts), own);
      const report = await expect(string, address, expected, isReachable ? undefined : /./);
      if (own.includes("external")) assert.doesNotMatch(report, /^warning/m);
    });
  }

  /** Options that exclude each other, with the words of the driver. */
  for (const [options, texts, expected, driver] of [
    [
      "srvMaxHosts=2",
      ["replicaSet=rs0"],
      /drivers refuse srvMaxHosts with the replicaSet in TXT\n[^]*\. Remove srvMaxHosts\.$/,
      /replicaSet option with srvMaxHosts/,
    ],
    [
      "srvMaxHosts=2&replicaSet=rs0",
      [],
      /drivers refuse srvMaxHosts with replicaSet\n[^]*\. Remove srvMaxHosts or replicaSet\.$/,
      /srvMaxHosts option with replicaSet/,
    ],
    ["srvMaxHosts=0", ["replicaSet=rs0"], reachable],
    [
      "replicaSet=rs0",
      ["loadBalanced=true"],
      /drivers refuse loadBalanced with several hosts|the loadBalanced in TXT with several hosts/,
      /single host/,
    ],
    [
      "loadBalanced=true",
      [],
      /drivers refuse loadBalanced with several hosts\n[^]*\. Remove loadBalanced\.$/,
      /single host/,
    ],
    [
      "directConnection=true",
      [],
      /drivers refuse directConnection with an SRV name\nNot reachable\. .* Remove directConnection\.$/,
      /directConnection/,
    ],
  ] satisfies [string, string[], RegExp, RegExp?][]) {
    it(`finds whether drivers refuse ${options} with "${texts.join()}" in TXT`, async () => {
      const { hosts, address } = await start(replicaSet, clusterZone(txt(...texts)));
      await expect(withOptions(trusting(url, hosts), options), address, expected, driver);
    });
  }

  it("asks nothing if drivers refuse the options", async () => {
    const { address, asked } = await startDns(cleanup, {});
    for (const string of [
      `mongodb://a.example/?tls=true&srvMaxHosts=2`,
      `mongodb://a.example/?tls=true&srvServiceName=own`,
      `mongodb://a.example,b.example/?tls=true&directConnection=true`,
      `mongodb://a.example/?tls=true&loadBalanced=true&replicaSet=rs0`,
      `mongodb://a.example/?tls=true&loadBalanced=true&directConnection=true`,
      `mongodb+srv://${name}/?loadBalanced=true&srvMaxHosts=2`,
    ])
      await expect(string, address, /drivers refuse .*\nNot reachable\. .* Remove \w/, /./);
    assert.deepEqual(asked, []);
  });

  /** Responses that are too long for UDP, while TCP is closed. */
  for (const [what, string, zone, subject] of [
    ["SRV", url, { [`SRV ${service}`]: "truncated" }, "the SRV records of orders"],
    [
      "TXT",
      url,
      { [`SRV ${service}`]: srv([`${a}:1`]), [`TXT ${name}`]: "truncated" },
      "the TXT records of orders",
    ],
    [
      "the addresses of a host",
      "mongodb://a.ab1cd.db.example:27017/?tls=true",
      { "A a.ab1cd.db.example": "truncated" },
      "the addresses of a\\.ab1cd",
    ],
  ] as const) {
    it(`says that DNS refuses TCP, which the response for ${what} needs`, async () => {
      const { address } = await startDns(cleanup, zone);
      const expected = new RegExp(
        `^problem .* refuses the connection\n[^]*Not reachable\\. DNS at \\S+ answers other questions, but not about ${subject}\\S+ The response is too long for UDP, and the server refuses TCP\\. Allow TCP to it, or ask`,
        "m",
      );
      const report = await expect(string, address, expected, /ECONNREFUSED/);
      assert.doesNotMatch(report, /Usual causes/);
    });
  }

  it("names a filter if the only address of a host is 0.0.0.0", async () => {
    const { address } = await startDns(cleanup, { [`A ${a}`]: ipv4(a, "0.0.0.0") });
    const expected =
      /^problem +addresses .* something blocks the name, [^]*\nNot reachable\.\nUsual causes: a DNS server or a hosts file that blocks names\./m;
    const report = await expect(`mongodb://${a}:1/?tls=true`, address, expected, /./);
    assert.doesNotMatch(report, /TCP|firewall/);
  });

  it("says that a name has no such service if the target of its SRV record is a dot", async () => {
    const { address } = await startDns(cleanup, { [`SRV ${service}`]: srv([".:0"]) });
    const expected = /^problem +SRV .* the record says \. instead of a host, .*$/m;
    await expect(url, address, expected, /./);
  });

  it("names a DNS server that drops private addresses for the hosts of a peered network", async () => {
    const member = "orders-shard-00-00-pri.ab1cd.db.example";
    const { address } = await startDns(cleanup, {
      ...clusterZone()([`${member}:1`]),
      [`A ${member}`]: [],
    });
    const expected = /\nNot reachable\.\nUsual causes: a DNS server that drops private addresses/;
    await expect(url, address, expected, /ENODATA/);
  });

  it("prints no warning of Node.js for a host with many addresses", async () => {
    const many = Array.from({ length: 12 }, (_, at) => ipv4(a, `127.0.0.${at + 1}`)).flat();
    const { hosts, address } = await start({ [a]: "router" }, () => ({ [`A ${a}`]: many }));
    const warnings: string[] = [];
    const record = ({ name: warning }: Error) => warnings.push(warning);
    process.on("warning", record);
    const { report } = await checkString(list(hosts), { resolver: address });
    await new Promise(setImmediate);
    process.off("warning", record);
    assert.match(report, reachable);
    assert.deepEqual(warnings, []);
  });

  it("asserts no missing record of a host while DNS does not answer for IPv6", async () => {
    const zone = { [`A ${a}`]: [], [`AAAA ${a}`]: "SERVFAIL" } as const;
    const { address } = await startDns(cleanup, zone);
    const expected =
      /^problem +addresses .*could not answer \(SERVFAIL\)$[^]*\nNot reachable\. DNS at \S+ answers other questions, but not about the addresses of a\S+ Ask another DNS server with --resolver\.$/m;
    await expect(`mongodb://${a}/?tls=true`, address, expected, /ENODATA/);
  });

  it("ends within 10 s, whatever DNS does not respond to", async () => {
    const open = srv([`${a}:1`]);
    const ownAddresses = { [`A ${name}`]: "silence", [`AAAA ${name}`]: "silence" } as const;
    const cases: [string, Record<string, DnsAnswer>, RegExp, string?][] = [
      [
        "everything",
        { "*": "silence" },
        /\. DNS at \S+ answers no question about orders\S+ Ask another/,
      ],
      [
        "everything, for a list of hosts",
        { "*": "silence" },
        /\. DNS at \S+ answers no question about a\.example, b\.example\. Ask another/,
        "mongodb://a.example,b.example/?tls=true",
      ],
      [
        "SRV",
        { [`SRV ${service}`]: "silence", ...ownAddresses },
        /\. DNS at \S+ answers other questions, but not about the SRV records of orders\S+ Ask another/,
      ],
      [
        "TXT",
        { [`SRV ${service}`]: open, [`TXT ${name}`]: "silence" },
        /\. DNS at \S+ answers other questions, but not about the TXT records of orders\S+ Ask another/,
      ],
      [
        "the addresses of hosts",
        { [`SRV ${service}`]: open, [`TXT ${name}`]: [], "*": "silence" },
        /\. DNS at \S+ answers other questions, but not about the addresses of a\S+ Ask another.*r\.$/,
      ],
      [
        "its own addresses",
        { [`SRV ${service}`]: "NXDOMAIN", ...ownAddresses },
        /Not reachable\.\nUsual causes: a name that the service does not return/,
      ],
    ];
    await Promise.all(
      cases.map(async ([what, zone, expected, string = url]) => {
        const { address } = await startDns(cleanup, zone);
        const started = performance.now();
        const { isReachable, report } = await checkString(string, { resolver: address });
        assert.equal(isReachable, false);
        assert.match(report, expected, what);
        assert.ok(performance.now() - started < 10_000, what);
      }),
    );
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
      /\nNot reachable\. The replica set may have no primary without b\.ab1cd\S+, c\.ab1cd\S+\.\nUsual causes: maintenance, or the routes and security rules to these hosts\.$/,
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
    const kinds = { [a]: "secondary", [b]: "end", [c]: "reset" } as const;
    const { hosts, address } = await start(kinds, clusterZone(txt("replicaSet=rs0")));
    await expect(trusting(url, hosts), address, /no primary without b\.\S+, c\./, /./);
  });

  const accessList =
    /\nNot reachable\.\nUsual causes: first, the project's IP access list, which lacks this network's address\./;
  const proxy = /\nNot reachable\.\nUsual causes: a proxy between/;
  for (const [kind, finding, advice] of [
    ["alert 80", "alert 80 (internal error)", accessList],
    ["alert 40", "alert 40 (handshake failure)", accessList],
    ["reset", "closed during the TLS handshake", accessList],
    ["end", "closed during the TLS handshake", accessList],
    ["end after the handshake", "closed during the TLS handshake", accessList],
    ["plain text", "the host does not speak TLS", proxy],
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
    const report =
      /not trusted \(CERT_HAS_EXPIRED\), valid from .*\nNot reachable\.\nUsual causes: the clock/;
    await expect(list(hosts), address, report, /expired/);
  });

  it("trusts the authority in tlsCAFile, and no other one", async () => {
    const { hosts, address } = await start({ "a.db.example": "router" });
    const { caFile } = await startHosts(cleanup, { "b.db.example": "router" });
    await expect(list(hosts), address, reachable);
    const untrusted = list({ ...hosts, caFile });
    const authority = /not trusted \(\w+\), issued by loopback\n[^]*\nUsual causes: .*tlsCAFile/;
    await expect(untrusted, address, authority, /certificate/);
  });

  for (const option of ["tlsCAFile", "tlsCertificateKeyFile"]) {
    it(`rejects a string whose ${option} cannot be read, and asks nothing`, async () => {
      const { address, asked } = await startDns(cleanup, {});
      const expected = new RegExp(
        `^ok .*\nproblem +options +the file of ${option} cannot be read \\(ENOENT\\)\nNot reachable\\. Run the check where the application runs, .* correct its path in ${option}\\.$`,
      );
      const options = `${option}=%2Fmissing.pem`;
      await expect(`mongodb://a.example/?tls=true&${options}`, address, expected, /ENOENT/);
      const withoutTls = `mongodb://a.example/?${options}`;
      const { report } = await checkString(withoutTls, { resolver: address });
      assert.match(
        report,
        /^problem .* without tls=true\nproblem .* cannot be read[^]* Set tls=true/,
      );
      assert.deepEqual(asked, []);
    });
  }

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

  it("asks for no more than a driver if the string is reachable", async () => {
    const { hosts, address, asked } = await start(routers, (all) => ({
      ...clusterZone()(all),
      [`A ${c}`]: "NXDOMAIN",
    }));
    const exceptOne = /\nReachable, except for c\.ab1cd\.db\.example:\d+\./;
    const inSrvForm = trusting(url, hosts);
    for (const [string, questions] of [
      [inSrvForm, [service, name, ...members, ...members]],
      [list(hosts), [...members, ...members]],
    ] as const) {
      const { report } = await checkString(string, { resolver: address });
      assert.match(report, exceptOne);
      assert.deepEqual(asked.splice(0).sort(), [...questions].sort());
    }
    await expect(inSrvForm, address, exceptOne);
  });

  /** Texts in which the driver finds no string. The command's own tests have more of them. */
  for (const [text, expected] of [
    [`mongosh "mongodb+srv://${name}/" --apiVersion 1 --username app`, /Keep only the string/],
    [`mongodb+srv://${name}/ --username app`, /Keep only the string/],
    [`mongodb+SRV://app:secret@${name}`, /Write it in lower case/],
    [`MONGODB://app:secret@${name}:27017/?tls=true`, /Write it in lower case/],
    [`"mongodb+srv://${name}"`, /Remove the quotes/],
    ["monogdb://app:secret@a.example:27017/?tls=true", /Did you mean mongodb:\/\/\?$/],
    [`mongodb+svr://app:secret@${name}`, /Did you mean mongodb\+srv:\/\/\?$/],
    [`mongodb-srv://app:secret@${name}`, /Did you mean mongodb\+srv:\/\/\?$/],
    [`db+svr://app:secret@${name}`, /a scheme with a \+ that does not begin \+srv/],
    [`<mongodb+srv://app:secret@${name}>`, /Remove both/],
    ["undefined", /missing value/],
    [`mongodb+srv:/app:secret@${name}`, /a colon and two slashes/],
  ] as const) {
    it(`names the mistake in ${text}`, async () => {
      const { address, asked } = await startDns(cleanup, { "*": "NXDOMAIN" });
      const { report } = await checkString(text, { resolver: address });
      assert.match(report, expected);
      assert.deepEqual(asked, []);
      assert.match((await driverProblem(text, address)) ?? "connected", /scheme|querySrv/);
    });
  }

  it("does not ask the resolver for localhost", async () => {
    const { hosts, address, asked } = await start({ localhost: "router" }, () => ({
      "*": "NXDOMAIN",
    }));
    const { report } = await checkString(list(hosts), { resolver: address });
    assert.match(report, reachable);
    assert.deepEqual(asked, []);
  });

  for (const [name, tls] of [
    ["localhost", ""],
    ["localhost", "/?tls=false"],
    ["mongo1", ""],
    ["host.docker.internal", ""],
  ] as const) {
    it(`accepts ${name} without TLS, with ${tls || "no options"}`, async () => {
      const { hosts, address } = await start({ [name]: "router without TLS" });
      const expected =
        /^warning +options .*, and the string names no cluster$[^]*^ok +TCP .*\nalso +TLS .* closed during the TLS handshake\nReachable\.$/m;
      await expect(`mongodb://${hosts.list.join()}${tls}`, address, expected);
    });
  }

  it("rejects a host of this machine that speaks TLS, which the string does not use", async () => {
    const { hosts, address } = await start({ localhost: "router" });
    const expected =
      /\nproblem +TLS .* the host speaks TLS, but the string does not use it\nNot reachable\. Set tls=true in the options of the string\.$/;
    const report = await expect(`mongodb://${hosts.list.join()}`, address, expected, /./);
    assert.match(report, /^warning +options /);
  });

  const ofDevelopment =
    /\nNot reachable\.\nUsual causes: a string for development instead of that of a cluster\. Its database or tunnel is in another network, does not run, speaks no TLS, or has a certificate for another name, which tlsAllowInvalidHostnames=true accepts\. localhost is the machine or the container in which the check runs\.$/;

  it("says that a string is for development if nobody listens, or no network knows the name", async () => {
    const { address } = await startDns(cleanup, { "A mongo1": "NXDOMAIN" });
    for (const host of ["localhost:1", "127.0.0.1:1", "mongo1:27017"]) {
      const string = `mongodb://${host}/shop`;
      const report = await expect(string, address, ofDevelopment, /ECONNREFUSED|ENOTFOUND/);
      assert.doesNotMatch(report, /tls=true in/);
    }
  });

  it("says that a string is for development if a tunnel has another name, or a database no TLS", async () => {
    const tunnel = await start({ localhost: "router" }, undefined, ["a.ab1cd.db.example"]);
    await expect(list(tunnel.hosts), tunnel.address, ofDevelopment, /does not match/);
    const { hosts, address } = await start({ localhost: "router without TLS" });
    await expect(list(hosts), address, ofDevelopment, /disconnected/);
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
    for (const [scheme, parts, end] of fc.sample(text, { numRuns: 2000, seed: 66 })) {
      const URL = `${scheme}app:${parts.join("")}zqend@orders.ab1cd.db.example${end}`;
      const { report } = await checkString(URL, { resolver: address });
      const printed = [report, ...asked.splice(0)].join("\n");
      for (const secret of [...parts, "zqend"].filter((one) => one.length > 3))
        assert.ok(!printed.includes(secret), `${URL}\n${printed}`);
    }
  });
});
