import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import { disableRefusal } from "../../../provider/src/privateIpMode/guard";
import { type Handler, isFirstPage, sendJson, withDigest } from "../../support/foreignService";
import { errorOf, useForeignClient } from "./testClient";

/** The clusters or the error that the service sends for a path. */
type Response = readonly object[] | { readonly status: number; readonly errorCode?: string };

/** Sends the page of a list that has all its records on the first one. */
function sendList(
  response: ServerResponse,
  path: string,
  results: readonly object[],
  totalCount = results.length,
) {
  sendJson(response, 200, { results: isFirstPage(path) ? results : [], totalCount });
}

/** A service with a response for each path below the project. */
function serviceWith(responses: Readonly<Record<string, Response>>): Handler {
  return withDigest(({ path }, response) => {
    const answer = responses[/\/([^/?]+)(?:\?.*)?$/.exec(path)?.[1] ?? ""];
    assert.ok(answer !== undefined, `${path} was requested`);
    if ("status" in answer) sendJson(response, answer.status, answer);
    else sendList(response, path, answer);
  });
}

const orders = { id: "1", name: "orders", dbVersion: "8.0.4" };
const small = { id: "2", name: "small", dbVersion: "6.0.9" };
const missing = { status: 404, errorCode: "RESOURCE_NOT_FOUND" };

describe("the paths that list clusters", () => {
  const foreign = useForeignClient();

  const clusterPaths = ["clusters", "flexClusters"];
  async function list(responses: Readonly<Record<string, Response>>) {
    const client = await foreign.clientOf(serviceWith(responses), { clusterPaths });
    return await client.verifyClusters("p");
  }
  const namesIn = ({ clusters }: Awaited<ReturnType<typeof list>>) =>
    clusters.map(({ name }) => name);

  it("are all read, so that the guard checks the clusters of each", async () => {
    const found = await list({ clusters: [orders], flexClusters: [small] });
    assert.deepEqual(namesIn(found), ["orders", "small"]);
    assert.deepEqual(found.paths, ["clusters", "flexClusters"]);
    assert.match(disableRefusal("p", found) ?? "", /1 of its 2 clusters[^]*small {2}6\.0\.9/);
  });

  it("are read up to the count for a lookup, and until a page is empty and again without parameters to verify the list", async () => {
    const client = await foreign.clientOf(serviceWith({ clusters: [orders] }));
    const pages = () =>
      foreign.requests.map(({ path }) => /pageNum=(\d+)/.exec(path)?.[1] ?? "none");
    await client.listClusters("p");
    // The first request of the client gets the challenge.
    assert.deepEqual(pages(), ["1", "1"]);
    await client.verifyClusters("p");
    assert.deepEqual(pages(), ["1", "1", "1", "2", "none"]);
  });

  it("are read from the last to the first, because clusters move towards the first", async () => {
    await list({ clusters: [], flexClusters: [] });
    const paths = foreign.requests.map(({ path }) => path.replace(/\?.*/, ""));
    assert.match(paths.at(0) ?? "", /flexClusters$/);
    assert.match(paths.at(-1) ?? "", /\/clusters$/);
  });

  it("make the list incomplete if one of their lists is", async () => {
    const handler: Handler = withDigest(({ path }, response) => {
      const totalCount = path.includes("flexClusters") ? 2 : 1;
      sendList(response, path, [orders], totalCount);
    });
    const found = await (await foreign.clientOf(handler, { clusterPaths })).verifyClusters("p");
    assert.match(
      found.gap?.reason ?? "",
      /^flexClusters: 1 item was read, but the service reports a total of 2$/,
    );
  });

  it("must all exist", async () => {
    for (const response of [missing, { status: 410 }, { status: 405, errorCode: "X" }]) {
      const { message, code } = await errorOf(list({ clusters: [orders], flexClusters: response }));
      assert.match(message, /path flexClusters\. Remove it from clouddb:clusterPaths\. \(.*flexC/);
      assert.equal(code, "settings");
    }
  });

  it("are not named if the first one does not exist either, because the project or the address is wrong", async () => {
    for (const response of [missing, { status: 404, errorCode: "GROUP_NOT_FOUND" }]) {
      const { message, code, path } = await errorOf(
        list({ clusters: response, flexClusters: response }),
      );
      assert.match(message, /Check the project ID/);
      assert.deepEqual([code, /\w+$/.exec(path)?.[0]], ["not-found", "clusters"]);
    }
  });

  it("may list one cluster twice, as after an upgrade: the guard judges both records, and the first path decides for lookups", async () => {
    const same = await list({ clusters: [small], flexClusters: [small] });
    assert.deepEqual([namesIn(same), same.records.length], [["small"], 1]);
    const connectionStrings = { standardSrv: "db+srv://small.ab1cd.db.example" };
    const upgraded = { ...small, dbVersion: "8.0.4", connectionStrings };
    for (const [clusters, flexClusters, expected] of [
      [upgraded, small, connectionStrings],
      [small, upgraded, undefined],
    ] as const) {
      const differing = await list({ clusters: [clusters], flexClusters: [flexClusters] });
      assert.deepEqual(namesIn(differing), ["small"]);
      assert.deepEqual(differing.clusters[0]?.connectionStrings, expected);
      assert.match(
        disableRefusal("p", differing) ?? "",
        /its only cluster does not [^]*small {2}6\.0\.9/,
      );
    }
  });

  it("distinguish two clusters with the same name, and records without an ID", async () => {
    const { id, ...withoutId } = orders;
    for (const other of [{ ...orders, id: `${id}0` }, withoutId]) {
      assert.deepEqual(namesIn(await list({ clusters: [orders], flexClusters: [other] })), [
        "orders",
        "orders",
      ]);
    }
    const renamed = { ...orders, name: "renamed" };
    const found = await list({ clusters: [renamed], flexClusters: [orders] });
    assert.deepEqual(namesIn(found), ["renamed", "orders"]);
  });
});
