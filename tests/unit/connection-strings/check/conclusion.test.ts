/** What the check concludes from each combination of facts, without a network. */
import assert from "node:assert/strict";
import { conclude } from "../../../../connection-strings/src/check/conclusion";
import { readText } from "../../../../connection-strings/src/diagnosis";
import type {
  Answer,
  ClusterFacts,
  Facts,
  HostFacts,
  StringFacts,
} from "../../../../connection-strings/src/check/facts";
import { factsOf } from "../../../../connection-strings/src/check/gather";
import type { Row } from "../../../../connection-strings/src/check/rows";

const servers = "10.0.0.2";
const name = "orders.ab1cd.db.example";
const service = `_mongodb._tcp.${name}`;
const members = ["a", "b", "c"].map((host) => `${host}.ab1cd.db.example`);

const records = members.map((member) => ({ name: member, port: 27_017 }));
const foreign = [{ name: "a.other.example", port: 27_017 }];
const failure = (code: string) => ({ code });

/** How a question about a name can end without a record. */
const noRecords = [failure("ENOTFOUND"), failure("ENODATA")];
const noAnswers = ["ESERVFAIL", "ETIMEOUT", "ECONNREFUSED"].map(failure);
const texts = ["authSource=admin", "authSource=admin&replicaSet=rs0", "v=spf1 -all"];

const ok = { code: undefined, names: "", issuer: "x", validity: "", client: undefined };
const reached = { tcp: { found: true }, tls: { found: ok } } as const;
const publicAddress = { found: ["203.0.113.7"] };
const privateAddress = { found: ["10.1.2.3"] };

type Host = Omit<HostFacts, "name" | "port">;
const withAddress = { addresses: publicAddress, srv: undefined, tls: undefined };

