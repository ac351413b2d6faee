import assert from "node:assert/strict";
import {
  type ClusterBody,
  clustersPath,
  type ErrorBody,
  json,
  type Link,
  type ListBody,
  modePath,
  pathOf,
  projectId,
} from "../client";
import { fiveClusters } from "../seeds";
import { useSimulator } from "../testService";

describe("documents", () => {
  const service = useSimulator({ seed: fiveClusters, requestsPerMinute: Infinity }, "before");
  const list = async (query = "") =>
    json<ListBody<ClusterBody>>(await service.call(`${clustersPath}${query}`));
  const rels = (links: Link[]) => links.map(({ rel }) => rel);

  it("links the root to every resource, and each entity to itself, all as JSON [1 rule 4, 1 rule 5, 2.4, 4.5, 9 rule 2]", async () => {
    const seen = new Set<string>();
    const visit = async (path: string): Promise<void> => {
      if (seen.has(path)) return;
      seen.add(path);
      const response = await service.call(path);
      assert.equal(response.status, 200, path);
      assert.match(String(response.headers["content-type"]), /^application\/json/);
      const body = json<{ links: Link[]; results?: { links: Link[] }[] }>(response);
      assert.equal(pathOf(body.links.find(({ rel }) => rel === "self")), path);
      for (const each of [body, ...(body.results ?? [])]) {
        for (const link of each.links) await visit(pathOf(link));
      }
    };
    await visit("");
    for (const path of [
      "",
      "/groups",
      `/groups/${projectId}`,
      clustersPath,
      `${clustersPath}/c0`,
      modePath,
    ]) {
      assert.ok(seen.has(path), path);
    }
  });

  it("links a list item to itself only, and an entity with prefixed relations [2.4]", async () => {
    for (const element of (await list()).results) assert.deepEqual(rels(element.links), ["self"]);
    const { links } = json<ClusterBody>(await service.call(`${clustersPath}/c0`));
    assert.ok(rels(links).some((rel) => rel.startsWith("https://")));
  });

  it("formats dates as ISO 8601 in UTC, including those sent with another time zone or none [2.5 dates]", async () => {
    assert.equal((await list()).results[0]?.createDate, "2024-05-01T10:00:00Z");
    const sent = [
      ["2124-05-01T12:00:00", "2124-05-01T12:00:00Z"],
      ["2124-05-01T12:00:00-05:00", "2124-05-01T17:00:00Z"],
      ["2124-05-01", "2124-05-01T00:00:00Z"],
      ["21240501T120000Z", "2124-05-01T12:00:00Z"],
      ["2124-05-01T12", "2124-05-01T12:00:00Z"],
      ["2124-05-01T12:00:00,5+02", "2124-05-01T10:00:00.500Z"],
      ["2124-05-01T24:00", "2124-05-02T00:00:00Z"],
      ["2124-05", "2124-05-01T00:00:00Z"],
      ["2124", "2124-01-01T00:00:00Z"],
      ["2124-W18-1T12:00-05:00", "2124-05-01T17:00:00Z"],
      ["2124W181", "2124-05-01T00:00:00Z"],
      ["2124-122", "2124-05-01T00:00:00Z"],
      ["+002124-05-01", "2124-05-01T00:00:00Z"],
    ] as const;
    for (const [deleteAfterDate, expected] of sent) {
      const response = await service.call(`${clustersPath}/c4`, {
        method: "PATCH",
        json: { deleteAfterDate },
      });
      assert.equal(json<ClusterBody>(response).deleteAfterDate, expected);
    }
    for (const deleteAfterDate of [
      "yesterday",
      "2124-02-30",
      "2124-W60",
      "2124-05-01T25:00:00Z",
      "2124-05-01T12:00:00+24:00",
      "2124-05-01T12:00:00Z[Europe/Berlin]",
      "12:00",
      "120045Z",
      "20-02",
      5,
    ]) {
      const response = await service.call(`${clustersPath}/c4`, {
        method: "PATCH",
        json: { deleteAfterDate },
      });
      assert.equal(response.status, 400);
      assert.deepEqual(json<ErrorBody>(response).parameters, ["deleteAfterDate"]);
    }
  });

  it("returns a default for an empty field, or omits it [2.5 empty fields]", async () => {
    const [cluster] = (await list()).results;
    assert.deepEqual(cluster?.privateEndpoints, []);
    assert.equal(cluster.paused, false);
    assert.ok(!("deleteAfterDate" in cluster));
  });

  it("includes the unit of a number in its field name [2.5 unit-bearing numbers]", async () => {
    assert.equal((await list()).results[0]?.diskSizeGB, 10);
  });

  it("returns the version as major.minor and as major.minor.patch [2.2]", async () => {
    const [cluster] = (await list()).results;
    assert.match(cluster?.dbMajorVersion ?? "", /^\d+\.\d+$/);
    assert.match(cluster?.dbVersion ?? "", /^\d+\.\d+\.\d+$/);
  });
});
