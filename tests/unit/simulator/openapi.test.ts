import assert from "node:assert/strict";
import { validate } from "@apidevtools/swagger-parser";
import { type Simulator, startSimulator } from "../../../simulator/src";
import { json, send } from "./client";
import { seedOf } from "./seeds";

describe("the OpenAPI document", function () {
  this.timeout(30_000);
  let simulator: Simulator;
  before(async () => {
    simulator = await startSimulator({ seed: seedOf([]), fieldPrefix: "engine" });
  });
  after(() => simulator.stop());

  it("is valid OpenAPI 3.1", async () => {
    const response = await send(simulator, "/openapi.json");
    assert.equal(response.status, 200);
    const document = json<{ openapi: string; servers: { url: string }[] }>(response);
    assert.equal(document.openapi, "3.1.0");
    assert.deepEqual(document.servers, [{ url: simulator.url }]);
    await validate(json<Parameters<typeof validate>[0]>(response));
  });

  it("uses the configured names of the version fields", async () => {
    const { text } = await send(simulator, "/openapi.json");
    assert.ok(text.includes("engineMajorVersion") && !text.includes("dbMajorVersion"));
  });
});
