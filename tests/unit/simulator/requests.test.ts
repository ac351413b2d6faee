import assert from "node:assert/strict";
import type { Link } from "../../../simulator/src/api/entities";
import { operations } from "../../../simulator/src/operations/operations";
import { useOwnServices, useService } from "../../support/service";
import {
  type ClusterBody,
  type ListBody,
  type Service,
  call,
  clustersPath,
  json,
  modePath,
  patch,
  pathOf,
  projectId,
} from "./client";
import { check, readTable } from "./requestTable";
import { credentialsSeed, fiveClusters, otherProjectId, seedOf, shardedCluster } from "./seeds";

describe("the table of requests", () => {
  const service = useService(credentialsSeed, { control: true });
  const start = useOwnServices();
  for (const { subject, title, settings, lines } of readTable()) {
    it(`${subject}: ${title}`, async () => {
      const control = true;
      const own = settings && (await start(credentialsSeed, { control, ...settings }));
      for (const line of lines) await check(own ?? service, line);
    });
  }

  it("has every operation in the request log, by a name of its own", () => {
    const names = new Set(operations.map(({ name }) => name));
    assert.equal(names.size, operations.length);
    for (const name of names)
      assert.match(name, /^(?:get|list|create|update|replace|delete)[A-Z]\w+$/);
  });
});

describe("links", () => {
  const service = useService(fiveClusters);
  const rels = (links: Link[]) => links.map(({ rel }) => rel);

  it("lead through the pages of a list, with their count, and retain the query [4.3, 4.5]", async () => {
    const first = json<ListBody<ClusterBody>>(
      await call(service, `${clustersPath}?itemsPerPage=2&unknown=x`),
    );
    assert.equal(first.totalCount, 5);
    assert.deepEqual(rels(first.links), ["self", "next"]);
    const second = json<ListBody<ClusterBody>>(
      await call(service, `${clustersPath}?itemsPerPage=2&pageNum=2`),
    );
    const numbers = second.links.map(({ rel, href }) => [
      rel,
      new URL(href).searchParams.get("pageNum"),
    ]);
    assert.deepEqual(numbers, [
      ["self", "2"],
      ["previous", "1"],
      ["next", "3"],
    ]);
    const names: string[] = [];
    let path: string | undefined = `${clustersPath}?itemsPerPage=2&includeCount=false&pretty=true`;
    let last: ListBody<ClusterBody> | undefined;
    while (path !== undefined) {
      const response = await call(service, path);
      assert.match(response.text, /\n/);
      last = json<ListBody<ClusterBody>>(response);
      assert.ok(!("totalCount" in last));
      names.push(...last.results.map(({ name }) => name));
      const next: Link | undefined = last.links.find(({ rel }) => rel === "next");
      path = next && pathOf(next);
    }
    assert.deepEqual(names, ["c0", "c1", "c2", "c3", "c4"]);
    assert.deepEqual(rels(last?.links ?? []), ["self", "previous"]);
  });

  it("lead from the root to every resource, and from each entity to itself, all as JSON [1 rule 4, 1 rule 5, 2.4, 4.5, 9 rule 2]", async () => {
    const seen = new Set<string>();
    const visit = async (path: string): Promise<void> => {
      if (seen.has(path)) return;
      seen.add(path);
      const response = await call(service, path);
      assert.equal(response.status, 200, path);
      assert.match(String(response.headers["content-type"]), /^application\/json/);
      const body = json<{ links: Link[]; results?: { links: Link[] }[] }>(response);
      assert.equal(pathOf(body.links.find(({ rel }) => rel === "self")), path);
      for (const linked of [body, ...(body.results ?? [])]) {
        for (const link of linked.links) await visit(pathOf(link));
      }
    };
    await visit("");
    for (const path of [
      "/groups",
      `/groups/${projectId}`,
      clustersPath,
      `${clustersPath}/c0`,
      modePath,
    ]) {
      assert.ok(seen.has(path), path);
    }
  });
});

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
