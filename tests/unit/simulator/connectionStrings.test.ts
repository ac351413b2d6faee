import assert from "node:assert/strict";
import { useOwnServices } from "../../support/service";
import {
  type ClusterBody,
  type ListBody,
  type Service,
  call,
  clustersPath,
  json,
  patch,
  projectId,
} from "./client";
import { otherProjectId, seedOf, shardedCluster } from "./seeds";

describe("host names", () => {
  const start = useOwnServices();
  /** Returns the hosts in the strings of all clusters of a project, each host once per cluster. */
  const hostsIn = async (service: Service, id: string): Promise<string[]> => {
    const path = `/groups/${id}/clusters?itemsPerPage=500`;
    const { results } = json<ListBody<ClusterBody>>(await call(service, path));
    return results.flatMap(({ connectionStrings }) => {
      const uris = JSON.stringify(connectionStrings).matchAll(/:\/\/([^"/]+)/g);
      const hosts = [...uris].flatMap(([, authority = ""]) => authority.split(","));
      return [...new Set(hosts.map((host) => host.replace(/:\d+$/, "")))];
    });
  };

  it("include one for each node, even with 40 shards [1 rule 8]", async () => {
    const service = await start(seedOf([{ ...shardedCluster, shards: 40 }]));
    const nodes = async () => {
      const response = await call(service, `${clustersPath}/analytics`);
      const { standard = "" } = json<ClusterBody>(response).connectionStrings;
      return [...standard.matchAll(/shard-(\d\d-\d\d)\./g)].map(([, node]) => node);
    };
    const all = await nodes();
    assert.deepEqual([all.length, new Set(all).size, all.at(-1)], [120, 120, "01-19"]);
    await patch(service, `${clustersPath}/analytics`, { numShards: 1 });
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
    const service = await start(seed);
    const hosts = [
      ...(await hostsIn(service, projectId)),
      ...(await hostsIn(service, otherProjectId)),
    ];
    assert.ok(hosts.length > 30);
    assert.equal(new Set(hosts).size, hosts.length);
  });

  it("contain a label that no other project has, even if the label of a seed is the one that would be derived [1 rule 8]", async () => {
    const labelIn = async (service: Service) => {
      const [host = ""] = await hostsIn(service, projectId);
      return host.split(".")[1];
    };
    const derived = await labelIn(await start(seedOf([{ name: "orders" }])));
    const seed = seedOf([{ name: "orders" }]);
    seed.projects?.unshift({
      id: otherProjectId,
      name: "again",
      organization: "acme",
      label: derived,
    });
    const other = await labelIn(await start(seed));
    assert.ok(derived && other && other !== derived);
  });
});
