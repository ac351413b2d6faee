import assert from "node:assert/strict";
import type { Link } from "../../../simulator/src/api/entities";
import { operations } from "../../../simulator/src/operations/operations";
import { useOwnServices, useService } from "../../support/service";
import {
  type ClusterBody,
  type ListBody,
  call,
  clustersPath,
  json,
  modePath,
  pathOf,
  projectId,
} from "./client";
import { check, readTable } from "./requestTable";
import { credentialsSeed, fiveClusters } from "./seeds";

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
