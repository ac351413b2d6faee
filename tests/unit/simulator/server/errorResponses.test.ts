import assert from "node:assert/strict";
import { apiPath, clustersPath, type ErrorBody, json } from "../client";
import { fiveClusters } from "../seeds";
import { useSimulator } from "../testService";

describe("an error response", () => {
  const service = useSimulator({ seed: fiveClusters, requestsPerMinute: Infinity }, "before");

  it("has exactly five fields, with the reason phrase of the status [7.2, 1 rule 4]", async () => {
    const responses = [
      await service.send(apiPath),
      await service.call("/nothing/here"),
      await service.call("", { method: "DELETE" }),
      await service.call("?x=1"),
      await service.call("/groups", { method: "POST", json: {} }),
      await service.send("/%zz"),
    ];
    for (const response of responses) {
      const body = json<ErrorBody>(response);
      assert.deepEqual(Object.keys(body).sort(), [
        "detail",
        "error",
        "errorCode",
        "parameters",
        "reason",
      ]);
      assert.equal(body.error, response.status);
      assert.ok(Array.isArray(body.parameters));
      assert.match(String(response.headers["content-type"]), /^application\/json/);
    }
    assert.deepEqual(
      responses.map((response) => json<ErrorBody>(response).reason),
      [
        "Unauthorized",
        "Not Found",
        "Method Not Allowed",
        "Bad Request",
        "Bad Request",
        "Bad Request",
      ],
    );
  });

  it("contains the requested path of a missing resource in its parameters [7.2]", async () => {
    const missingProject = "/groups/64a0c0ffee000000000000ff";
    for (const path of [
      "/no/such/thing",
      missingProject,
      `${missingProject}/clusters`,
      `${missingProject}/clusters/c0`,
      `${clustersPath}/missing`,
      `${clustersPath}/%6dissing`,
    ]) {
      const response = await service.call(`${path}?pretty=true`);
      assert.equal(response.status, 404);
      assert.deepEqual(json<ErrorBody>(response).parameters, [`${apiPath}${path}`]);
    }
  });
});