const reachable: Host = { ...withAddress, ...reached };
const withTcp = (code: string): Host => ({ ...withAddress, tcp: failure(code) });
const withTls = (code: string): Host => ({ ...withAddress, ...reached, tls: failure(code) });
const withCertificate = (code: string, names = ""): Host => ({
  ...withAddress,
  ...reached,
  tls: { found: { ...ok, code, names } },
});
const withClient = (client: "missing" | "refused"): Host => ({
  ...withAddress,
  ...reached,
  tls: { found: { ...ok, client } },
});
/** Hosts with an address that fail, and the usual cause of it. */
const failures: readonly (readonly [cause: RegExp, host: Host])[] = [
  [/^another port .* or a firewall\.$/, withTcp("ECONNREFUSED")],
  [/^the project's IP access list, /, withTcp("ABORT_ERR")],
  [
    /^first, this machine may be outside the network of the peering or the private endpoint, /,
    { ...withTcp("ABORT_ERR"), addresses: privateAddress },
  ],
  [
    /^first, this machine may be outside /,
    { ...withTcp("ENETUNREACH"), addresses: privateAddress },
  ],
  [/^the routes of this network, such as no route to the internet /, withTcp("ENETUNREACH")],
  [/^the routes of this network, such as no route to the internet /, withTcp("EHOSTUNREACH")],
  [/^first, the project's IP access list, /, withTls("ERR_SSL_TLSV1_ALERT_INTERNAL_ERROR")],
  [/^first, the project's IP access list, /, withTls("ECONNRESET")],
  [/^first, the project's IP access list, /, withTls("EPIPE")],
  [/^a proxy between this network and the cluster\.$/, withTls("ERR_SSL_WRONG_VERSION_NUMBER")],
  [/^a proxy between this network and the cluster\.$/, withTls("ABORT_ERR")],
  [/^the clock of this machine, /, withCertificate("CERT_HAS_EXPIRED")],
  [/^the clock of this machine, /, withCertificate("CERT_NOT_YET_VALID")],
  [/, or a name that the service did not/, withCertificate("ERR_TLS_CERT_ALTNAME_INVALID")],
  [/, or a private authority\. /, withCertificate("SELF_SIGNED_CERT_IN_CHAIN")],
  [/^a string without tlsCertificateKeyFile, /, withClient("missing")],
  [/^a client certificate that has expired, /, withClient("refused")],
];
const failingHosts = failures.map(([, host]) => host);
const withoutAddress = { tcp: undefined, tls: undefined };
const unresolvedHosts = [...noRecords, ...noAnswers].map(
  (addresses): Host => ({ ...withoutAddress, addresses, srv: undefined }),
);
/** In a list of hosts, SRV is asked for, too. */
const unresolvedHostsOfLists = unresolvedHosts.flatMap((host) =>
  [{ found: records }, ...noRecords, failure("ESERVFAIL"), failure("ETIMEOUT")].map((srv) => ({
    ...host,
    srv,
  })),
);

/** Lists of three hosts of which none, one, two or all fail. */
const hostLists = (kinds: readonly Host[]): readonly (readonly Host[])[] => [
  [reachable, reachable, reachable],
  ...kinds.flatMap((kind) => [
    [reachable, reachable, kind],
    [kind, kind, reachable],
    [kind, kind, kind],
  ]),
];
const named = (hosts: readonly Host[]) =>
  hosts.map((host, at) => ({ ...host, name: members[at] ?? "", port: 27_017 }));

const stringWith = (form: "srv" | "hosts", options: Record<string, string>): StringFacts => {
  const query = new URLSearchParams(options).toString();
  const url = form === "srv" ? `mongodb+srv://${name}` : `mongodb://${members.join()}`;
  const { parts, findings } = readText(query === "" ? url : `${url}/?${query}`);
  assert.ok(parts !== undefined);
  return factsOf(parts, findings);
};

const factsOfList = (options: Record<string, string>, hosts: readonly Host[]): Facts => ({
  servers,
  string: stringWith("hosts", options),
  cluster: undefined,
  hosts: named(hosts),
});

/** What a driver asks about the name of a cluster, and what is asked after it has failed. */
function* clusters(): Generator<ClusterFacts> {
  const found = { found: records };
  for (const txt of [...texts.map((one) => ({ found: [one] })), ...noRecords, ...noAnswers])
    yield { name, srv: found, txt, addresses: undefined };
  yield { name, srv: found, txt: { found: texts }, addresses: undefined };
  yield { name, srv: { found: foreign }, txt: undefined, addresses: undefined };
  const further = [undefined, publicAddress, failure("ENODATA"), failure("ETIMEOUT")];
  const txts = [...texts.map((one) => ({ found: [one] })), ...noRecords, ...noAnswers.slice(0, 2)];
  for (const srv of [...noRecords, ...noAnswers])
    for (const txt of txts) for (const addresses of further) yield { name, srv, txt, addresses };
}

const isFound = (answer: Answer<unknown> | undefined) => answer !== undefined && "found" in answer;
const codeOf = (answer: Answer<unknown> | undefined) =>
  answer !== undefined && "code" in answer ? answer.code : "";
const isNone = (answer: Answer<unknown> | undefined) => /^ENO(TFOUND|DATA)$/.test(codeOf(answer));
const isSilent = (answer: Answer<unknown> | undefined) => codeOf(answer) !== "" && !isNone(answer);
const textOf = (cluster: ClusterFacts | undefined) =>
  cluster?.txt !== undefined && "found" in cluster.txt ? cluster.txt.found.join(" ") : "";
const saysCluster = (cluster: ClusterFacts | undefined) =>
  textOf(cluster).split(" ").length === 1 && textOf(cluster).startsWith("authSource");

/** All combinations that the check can meet: without hosts if a driver does not get so far. */
function* allFacts(): Generator<Facts> {
  for (const cluster of clusters()) {
    const isAccepted = isNone(cluster.txt) || saysCluster(cluster);
    for (const options of [{}, { replicaset: "rs1" }, { srvmaxhosts: "2" }, { tls: "false" }]) {
      const isRefused = "srvmaxhosts" in options && textOf(cluster).includes("replicaSet");
      const isConnected = isFound(cluster.srv) && isAccepted && !isRefused;
      const lists = isConnected ? hostLists([...failingHosts, ...unresolvedHosts]) : [[]];
      for (const hosts of lists)
        yield { servers, string: stringWith("srv", options), cluster, hosts: named(hosts) };
    }
  }
  const lists = hostLists([...failingHosts, ...unresolvedHostsOfLists]);
  for (const options of [{ tls: "true" }, { tls: "true", replicaset: "rs0" }, {}, { ssl: "false" }])
    for (const hosts of lists) yield factsOfList(options, hosts);
}

/** Sentences, and what must be true of the facts where one of them is printed. */
const truths: readonly (readonly [sentence: RegExp, isTrue: (facts: Facts) => boolean])[] = [
  [
    /Set tls=true/,
    ({ string: { form, options }, hosts }) => {
      const isTurnedOff = [options.get("tls"), options.get("ssl")].includes("false");
      // The name of a cluster moves to SRV form, which implies TLS.
      const isMoved = hosts.every(({ srv }) => isFound(srv));
      return isTurnedOff || (form === "hosts" && options.size === 0 && !isMoved);
    },
  ],
  [/Remove replicaSet from/, ({ cluster }) => textOf(cluster).includes("replicaSet=rs0")],
  [/Remove srvMaxHosts\./, ({ cluster }) => textOf(cluster).includes("replicaSet")],
  [
    / SRV records and no address, so (?:it|each) belongs after/,
    ({ hosts }) => hosts.some((one) => isFound(one.srv) && isNone(one.addresses)),
  ],
  [
    / SRV records, so (?:it|each) belongs after/,
    ({ hosts }) => hosts.some((one) => isFound(one.srv) && isSilent(one.addresses)),
  ],
  [
    /so it is the name of a host\./,
    ({ cluster }) => isNone(cluster?.srv) && isFound(cluster?.addresses) && !saysCluster(cluster),
  ],
  [
    /TXT says that .* is the name of a cluster/,
    ({ cluster }) => isNone(cluster?.srv) && saysCluster(cluster),
  ],
  [
    /Use the name that the service returned/,
    ({ cluster }) => isFound(cluster?.srv) && !isSilent(cluster.txt) && !saysCluster(cluster),
  ],
  [
    /the server refuses TCP/,
    ({ cluster, hosts }) =>
      [cluster?.srv, cluster?.txt, ...hosts.map(({ addresses }) => addresses)].some(
        (one) => codeOf(one) === "ECONNREFUSED",
      ),
  ],
  [
    /answers other questions, but not about the SRV/,
    ({ cluster }) =>
      isSilent(cluster?.srv) &&
      [cluster?.txt, cluster?.addresses].some((one) => isFound(one) || isNone(one)),
  ],
  [
    /answers other questions, but not about the TXT/,
    ({ cluster }) => isFound(cluster?.srv) && isSilent(cluster.txt),
  ],
  [
    /answers other questions, but not about the addresses/,
    ({ cluster, hosts }) =>
      hosts.some(({ addresses, srv }) => isSilent(addresses) && (isNone(srv) || cluster)),
  ],
  [
    /answers no question about orders/,
    ({ cluster }) =>
      [cluster?.srv, cluster?.txt, cluster?.addresses].every(
        (one) => one === undefined || isSilent(one),
      ),
  ],
  [
    /answers no question about a\.|answers no question about b\./,
    ({ hosts }) => hosts.some(({ addresses, srv }) => isSilent(addresses) && isSilent(srv)),
  ],
  [/may have no primary without/, ({ hosts }) => hosts.some(({ tls }) => isFound(tls))],
  [
    /Usual causes: a name that/,
    ({ cluster, hosts }) =>
      isNone(cluster?.srv) || hosts.some((one) => isNone(one.addresses) && !isFound(one.srv)),
  ],
];

/** Sentences of which at most one can be true of a string. */
const contradictions: readonly (readonly RegExp[])[] = [
  [/^Reachable/m, /^Not reachable/m],
  [/ has SRV records/, / no SRV records/],
  [
    /is the name of a host/,
    /is the name of a cluster/,
    /Usual causes: a name/,
    /but not about the SRV/,
  ],
  [/answers no question about orders/, /answers other questions, but not about the SRV/],
  [/answers no question about orders/, /refuses TCP/],
  [/has an address/, /answers no question/],
  [/Use the name that the service/, /Ask another DNS server/],
];

describe("the conclusion of a check", () => {
  const all = [...allFacts()].map((facts) => ({ facts, ...conclude(facts) }));
  const describeFacts = (facts: Facts, report: string) =>
    `${JSON.stringify({ ...facts, string: [...facts.string.options] }, null, 1)}\n${report}`;

  it("counts whether a string is reachable from the marks", () => {
    assert.ok(all.length > 700, `${all.length}`);
    for (const { facts, rows, isReachable, report } of all) {
      const hostRows = rows.filter(([, check]) => ["addresses", "TCP", "TLS"].includes(check));
      const isFailing = ([mark]: Row) => mark === "problem";
      const failed = facts.hosts.filter((host) =>
        hostRows.some((row) => isFailing(row) && row[2].startsWith(host.name)),
      );
      const isSet = /replicaset/i.test(
        `${[...facts.string.options.keys()].join()} ${textOf(facts.cluster)}`,
      );
      const needed = isSet ? 2 : 1;
      const others = rows.filter((row) => !hostRows.includes(row));
      const expected = facts.hosts.length - failed.length >= needed && !others.some(isFailing);
      assert.equal(isReachable, expected, describeFacts(facts, report));
      assert.equal(/^Reachable/m.test(report), expected);
    }
  });

  it("says only what the facts prove, and nothing that contradicts it", () => {
    const said = new Set<RegExp>();
    for (const { facts, report } of all) {
      for (const [sentence, isTrue] of truths) {
        if (!sentence.test(report)) continue;
        said.add(sentence);
        assert.ok(isTrue(facts), `${sentence}\n${describeFacts(facts, report)}`);
      }
      for (const group of contradictions) {
        const both = group.filter((sentence) => sentence.test(report));
        assert.ok(both.length <= 1, `${both.join()}\n${describeFacts(facts, report)}`);
      }
    }
    assert.deepEqual(
      truths.filter(([sentence]) => !said.has(sentence)),
      [],
    );
  });

  it("leaves no string that is not reachable without a reason, and gives no reason for another one", () => {
    for (const { facts, isReachable, report } of all) {
      const [, conclusion = ""] = /\n(?:Not reachable\.|Reachable)([^]*)$/.exec(report) ?? [];
      if (isReachable) assert.match(conclusion, /^\.$|^, except for .* for maintenance\.$/);
      else assert.match(conclusion, /\w/, describeFacts(facts, report));
      assert.ok(conclusion.split("Usual causes:").length <= 2, report);
    }
  });

  it("blames only what drivers ask for", () => {
    for (const { facts, rows, report } of all) {
      const blamed = rows.filter(([mark]) => mark === "problem");
      const isClusterAsked = facts.cluster !== undefined;
      for (const [, check, subject, finding] of blamed) {
        // The options of TXT count only with SRV records.
        if (finding.includes("TXT")) assert.ok(isFound(facts.cluster?.srv), report);
        if (check === "SRV") assert.ok(isClusterAsked && subject === service, report);
        if (check === "TXT") assert.ok(isFound(facts.cluster?.srv), report);
        if (check === "addresses") assert.notEqual(subject, name);
      }
      const sentences = /but not about (.+?)\. (?:Ask|The response)/.exec(report)?.[1];
      for (const part of sentences?.split(" and ") ?? []) {
        const [, type = "", names = ""] =
          /^the (SRV|TXT|addresses)(?: records)? of (.+)$/.exec(part) ?? [];
        const subjects = names
          .split(", ")
          .map((one) => (type === "SRV" ? `_mongodb._tcp.${one}` : one));
        for (const subject of subjects)
          assert.ok(
            blamed.some((row) => row[1] === type && row[2] === subject),
            `${part}\n${report}`,
          );
      }
    }
  });

  it("does not say that one of several DNS servers refuses TCP, because it may refuse UDP", () => {
    const srv = failure("ECONNREFUSED");
    const cluster = { name, srv, txt: { found: [] }, addresses: undefined };
    const facts = { string: stringWith("srv", {}), cluster, hosts: [] };
    const several = conclude({ ...facts, servers: `${servers}, 10.0.0.3` }).report;
    assert.match(several, /but not about the SRV records of orders\S+ Ask another DNS server/);
    assert.match(conclude({ ...facts, servers }).report, /the server refuses TCP/);
  });

  it("escapes what the string, DNS and certificates say", () => {
    const unsafe = "x\u001b[2J\u202e\n";
    const { report } = conclude({
      servers,
      string: stringWith("srv", { replicaset: unsafe }),
      cluster: {
        name: unsafe,
        srv: { found: records },
        txt: { found: ["replicaSet=%1b[2J"] },
        addresses: undefined,
      },
      hosts: [
        { ...reachable, tls: { found: { ...ok, code: "X", issuer: unsafe } } },
        { ...unresolvedHosts[0], ...withoutAddress, addresses: failure(unsafe), srv: undefined },
      ].map((host) => ({ ...host, name: unsafe, port: 1 })),
    });
    assert.match(
      report,
      /^problem +options +drivers take replicaSet=x\\u\{1b\}\[2J\\u\{202e\}\\u\{a\} /m,
    );
    assert.doesNotMatch(report, /[^\P{C}\n]/u);
  });

  it("names the usual cause for each way in which a host fails", () => {
    for (const [cause, host] of failures) {
      const { report } = conclude(factsOfList({ tls: "true" }, [host]));
      assert.match(report.split("\nNot reachable.\nUsual causes: ")[1] ?? report, cause);
    }
  });

  it("takes a local name in SRV records for that of a cluster in a private domain", () => {
    const at = { name: "a.corp.internal", port: 27_017 };
    const { report } = conclude({
      servers,
      string: stringWith("srv", {}),
      cluster: {
        name: "db.corp.internal",
        srv: { found: [at] },
        txt: failure("ENODATA"),
        addresses: undefined,
      },
      hosts: [{ ...withTcp("ABORT_ERR"), addresses: privateAddress, ...at }],
    });
    assert.match(report, /\nUsual causes: first, this machine may be outside /);
  });

  it("marks where it shortens a long text", () => {
    const names = Array.from({ length: 50 }, (_, at) => `host-${at}.example`).join(", ");
    const host = withCertificate("ERR_TLS_CERT_ALTNAME_INVALID", names);
    const { report } = conclude(factsOfList({ tls: "true" }, [host]));
    assert.match(report, /^problem +TLS .* but host-0\.example, .{200,300}…$/m);
  });

  it("warns about tlsInsecure although the hosts are reachable", () => {
    const options = { tls: "true", tlsinsecure: "true" };
    const { isReachable, report } = conclude(factsOfList(options, [reachable]));
    assert.equal(isReachable, true);
    assert.match(report, /^warning +options +drivers use TLS, but with tlsInsecure any server/m);
  });

  it("needs more than half of a replica set", () => {
    const options = { tls: "true", replicaset: "rs0" };
    const failing = withTcp("ECONNREFUSED");
    for (const [hosts, expected] of [
      [[reachable, failing], false],
      [[reachable, reachable, failing], true],
      [[reachable, reachable, failing, failing], false],
    ] as const)
      assert.equal(conclude(factsOfList(options, hosts)).isReachable, expected);
  });

  it("requires TLS if only one of the hosts is this machine", () => {
    const facts = factsOfList({}, [reachable, reachable]);
    for (const [names, expected] of [
      [["localhost", "127.0.0.1"], true],
      [["localhost", "a.ab1cd.db.example"], false],
    ] as const) {
      const hosts = names.map((host) => ({ name: host, port: 27_017 }));
      const unused = { code: "ECONNRESET" };
      const local = facts.hosts.map((host, at) => ({
        ...host,
        name: names[at] ?? "",
        tls: unused,
      }));
      const { isReachable } = conclude({
        ...facts,
        string: { ...facts.string, hosts },
        hosts: local,
      });
      assert.equal(isReachable, expected);
    }
  });

  it("does not count hosts that drivers reach through a proxy", () => {
    const options = { tls: "true", proxyhost: "proxy.example" };
    const { isReachable, report } = conclude(factsOfList(options, []));
    assert.equal(isReachable, false);
    assert.match(
      report,
      /\nNot known\. Drivers connect through proxyHost, .* would prove nothing\./,
    );
  });

  it("names a DNS server that drops private addresses if SRV knows hosts with private names", () => {
    const answers = { addresses: failure("ENODATA"), srv: undefined, ...withoutAddress };
    for (const [host, expected] of [
      ["orders-shard-00-00-pri.ab1cd.db.example", true],
      ["pl-0-us-east-1.ab1cd.db.example", true],
      ["orders-shard-00-00.ab1cd.db.example", false],
    ] as const) {
      const cluster = {
        name,
        srv: { found: records },
        txt: failure("ENODATA"),
        addresses: undefined,
      };
      const hosts = [{ ...answers, name: host, port: 27_017 }];
      const { report } = conclude({ servers, string: stringWith("srv", {}), cluster, hosts });
      assert.equal(
        /drops private addresses \(rebinding protection\), or a name/.test(report),
        expected,
      );
    }
  });

  it("says that the file in tlsCAFile lacks the authority of a server", () => {
    const facts = factsOfList({ tls: "true" }, [withCertificate("SELF_SIGNED_CERT_IN_CHAIN")]);
    const { report } = conclude({ ...facts, string: { ...facts.string, ca: "-" } });
    assert.match(report, /\nUsual causes: the file in tlsCAFile, which lacks the authority/);
    assert.doesNotMatch(report, /set NODE_EXTRA|set tlsCAFile/);
  });

  it("describes addresses that are neither public nor private", () => {
    const found = [
      "203.0.113.7",
      "10.1.2.3",
      "127.0.0.1",
      "::1",
      "169.254.1.1",
      "fe80::1",
      "::ffff:10.0.0.1",
      "fd00::1",
    ];
    const { report } = conclude(
      factsOfList({ tls: "true" }, [{ ...reachable, addresses: { found } }]),
    );
    const kinds = Array.from(report.matchAll(/\(([^)]+)\)/g), ([, kind]) => kind);
    assert.deepEqual(kinds, [
      "public",
      "private",
      "this machine",
      "this machine",
      "link-local",
      "link-local",
      "an IPv4 address in IPv6",
      "private",
    ]);
  });

  for (const [code, words] of [
    ["NOSERVICE", /the record says \. instead of a host/],
    [
      "BLOCKED",
      /something blocks the name, [^]*\nUsual causes: a DNS server or a hosts file that blocks names\./,
    ],
    ["EBADRESP", /the DNS server sent a response that cannot be read/],
  ] as const) {
    it(`describes ${code}`, () => {
      const host = { ...withoutAddress, addresses: failure(code), srv: undefined };
      const { report } = conclude(factsOfList({ tls: "true" }, [host]));
      assert.match(report, words);
    });
  }

  it("advises no list of hosts to use a list of hosts, and no other DNS server without a question", () => {
    for (const { facts, report } of all) {
      if (facts.string.form === "hosts") assert.doesNotMatch(report, /form: "hosts"|list of/i);
      const { cluster, hosts } = facts;
      const answers = [cluster?.srv, cluster?.txt, ...hosts.map(({ addresses }) => addresses)];
      const isResolved = answers.every((one) => one === undefined || isFound(one));
      if (isResolved) assert.doesNotMatch(report, /--resolver/);
    }
  });
});
