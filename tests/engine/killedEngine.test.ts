import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import type { Simulator } from "clouddb-simulator";
import { projectId, settingsFor, startService } from "../service";
import { type TestStack, testStack } from "./stack";

/** The engine is killed, or interrupted, while the provider reads clusters for the guard. */
describe("an update whose engine goes away before the change is sent", () => {
  let service: Simulator;
  let tested: TestStack;
  let engine: ChildProcess;

  before(async () => {
    service = await startService();
  });
  after(() => service.stop());
  beforeEach(async () => {
    service.reset();
    tested = await testStack(
      `new clouddb.PrivateIpMode("mode", { projectId: "${projectId}", enabled: false });`,
      settingsFor(service),
    );
  });
  afterEach(() => {
    engine.kill("SIGKILL");
    tested.remove();
  });

  const project = () => service.project(projectId);
  const patches = () => service.requests.filter(({ method }) => method === "PATCH");
  /** Starts an update, and resolves while the guard's list of clusters takes three seconds. */
  const startUp = async () => {
    const listing = { path: /\/clusters$/, withCredentials: true };
    service.faults.push({ ...listing, delayMs: 0 }, { ...listing, delayMs: 3000 });
    const environment = { ...process.env, ...tested.environment };
    engine = spawn("pulumi", ["up", "--yes", "--skip-preview", "--stack", "test"], {
      cwd: tested.folder,
      env: environment,
      stdio: "ignore",
    });
    while (service.faults.pending.length > 0) await sleep(20);
  };

  it("changes nothing after a SIGKILL", async () => {
    await startUp();
    engine.kill("SIGKILL");
    await sleep(6000);
    assert.equal(patches().length, 0);
    assert.equal(project().privateIpMode.enabled, true);
    await tested.stack.cancel();
    await tested.stack.up();
    assert.equal(project().privateIpMode.enabled, false);
  });

  it("is completed by the next update after an interrupt", async () => {
    await startUp();
    engine.kill("SIGINT");
    await Promise.race([once(engine, "exit"), sleep(20_000)]);
    await tested.stack.up();
    assert.equal(project().privateIpMode.enabled, false);
    assert.equal(patches().length, 1);
  });
});
