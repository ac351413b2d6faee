import assert from "node:assert/strict";
import type { SeedCluster } from "../../../simulator/src";
import { type ClusterBody, type ListBody, clustersPath, json, projectId } from "./client";
import { otherProjectId, seedOf, shardedCluster } from "./seeds";
import { useSimulator } from "./testService";

describe("connection strings", () => {
  const service = useSimulator({ seed: {} }, "test");
  const start = (clusters: SeedCluster[], privateIpMode = false) =>
    service.start({
      seed: seedOf(clusters, { label: "ab1cd", privateIpMode: { enabled: privateIpMode } }),
    });
  const cluster = async (name: string) =>
    json<ClusterBody>(await service.call(`${clustersPath}/${name}`));
  const strings = async (name: string) => (await cluster(name)).connectionStrings;
  const hostsOf = (uri = "") =>
    uri
      .replace(/^[^:]+:\/\//, "")
      .replace(/\/.*$/, "")
      .split(",");
  /** Returns the hosts of all clusters of a project, each host once per cluster. */
  const allHosts = async (id: string): Promise<string[]> => {
    const { results } = json<ListBody<ClusterBody>>(
      await service.call(`/groups/${id}/clusters?itemsPerPage=500`),
    );
    return results.flatMap(({ connectionStrings }) => {
      const { privateEndpoint = [], ...plain } = connectionStrings;
      const uris = [
        ...Object.values(plain),
        ...privateEndpoint.flatMap((entry) => [
          entry.connectionString,
          entry.srvConnectionString,
          entry.srvShardOptimizedConnectionString,
        ]),
      ];
      const hosts = uris.flatMap((uri) => hostsOf(uri));
      return [...new Set(hosts.map((host) => host.replace(/:\d+$/, "")))];
    });
  };
  const end = "ab1cd.clusters.example";

  it("includes standard strings for every cluster, with ports in the host list but not in the SRV name [2.6 standard]", async () => {
    await start([{ name: "Orders" }, shardedCluster]);
    const { standard, standardSrv } = await strings("Orders");
    assert.ok(standard?.startsWith("db://"));
    assert.deepEqual(
      hostsOf(standard),
      ["00", "01", "02"].map((node) => `orders-shard-00-${node}.${end}:27017`),
    );
    assert.equal(standardSrv, `db+srv://orders.${end}`);
  });

  it("has one host for each node, with three nodes for each shard and one for each additional region [1 rule 8]", async () => {
    await start([
      { name: "orders", additionalRegions: [{ provider: "B", region: "eastus" }] },
      { ...shardedCluster, shards: 40 },
    ]);
    const nodes = async (name: string) =>
      hostsOf((await strings(name)).standard).map((host) => /shard-(\d\d-\d\d)\./.exec(host)?.[1]);
    assert.deepEqual(await nodes("orders"), ["00-00", "00-01", "00-02", "00-03"]);
    const all = await nodes("analytics");
    assert.deepEqual([all.length, new Set(all).size, all.at(-1)], [120, 120, "01-19"]);
    const json = { numShards: 1 };
    await service.patch(`${clustersPath}/analytics`, json);
    assert.deepEqual(await nodes("analytics"), ["00-00", "00-01", "00-02"]);
  });

  it("keeps its hosts if an update repeats the type and the number of shards", async () => {
    await start([{ name: "orders", nodes: 5 }]);
    const before = await strings("orders");
    for (const method of ["PATCH", "PUT"]) {
      const body = { clusterType: "REPLICASET", numShards: 2 };
      await service.call(`${clustersPath}/orders`, { method, json: body });
      assert.deepEqual(await strings("orders"), before);
    }
  });

  it("includes peering-private strings only with network peering [2.6 peering-private, 2.6 rule 3]", async () => {
    await start([{ name: "orders", peering: true }, { name: "plain" }]);
    const peered = await strings("orders");
    assert.deepEqual(
      hostsOf(peered.private),
      ["00", "01", "02"].map((node) => `orders-shard-00-${node}-pri.${end}:27017`),
    );
    assert.equal(peered.privateSrv, `db+srv://orders-pri.${end}`);
    const plain = await strings("plain");
    assert.ok(!("private" in plain) && !("privateSrv" in plain));
    service.simulator.project(projectId).updateCluster("plain", { peering: true });
    assert.equal((await strings("plain")).privateSrv, `db+srv://plain-pri.${end}`);
  });

  it("includes one entry for each private endpoint, with an index that is unique in the project [2.6 private endpoint]", async () => {
    await start([
      {
        name: "orders",
        provider: "B",
        regions: ["us-east-1", "eu-west-1"],
        privateEndpoints: [
          { endpointId: "vpce-1", region: "us-east-1" },
          { endpointId: "vpce-2", region: "us-east-1" },
          { endpointId: "vpce-3", region: "eu-west-1" },
        ],
      },
      shardedCluster,
    ]);
    const { standard = "", privateEndpoint: entries = [] } = await strings("orders");
    const options = standard.slice(standard.indexOf("/?"));
    assert.deepEqual(
      entries.map(({ connectionString, srvConnectionString }) => [
        connectionString,
        srvConnectionString,
      ]),
      ["pl-0-us-east-1", "pl-1-us-east-1", "pl-2-eu-west-1"].map((host) => [
        `db://${host}.${end}:1024${options}`,
        `db+srv://${host}.${end}`,
      ]),
    );
    assert.deepEqual(entries[2]?.endpoints, [
      { endpointId: "vpce-3", providerName: "B", region: "eu-west-1" },
    ]);
    const [other] = (await strings("analytics")).privateEndpoint ?? [];
    assert.equal(other?.srvConnectionString, `db+srv://pl-3-us-east-1.${end}`);
  });

  it("keeps the index of a private endpoint when others are added or removed", async () => {
    await start([shardedCluster]);
    const control = service.simulator.project(projectId);
    control.updateCluster("analytics", {
      privateEndpoints: [
        { endpointId: "vpce-0", region: "us-east-1" },
        { endpointId: "vpce-1", region: "us-east-1" },
      ],
    });
    assert.deepEqual(
      control
        .cluster("analytics")
        .privateEndpoints.map(({ endpointId, index }) => [endpointId, index]),
      [
        ["vpce-0", 1],
        ["vpce-1", 0],
      ],
    );
  });

  it("assigns the lowest free index to a private endpoint after others were removed", async () => {
    const behindEndpoint = (name: string): SeedCluster => {
      return { name, privateEndpoints: [{ endpointId: name, region: "us-east-1" }] };
    };
    await start(["c0", "c1", "c2"].map(behindEndpoint));
    const control = service.simulator.project(projectId);
    control.removeCluster("c1");
    const added = ["new0", "new1"].map((name) => control.addCluster(behindEndpoint(name)));
    const indexes = added.map(({ privateEndpoints }) => privateEndpoints[0]?.index);
    assert.deepEqual(indexes, [1, 3]);
  });

  it("includes the cluster name in the SRV form of regionalized endpoints, but not in the hosts [2.6 regionalized]", async () => {
    await start([{ ...shardedCluster, regionalizedPrivateEndpoints: true }]);
    const [entry] = (await strings("analytics")).privateEndpoint ?? [];
    const options = "/?ssl=true&authSource=admin";
    assert.equal(entry?.connectionString, `db://pl-0-us-east-1.${end}:1024${options}`);
    assert.equal(entry.srvConnectionString, `db+srv://analytics-pl-0-us-east-1.${end}`);
  });

  it("includes an optimized SRV form only if every condition is met, and always the plain SRV form [2.6 optimized, 2.6 rule 4, 2.6 rule 7]", async () => {
    const two = ["us-east-1", "eu-west-1"];
    const providers: Partial<SeedCluster> = {
      additionalRegions: [{ provider: "B", region: "eastus" }],
      privateEndpoints: [
        { endpointId: "pe-2", region: "eastus" },
        { endpointId: "vpce-1", region: "us-east-1" },
      ],
    };
    const cases: [string, Partial<SeedCluster>, boolean][] = [
      ["sharded", {}, true],
      ["geo", { type: "GEOSHARDED" }, true],
      ["five", { version: "5.0.0" }, true],
      ["regionalized", { regions: two, regionalizedPrivateEndpoints: true }, true],
      ["replica-set", { type: "REPLICASET" }, false],
      ["provider-b", { provider: "B" }, false],
      ["four", { version: "4.4.29" }, false],
      ["multi", { regions: two }, false],
      ["none", { privateEndpoints: [] }, false],
      ["providers", providers, false],
      ["in-a-only", { ...providers, regionalizedPrivateEndpoints: true }, true],
    ];
    await start(cases.map(([name, change]) => ({ ...shardedCluster, ...change, name })));
    for (const [name, , expected] of cases) {
      const entries = (await strings(name)).privateEndpoint ?? [];
      const optimized = entries.filter((entry) => "srvShardOptimizedConnectionString" in entry);
      const inProviders = optimized.map(({ endpoints }) => endpoints[0]?.providerName);
      assert.deepEqual(inProviders, expected ? ["A"] : [], name);
      for (const { srvShardOptimizedConnectionString: uri = "" } of optimized) {
        assert.match(uri, new RegExp(`^db\\+srv://${name}-pl-\\d+-lb\\.${end}$`));
      }
      for (const entry of entries) assert.match(entry.srvConnectionString, /^db\+srv:/);
    }
  });

  for (const provider of ["B", "C"] as const) {
    it(`moves a dedicated cluster from before 3 November 2020 out of provider ${provider} in two steps, each with a new host list [2.6 rule 10]`, async () => {
      await start([{ name: "old", provider, createdAt: "2020-11-02T23:59:59Z" }]);
      const patch = (json: object) => service.patch(`${clustersPath}/old`, json);
      const nodes = async () => {
        const { standard = "", standardSrv } = await strings("old");
        assert.equal(standardSrv, `db+srv://old.${end}`);
        return [...standard.matchAll(/shard-00-(\d\d)/g)].map(([, node]) => node);
      };
      const move = { providerSettings: { providerName: "A", regionNames: ["us-east-1"] } };
      const target = { provider: "A", region: "us-east-1" };
      for (const additionalRegions of [[], [target]]) {
        const rejected = await patch({ ...move, additionalRegions });
        assert.equal(rejected.status, 400);
        assert.match(rejected.text, /PROVIDER_CHANGE_NEEDS_READ_ONLY_NODES/);
      }
      assert.deepEqual(await nodes(), ["00", "01", "02"]);
      await patch({ additionalRegions: [{ ...target, readOnly: true }] });
      assert.deepEqual(await nodes(), ["00", "01", "02", "03"]);
      const moved = await patch(move);
      assert.deepEqual(json<ClusterBody>(moved).additionalRegions, []);
      assert.deepEqual(await nodes(), ["04", "05", "06"]);
    });
  }

  it("moves any other cluster to another provider in one step, without a change of its strings [2.6 rule 10]", async () => {
    const clusters: SeedCluster[] = [
      { name: "new", provider: "B", createdAt: "2020-11-03" },
      { name: "old", provider: "A", createdAt: "2019-01-01" },
    ];
    await start(clusters);
    for (const { name } of clusters) {
      const before = await strings(name);
      const body = { providerSettings: { providerName: "C" } };
      const path = `${clustersPath}/${name}`;
      assert.equal((await service.patch(path, body)).status, 200);
      assert.deepEqual(await strings(name), before);
    }
  });

  it("shows the optimized form by default in clusters created since the start of 2022 that have one [2.6 rule 8]", async () => {
    await start([
      { ...shardedCluster, name: "new", createdAt: "2022-01-01" },
      { ...shardedCluster, name: "old", createdAt: "2021-12-31T23:59:59Z" },
      { ...shardedCluster, name: "replica-set", type: "REPLICASET" },
    ]);
    const shown = async (name: string) =>
      (await strings(name)).privateEndpoint?.[0]?.shownByDefault;
    assert.equal(await shown("new"), "srvShardOptimizedConnectionString");
    assert.equal(await shown("old"), "srvConnectionString");
    assert.equal(await shown("replica-set"), "srvConnectionString");
  });

  it("removes the optimized form, but not the plain SRV form, if a cluster becomes multi-region without regionalized endpoints [2.6 rule 5, 2.6 rule 6]", async () => {
    await start([shardedCluster]);
    const [before] = (await strings("analytics")).privateEndpoint ?? [];
    const optimized = before?.srvShardOptimizedConnectionString ?? "";
    assert.equal(service.simulator.resolve(optimized)?.access, "private");
    const providerSettings = { regionNames: ["us-east-1", "eu-west-1"] };
    await service.patch(`${clustersPath}/analytics`, { providerSettings });
    const [after] = (await strings("analytics")).privateEndpoint ?? [];
    assert.ok(after && !("srvShardOptimizedConnectionString" in after));
    assert.equal(after.srvConnectionString, before?.srvConnectionString);
    assert.equal(service.simulator.resolve(optimized), undefined);
    assert.equal(service.simulator.resolve(after.srvConnectionString)?.clusterName, "analytics");
  });

  it("includes legacy strings for clusters created before 31 March 2020 only, which differ in one character of each host [2.6 legacy, 2.6 rule 1]", async () => {
    await start([
      { name: "old", createdAt: "2020-03-30T23:59:59Z" },
      { name: "new", createdAt: "2020-03-31" },
      { name: "newer", createdAt: "2020-03-31T00:00:00.500Z" },
    ]);
    const { legacySrv, standardSrv, legacy = "", standard } = await strings("old");
    assert.equal(legacySrv, "db+srv://old-ab1cd.clusters.example");
    assert.equal(standardSrv, legacySrv.replace("old-", "old."));
    assert.equal(standard, legacy.replaceAll("-ab1cd", ".ab1cd"));
    assert.deepEqual(
      hostsOf(legacy),
      ["00", "01", "02"].map((node) => `old-shard-00-${node}-${end}:27017`),
    );
    for (const name of ["new", "newer"]) {
      const recent = await strings(name);
      assert.ok(!("legacy" in recent) && !("legacySrv" in recent), name);
    }
  });

  it("keeps the legacy strings until the cluster is deleted [2.6 rule 7]", async () => {
    await start([{ name: "old", createdAt: "2019-01-01" }]);
    const { legacySrv } = await strings("old");
    for (const body of [
      { dbVersion: "8.0.4", clusterType: "SHARDED", networkPeering: true },
      { providerSettings: { providerName: "B" } },
    ]) {
      await service.patch(`/groups/${projectId}/clusters/old`, body);
      assert.equal((await strings("old")).legacySrv, legacySrv);
    }
  });

  for (const tier of ["FREE", "FLEX"] as const) {
    it(`adds azure and gcp to the hosts of a ${tier} cluster with legacy strings that moves to providers B and C, and removes them in provider A [2.6 rule 9]`, async () => {
      await start([{ name: "old", createdAt: "2019-01-01", tier }]);
      for (const [providerName, providerEnd] of [
        ["B", "ab1cd.azure.clusters.example"],
        ["C", "ab1cd.gcp.clusters.example"],
        ["A", end],
      ]) {
        const previous = (await strings("old")).legacySrv ?? "";
        await service.patch(`${clustersPath}/old`, { providerSettings: { providerName } });
        const moved = await strings("old");
        assert.equal(moved.legacySrv, `db+srv://old-${providerEnd}`);
        assert.deepEqual(
          hostsOf(moved.legacy),
          ["00", "01", "02"].map((node) => `old-shard-00-${node}-${providerEnd}:27017`),
        );
        assert.equal(moved.standardSrv, `db+srv://old.${providerEnd}`);
        assert.equal(service.simulator.resolve(moved.legacySrv)?.clusterName, "old");
        assert.equal(service.simulator.resolve(previous), undefined);
      }
    });
  }

  it("keeps provider labels out of the strings of a Free cluster without legacy strings, and of a dedicated cluster [2.6 rule 9]", async () => {
    await start([
      { name: "new", tier: "FREE", provider: "B" },
      { name: "old", createdAt: "2019-01-01", provider: "C" },
    ]);
    for (const name of ["new", "old"]) {
      assert.doesNotMatch(JSON.stringify(await strings(name)), /azure|gcp/);
    }
  });

  it("rejects a project label that is the label of a provider in host names [1 rule 8]", async () => {
    for (const label of ["gcp", "azure"]) {
      await assert.rejects(
        service.start({ seed: seedOf([], { label }) }),
        /label of a cloud provider/,
      );
    }
  });

  it("names replica sets and shards of new clusters after a six-character ID, and those of old clusters after the cluster [2.6 rule 2]", async () => {
    await start([
      { name: "new", createdAt: "2024-01-01" },
      { name: "old", createdAt: "2019-01-01" },
      { ...shardedCluster, shards: 3 },
    ]);
    const [name] = (await cluster("new")).replicaSetNames as string[];
    assert.match(name ?? "", /^[a-z0-9]{6}-shard-0$/);
    const options = `/?ssl=true&authSource=admin&replicaSet=${name}`;
    assert.ok((await strings("new")).standard?.endsWith(options));
    assert.deepEqual((await cluster("old")).replicaSetNames, ["old-shard-0"]);
    assert.equal(((await cluster("analytics")).replicaSetNames as string[]).length, 3);
  });

  it("generates host names that are unique across the service [1 rule 8]", async () => {
    const seed = seedOf([
      { name: "orders", peering: true, createdAt: "2019-01-01" },
      shardedCluster,
      { ...shardedCluster, name: "more", regionalizedPrivateEndpoints: true },
    ]);
    seed.projects?.push({
      id: otherProjectId,
      name: "again",
      organization: "acme",
      clusters: seed.projects[0]?.clusters ?? [],
    });
    await service.start({ seed });
    const hosts = [...(await allHosts(projectId)), ...(await allHosts(otherProjectId))];
    assert.ok(hosts.length > 30);
    assert.equal(new Set(hosts).size, hosts.length);
  });

  it("generates unique host names for every combination of odd names and regions that the API accepts [1 rule 8]", async () => {
    const parts = ["x", "pri", "lb", "pl-0", "pl-1", "shard-00-00", "shard-00-00-pri"];
    const joined = parts.flatMap((first) => parts.map((second) => `${first}-${second}`));
    await service.start({ seed: seedOf([]), requestsPerMinute: Infinity });
    const control = service.simulator.project(projectId);
    const accepted = (add: () => void) => {
      try {
        add();
      } catch (error) {
        assert.ok(error instanceof Error && /^(?:ServiceError|SeedError)$/.test(error.name));
      }
    };
    for (const name of [...parts, ...joined]) {
      accepted(() => {
        control.addCluster({ name, peering: true, createdAt: "2019-01-01" });
      });
    }
    for (const region of [...parts, ...joined]) {
      for (const regionalizedPrivateEndpoints of [false, true]) {
        accepted(() => {
          control.updateCluster("x", {
            privateEndpoints: [{ endpointId: region, region, index: 0 }],
            regionalizedPrivateEndpoints,
            type: "SHARDED",
          });
        });
        const hosts = await allHosts(projectId);
        assert.ok(hosts.length > 100);
        assert.equal(new Set(hosts).size, hosts.length, region);
      }
    }
  });
});
