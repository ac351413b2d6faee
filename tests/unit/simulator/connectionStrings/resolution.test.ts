import assert from "node:assert/strict";
import type { SeedCluster, Vantage } from "../../../../simulator/src";
import { type ClusterBody, clustersPath, json, modePath } from "../client";
import { seedOf, shardedCluster } from "../seeds";
import { useSimulator } from "../testService";

describe("name resolution", () => {
  const service = useSimulator({ seed: {} }, "test");
  const start = (clusters: SeedCluster[], privateIpMode = false) =>
    service.start({
      seed: seedOf(clusters, { label: "ab1cd", privateIpMode: { enabled: privateIpMode } }),
    });
  const strings = async (name: string) =>
    json<ClusterBody>(await service.call(`${clustersPath}/${name}`)).connectionStrings;
  const access = async (
    name: string,
    kind: "standardSrv" | "privateSrv" | "legacySrv",
    from: Vantage,
  ) => service.simulator.resolve((await strings(name))[kind] ?? "", from)?.access;

  it("resolves standard strings to public addresses from the Internet, and to private ones in a network peered with provider A [2.6 standard, 2.6 peering-private]", async () => {
    await start([
      { name: "a", peering: true },
      { name: "b", peering: true, provider: "B" },
    ]);
    assert.equal(await access("a", "standardSrv", "internet"), "public");
    assert.equal(await access("a", "standardSrv", "peeredNetwork"), "private");
    assert.equal(await access("b", "standardSrv", "peeredNetwork"), "public");
    assert.equal(await access("b", "privateSrv", "peeredNetwork"), "private");
    const { standard = "" } = await strings("a");
    const addresses = service.simulator.resolve(standard)?.addresses ?? [];
    assert.equal(addresses.length, 3);
    for (const address of addresses) assert.match(address, /^203\.0\.113\./);
  });

  it("resolves legacy strings to private addresses if private IP mode is enabled, otherwise to public ones [2.6 legacy, 3]", async () => {
    await start([{ name: "old", createdAt: "2019-01-01", version: "7.0.0" }], true);
    assert.equal(await access("old", "legacySrv", "internet"), "private");
    await service.call(modePath, {
      method: "PATCH",
      json: { enabled: false },
    });
    assert.equal(await access("old", "legacySrv", "internet"), "public");
  });

  it("resolves private endpoint strings to private addresses, and returns undefined for unknown names [2.6 private endpoint]", async () => {
    await start([shardedCluster]);
    const [entry] = (await strings("analytics")).privateEndpoint ?? [];
    assert.equal(service.simulator.resolve(entry?.connectionString ?? "")?.access, "private");
    assert.equal(service.simulator.resolve("nowhere.example"), undefined);
  });
});
