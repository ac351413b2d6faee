import assert from "node:assert/strict";
import { clustersPath, type ErrorBody, json, modePath } from "../client";
import { fiveClusters } from "../seeds";
import { useSimulator } from "../testService";

describe("an unsupported method", () => {
  const service = useSimulator({ seed: fiveClusters, requestsPerMinute: Infinity }, "before");

  it("returns 405 with the supported methods in Allow [4.1, 7.1]", async () => {
    const expected: [string, string, string][] = [
      ["DELETE", "", "HEAD, GET"],
      ["PUT", clustersPath, "HEAD, GET, POST"],
      ["POST", `${clustersPath}/c0`, "HEAD, GET, PATCH, PUT, DELETE"],
      ["PUT", modePath, "HEAD, GET, PATCH"],
      ["OPTIONS", clustersPath, "HEAD, GET, POST"],
      ["PROPFIND", clustersPath, "HEAD, GET, POST"],
    ];
    for (const [method, path, allow] of expected) {
      const response = await service.call(path, { method });
      assert.equal(response.status, 405, `${method} ${path}`);
      assert.equal(response.headers.allow, allow);
      assert.equal(json<ErrorBody>(response).errorCode, "METHOD_NOT_ALLOWED");
    }
  });
});
