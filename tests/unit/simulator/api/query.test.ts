import assert from "node:assert/strict";
import { clustersPath, type ErrorBody, json, modePath, projectId } from "../client";
import { fiveClusters } from "../seeds";
import { useSimulator } from "../testService";

describe("query parameters", () => {
  const service = useSimulator({ seed: fiveClusters, requestsPerMinute: Infinity }, "before");

  it("accepts 1 to 500 items per page and page numbers from 1, and rejects other values with a 400 that names the parameter [4.3, 8 items]", async () => {
    assert.equal((await service.call(`${clustersPath}?itemsPerPage=500`)).status, 200);
    for (const query of [
      "itemsPerPage=501",
      "itemsPerPage=0",
      "itemsPerPage=ten",
      "itemsPerPage=",
      "itemsPerPage=1.5",
      "pageNum=0",
      "pageNum=-1",
      "pageNum=99999999999",
      "includeCount=yes",
      "includeCount=TRUE",
      "page=2",
      "pageNum=1&pageNum=2",
      "__proto__=1",
    ]) {
      const response = await service.call(`${clustersPath}?${query}`);
      assert.equal(response.status, 400, query);
      const body = json<ErrorBody>(response);
      assert.equal(body.errorCode, "INVALID_QUERY_PARAMETER");
      assert.deepEqual(body.parameters, [query.split("=")[0]]);
    }
  });

  it("accepts pretty and envelope as booleans on every request [4.2]", async () => {
    const paths = ["", "/groups", `/groups/${projectId}`, clustersPath, modePath];
    for (const path of paths) {
      assert.equal((await service.call(`${path}?pretty=true&envelope=true`)).status, 200);
      assert.equal((await service.call(`${path}?pretty=1`)).status, 400);
      assert.equal((await service.call(`${path}?envelop=true`)).status, 400);
    }
    assert.equal((await service.call(`/groups/${projectId}?pageNum=1`)).status, 400);
  });
});
