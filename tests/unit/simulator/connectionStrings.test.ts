import assert from "node:assert/strict";
import { type ClusterBody, type ListBody, clustersPath, json, projectId } from "./client";
import { otherProjectId, seedOf, shardedCluster } from "./seeds";
import { useSimulator } from "./testService";

describe("host names", () => {
  const service = useSimulator({ seed: {} }, "test");
  /** Returns the hosts in the strings of all clusters of a project, each host once per cluster. */
  const hostsIn = async (id: string): Promise<string[]> => {
    const path = `/groups/${id}/clusters?itemsPerPage=500`;
    const { results } = json<ListBody<ClusterBody>>(await service.call(path));
    return results.flatMap(({ connectionStrings }) => {
      const uris = JSON.stringify(connectionStrings).matchAll(/:\/\/([^"/]+)/g);
      const hosts = [...uris].flatMap(([, authority = ""]) => authority.split(","));
      return [...new Set(hosts.map((host) => host.replace(/:\d+$/, "")))];
    });
  };
  const assertUnique = (hosts: string[], message?: string) => {
    assert.equal(new Set(hosts).size, hosts.length, message);
  };

  it("are one for each node, also of 40 shards [1 rule 8]", async () => {
    await service.start({ seed: seedOf([{ ...shardedCluster, shards: 40 }]) });
    const nodes = async () => {
      const response = await service.call(`${clustersPath}/analytics`);
      const { standard = "" } = json<ClusterBody>(response).connectionStrings;
      return [...standard.matchAll(/shard-(\d\d-\d\d)\./g)].map(([, node]) => node);
    };
    const all = await nodes();
    assert.deepEqual([all.length, new Set(all).size, all.at(-1)], [120, 120, "01-19"]);
    await service.patch(`${clustersPath}/analytics`, { numShards: 1 });
    assert.deepEqual(await nodes(), ["00-00", "00-01", "00-02"]);
  });

  it("are unique across the service [1 rule 8]", async () => {
    const seed = seedOf([
      { name: "orders", peering: true, createdAt: "2019-01-01" },
      shardedCluster,
      { ...shardedCluster, name: "more", regionalizedPrivateEndpoints: true },
    ]);
    const clusters = seed.projects?.[0]?.clusters ?? [];
    seed.projects?.push({ id: otherProjectId, name: "again", organization: "acme", clusters });
    await service.start({ seed });
    const hosts = [...(await hostsIn(projectId)), ...(await hostsIn(otherProjectId))];
    assert.ok(hosts.length > 30);
    assertUnique(hosts);
  });

  it("are unique for every combination of odd names and regions that the API accepts [1 rule 8]", async () => {
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
        const hosts = await hostsIn(projectId);
        assert.ok(hosts.length > 100);
        assertUnique(hosts, region);
      }
    }
  });
});
