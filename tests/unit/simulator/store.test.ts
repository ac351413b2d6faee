import assert from "node:assert/strict";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Seed, StateFileError } from "../../../simulator/src";
import { temporaryFolder, useCleanup } from "../../support/cleanup";
import { useOwnServices } from "../../support/service";
import {
  type ErrorBody,
  call,
  clustersPath,
  json,
  modePath,
  patch,
  projectId,
  send,
} from "./client";
import { seedOf } from "./seeds";

const defaultSeed: Seed = seedOf(
  [
    { name: "orders", createdAt: "2019-01-01", peering: true },
    { name: "b", privateEndpoints: [{ endpointId: "vpce-1", region: "us-east-1" }] },
  ],
  { privateIpMode: { enabled: true } },
);

describe("the state file", () => {
  const startService = useOwnServices();
  const cleanup = useCleanup("test");
  let folder: string;
  let stateFile: string;
  beforeEach(() => {
    folder = temporaryFolder(cleanup);
    stateFile = join(folder, "state.json");
  });
  const start = (seed = defaultSeed) => startService(seed, { stateFile, control: true });

  it("keeps every change between runs, including connection strings", async () => {
    const first = await start();
    await patch(first, modePath, { enabled: false });
    await call(first, clustersPath, { method: "POST", json: { name: "new" } });
    await patch(first, `${clustersPath}/b`, { paused: true });
    const before = first.project(projectId);
    const expected = { clusters: [...before.clusters], mode: before.privateIpMode };
    await first.stop();
    const { clusters, privateIpMode } = (await start()).project(projectId);
    assert.deepEqual({ clusters: [...clusters], mode: privateIpMode }, expected);
    assert.equal(clusters.length, 3);
  });

  it("contains a change before the response is sent, but no credentials, and leaves no temporary file", async () => {
    const service = await start();
    await call(service, `${clustersPath}/orders`, { method: "DELETE" });
    assert.doesNotMatch(readFileSync(stateFile, "utf8"), /2019-01-01/);
    const headers = { "content-type": "application/json" };
    const body = JSON.stringify({ version: "6.0.5" });
    const path = `/control/projects/${projectId}/clusters/b`;
    await send(service, path, { method: "PATCH", headers, body });
    const written = readFileSync(stateFile, "utf8");
    assert.match(written, /"6\.0\.5"/);
    assert.ok(!written.includes("demo"));
    assert.deepEqual(readdirSync(folder), ["state.json"]);
  });

  for (const [what, text] of [
    ["truncated", '{"format":"clouddb-simulator state, version 1","projects":[{'],
    ["not a state file", '{"version":3}'],
    ["invalid", '{"format":"clouddb-simulator state, version 1","projects":[{"id":"x"}]}'],
  ] as const) {
    it(`is rejected and not changed if it is ${what}`, async () => {
      writeFileSync(stateFile, text);
      await assert.rejects(
        start(),
        (error) =>
          error instanceof StateFileError &&
          error.message.includes(stateFile) &&
          error.message.includes("was not changed"),
      );
      assert.equal(readFileSync(stateFile, "utf8"), text);
    });
  }

  it("is rejected if the seed lacks the organization of a project", async () => {
    const service = await start();
    await patch(service, `${clustersPath}/b`, { paused: true });
    await service.stop();
    await assert.rejects(start({ organizations: [{ name: "other" }] }), /organization "acme"/);
  });

  it("causes a 500 for a change and an error without a stack trace if it cannot be written", async () => {
    stateFile = join(folder, "missing", "state.json");
    const service = await start();
    const printed: unknown[] = [];
    const printError = console.error;
    console.error = (error) => printed.push(error);
    try {
      const response = await patch(service, `${clustersPath}/b`, { paused: true });
      assert.equal(response.status, 500);
      assert.match(json<ErrorBody>(response).detail, /cannot be written/);
    } finally {
      console.error = printError;
    }
    assert.equal(printed.length, 1);
    assert.match(
      String(printed[0]),
      /^clouddb-simulator: The state file .* cannot be written: [^\n]*$/,
    );
  });
});
