import assert from "node:assert/strict";
import { Resolver } from "node:dns/promises";
import { type Answer, decode, encode } from "dns-packet";
import { type Responder, respondOverTcp, respondOverUdp } from "../../../simulator/src/dns/server";
import { quickstartSeed, useOwnServices, useService } from "../../support/service";
import { type ClusterBody, call, clustersPath, json, modePath, patch } from "./client";
import { seedOf } from "./seeds";

describe("the DNS of the simulator", () => {
  const service = useService(quickstartSeed(), { dns: {} });
  const start = useOwnServices();
  let internet: Resolver;
  let peered: Resolver;

  beforeEach(() => {
    internet = resolverAt(service.dns?.internet);
    peered = resolverAt(service.dns?.peeredNetwork);
  });

  const resolverAt = (address: string | undefined) => {
    const resolver = new Resolver({ tries: 1, timeout: 2000 });
    resolver.setServers([String(address)]);
    return resolver;
  };
  const strings = async (cluster: string) => {
    const response = await call(service, `${clustersPath}/${cluster}`);
    const { connectionStrings } = json<ClusterBody>(response);
    const host = (srv: string | undefined) => String(srv).replace(/^.*:\/\//, "");
    return {
      ...connectionStrings,
      srvHost: host(connectionStrings.standardSrv),
      privateHost: host(connectionStrings.privateSrv),
    };
  };

  it("returns the options of the host list that a driver accepts in a TXT record", async () => {
    const { standard, srvHost, privateHost } = await strings("orders");
    const replicaSet = /replicaSet=[\w-]+/.exec(String(standard))?.[0];
    for (const host of [srvHost, privateHost]) {
      assert.deepEqual(await internet.resolveTxt(host), [[`authSource=admin&${replicaSet}`]]);
    }
    const { srvHost: sharded } = await strings("analytics");
    assert.deepEqual(await internet.resolveTxt(sharded), [["authSource=admin"]]);
  });

  it("answers for an optimized string with one load balancer at a separate name [2.6 optimized]", async () => {
    const [entry] = (await strings("analytics")).privateEndpoint ?? [];
    const host = String(entry?.srvShardOptimizedConnectionString).replace(/^.*:\/\//, "");
    const [balancer, ...others] = await peered.resolveSrv(`_db._tcp.${host}`);
    assert.deepEqual([balancer?.name, balancer?.port, others.length], [host, 1024, 0]);
    assert.deepEqual(await peered.resolveTxt(host), [["authSource=admin&loadBalanced=true"]]);
  });

  it("resolves hosts to the addresses of the client's network [2.6 standard, 2.6 peering-private]", async () => {
    const [host = ""] =
      /orders-shard-00-00[^:]*/.exec(String((await strings("orders")).standard)) ?? [];
    assert.match(String(await internet.resolve4(host)), /^203\.0\.113\./);
    assert.match(String(await internet.resolve6(host)), /^2001:db8:/);
    assert.match(String(await peered.resolve4(host)), /^10\./);
    assert.match(String(await peered.resolve6(host)), /^fd00:/);
    assert.match(String(await internet.resolve4((await strings("orders")).privateHost)), /^10\./);
  });

  it("resolves legacy names to private addresses if private IP mode is enabled, otherwise to public ones [2.6 legacy, 3]", async () => {
    const { legacySrv } = await strings("billing");
    const host = String(legacySrv).replace(/^.*:\/\//, "");
    assert.match(String(await internet.resolve4(host)), /^10\./);
    await patch(service, modePath, { enabled: false });
    assert.match(String(await internet.resolve4(host)), /^203\.0\.113\./);
  });

  it("resolves every name of every string, to private addresses unless the string is for the Internet [2.6 private endpoint, 2.6 optimized]", async () => {
    const isPublic = /^203\.0\.113\./;
    const isPrivate = /^10\./;
    const urisIn = (value: object) => JSON.stringify(value).match(/db(\+srv)?:\/\/[^"/]*/g) ?? [];
    const resolved = new Set<string>();
    for (const cluster of ["orders", "billing", "analytics", "sessions"]) {
      const { standard, standardSrv, ...others } = await strings(cluster);
      const isPeered = cluster === "orders";
      // The legacy names are private, too, because private IP mode is enabled.
      for (const [uris, onInternet, inPeeredNetwork] of [
        [urisIn([standard, standardSrv]), isPublic, isPeered ? isPrivate : isPublic],
        [urisIn(others), isPrivate, isPrivate],
      ] as const) {
        for (const host of uris.flatMap((uri) => uri.replace(/^.*:\/\//, "").split(","))) {
          const name = host.replace(/:\d+$/, "");
          assert.match(String(await internet.resolve4(name)), onInternet, name);
          assert.match(String(await peered.resolve4(name)), inPeeredNetwork, name);
          resolved.add(name);
        }
      }
    }
    assert.ok(resolved.size > 25, String(resolved.size));
  });

  it("leads from an SRV name to the hosts and ports of the host list, also for mapped ports", async () => {
    const seed = seedOf([
      {
        name: "mapped",
        provider: "C",
        regions: ["us-east1"],
        peering: true,
        privateEndpoints: [
          { endpointId: "psc-1", region: "us-east1", provider: "C", portMapped: true },
        ],
      },
    ]);
    const own = await start(seed, { dns: {} });
    const { connectionStrings } = json<ClusterBody>(await call(own, `${clustersPath}/mapped`));
    const resolver = resolverAt(own.dns?.peeredNetwork);
    const [entry] = connectionStrings.privateEndpoint ?? [];
    for (const [srv, list] of [
      [connectionStrings.standardSrv, connectionStrings.standard],
      [entry?.srvConnectionString, entry?.connectionString],
    ]) {
      const name = String(srv).replace(/^.*:\/\//, "");
      const targets = await resolver.resolveSrv(`_db._tcp.${name}`);
      const hosts = targets.map(({ name: host, port }) => `${host}:${port}`).sort();
      assert.equal(hosts.join(","), /:\/\/([^/]*)/.exec(String(list))?.[1]);
    }
    // Only in provider A does a peered network resolve the standard name to private addresses.
    const standardName = String(connectionStrings.standardSrv).replace(/^.*:\/\//, "");
    assert.match(String(await resolver.resolve4(standardName)), /^203\.0\.113\./);
  });

  it("has addresses for a resolver, also on IPv6 and localhost", async () => {
    const { srvHost } = await strings("orders");
    const expected = await internet.resolve4(srvHost);
    for (const host of ["::1", "localhost"]) {
      const { dns } = await start(quickstartSeed(), { dns: {}, host });
      assert.match(String(dns?.internet), /^(?:\[::1\]|127\.0\.0\.1):\d+$/);
      // Names match regardless of case.
      const name = srvHost.toUpperCase();
      assert.deepEqual(await resolverAt(dns?.internet).resolve4(name), expected);
    }
  });

  it("distinguishes unknown names, names without such a record, and other domains", async () => {
    const { srvHost } = await strings("orders");
    await assert.rejects(internet.resolve4(`no${srvHost}`), { code: "ENOTFOUND" });
    await assert.rejects(internet.resolveMx(srvHost), { code: "ENODATA" });
    await assert.rejects(internet.resolve4(`_db._tcp.${srvHost}`), { code: "ENODATA" });
    const [{ name: host } = { name: "" }] = await internet.resolveSrv(`_db._tcp.${srvHost}`);
    await assert.rejects(internet.resolveTxt(host), { code: "ENODATA" });
    await assert.rejects(internet.resolve4("example.com"), { code: "EREFUSED" });
  });
});

const name = "orders.ab1cd.clusters.example";
const records: Answer[] = Array.from({ length: 30 }, (_, at) => ({
  type: "A",
  name,
  data: `10.0.0.${at}`,
}));
const responder: Responder = () => ({ kind: "name", records });
const edns = {
  type: "OPT" as const,
  name: "." as const,
  extendedRcode: 0,
  ednsVersion: 0 as const,
  flags: 0,
  flag_do: false,
  options: [],
};
const queryOf = (udpPayloadSize?: number) =>
  encode({
    type: "query",
    id: 7,
    questions: [{ type: "A", name }],
    additionals: udpPayloadSize === undefined ? [] : [{ ...edns, udpPayloadSize }],
  });

describe("a DNS response", () => {
  it("is truncated over UDP if it is larger than the client's limit, which is 512 bytes without EDNS and at most 1232", () => {
    for (const limit of [undefined, 600, 65_535]) {
      const response = decode(respondOverUdp(queryOf(limit), responder) ?? Buffer.alloc(0));
      assert.equal(response.flag_tc, true);
      assert.deepEqual(response.answers, []);
    }
  });

  it("is complete over TCP", () => {
    const response = respondOverTcp(queryOf(), responder) ?? Buffer.alloc(2);
    const packet = decode(response.subarray(2));
    assert.equal(packet.flag_tc, false);
    assert.deepEqual([packet.id, packet.answers?.length], [7, 30]);
  });
});
