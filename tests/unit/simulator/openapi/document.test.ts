import assert from "node:assert/strict";
import { validate } from "@apidevtools/swagger-parser";
import { json } from "../client";
import { seedOf } from "../seeds";
import { useSimulator } from "../testService";

describe("the OpenAPI document", () => {
  const service = useSimulator({ seed: seedOf([]), fieldPrefix: "engine" }, "before");

  it("is valid OpenAPI 3.1", async () => {
    const response = await service.send("/openapi.json");
    assert.equal(response.status, 200);
    const document = json<{ openapi: string; servers: { url: string }[] }>(response);
    assert.equal(document.openapi, "3.1.0");
    assert.deepEqual(document.servers, [{ url: service.simulator.url }]);
    await validate(json<Parameters<typeof validate>[0]>(response));
  });

  it("uses the configured names of the version fields", async () => {
    const { text } = await service.send("/openapi.json");
    assert.ok(text.includes("engineMajorVersion") && !text.includes("dbMajorVersion"));
  });
});
