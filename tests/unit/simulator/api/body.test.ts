import assert from "node:assert/strict";
import { clustersPath, type ErrorBody, json, modePath } from "../client";
import { fiveClusters } from "../seeds";
import { useSimulator } from "../testService";

describe("a request body", () => {
  const service = useSimulator({ seed: fiveClusters, requestsPerMinute: Infinity }, "before");

  it("is rejected with 400 if its content type is not JSON or it is not a valid object [4.1]", async () => {
    const requests: [string, string][] = [
      ["POST", clustersPath],
      ["PUT", `${clustersPath}/c0`],
      ["PATCH", `${clustersPath}/c0`],
      ["PATCH", modePath],
    ];
    for (const [method, path] of requests) {
      for (const type of [
        undefined,
        "text/plain",
        "application/x-www-form-urlencoded",
        "nonsense",
      ]) {
        const headers: Record<string, string> = type === undefined ? {} : { "content-type": type };
        const response = await service.call(path, { method, headers, body: "{}" });
        assert.equal(response.status, 400, `${method} ${type}`);
      }
      for (const body of ["", "{", "nothing"]) {
        const headers = { "content-type": "application/json" };
        const response = await service.call(path, { method, headers, body });
        assert.equal(json<ErrorBody>(response).errorCode, "MALFORMED_JSON");
      }
      for (const value of [[], null, 3, "x"]) {
        const response = await service.call(path, { method, json: value });
        assert.equal(json<ErrorBody>(response).errorCode, "INVALID_ATTRIBUTE");
      }
    }
  });
});
