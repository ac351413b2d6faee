import assert from "node:assert/strict";
import {
  type ClusterBody,
  clustersPath,
  type ErrorBody,
  json,
  type Link,
  type ListBody,
  pathOf,
} from "../client";
import { fiveClusters } from "../seeds";
import { useSimulator } from "../testService";

describe("rendering", () => {
  const service = useSimulator({ seed: fiveClusters, requestsPerMinute: Infinity }, "before");
  const list = async (query = "") =>
    json<ListBody<ClusterBody>>(await service.call(`${clustersPath}${query}`));
  const rels = (links: Link[]) => links.map(({ rel }) => rel);

  it("returns the count, the results and the links of a page [4.3, 4.5]", async () => {
    const first = await list("?itemsPerPage=2");
    assert.deepEqual(
      first.results.map(({ name }) => name),
      ["c0", "c1"],
    );
    assert.equal(first.totalCount, 5);
    assert.deepEqual(rels(first.links), ["self", "next"]);
  });

  it("links the pages of a list, and retains the query in the links [4.3]", async () => {
    const names: string[] = [];
    let path: string | undefined = `${clustersPath}?itemsPerPage=2&includeCount=false&pretty=true`;
    let last: ListBody<ClusterBody> | undefined;
    while (path !== undefined) {
      const response = await service.call(path);
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

  it("returns 200 without results beyond the last page and for an empty list [4.3 rule 1]", async () => {
    const beyond = await list("?pageNum=9");
    assert.deepEqual(beyond.results, []);
    assert.equal(beyond.totalCount, 5);
    const empty = service.simulator.addProject({
      id: "64a0c0ffee0000000000a009",
      name: "empty",
      organization: "acme",
    });
    const response = await service.call(`/groups/${empty.id}/clusters`);
    assert.equal(response.status, 200);
    assert.deepEqual(json<ListBody<unknown>>(response).results, []);
  });

  it("returns 404 for the list of a project that does not exist [4.3 rule 2, 2.1, 7.1]", async () => {
    const response = await service.call("/groups/64a0c0ffee000000000000ff/clusters");
    assert.equal(response.status, 404);
    assert.equal(json<ErrorBody>(response).errorCode, "GROUP_NOT_FOUND");
  });

  it("adds whitespace only if pretty is true, and never changes the value [4.2]", async () => {
    const plain = await service.call(`${clustersPath}/c0`);
    const pretty = await service.call(`${clustersPath}/c0?pretty=true`);
    assert.ok(!plain.text.includes("\n"));
    assert.match(pretty.text, /^\{\n {2}"/);
    assert.deepEqual(json(pretty), json(plain));
  });

  it("wraps an entity with its status in an envelope, and adds the status to a list [4.4]", async () => {
    const entity = await service.call(`${clustersPath}/c0`);
    const wrapped = await service.call(`${clustersPath}/c0?envelope=true`);
    assert.equal(wrapped.status, 200);
    assert.deepEqual(json(wrapped), { status: 200, content: json(entity) });
    const inEnvelope = await list("?envelope=true");
    assert.equal(inEnvelope.status, 200);
    assert.equal(inEnvelope.results.length, 5);
    assert.ok(!("status" in (await list())));
  });
});
