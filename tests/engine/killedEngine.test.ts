import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { waitWhileRunning } from "../command";
import { projectId } from "../service";
import type { TestStack } from "./stack";
import { useStack } from "./useStack";

/** The engine is killed or interrupted while the provider reads clusters for the guard. */
describe("an update whose engine ends before the change is sent", () => {
  const { service, createStack, run } = useStack();
  let tested: TestStack;

  beforeEach(async () => {
    tested = await createStack(
      `new clouddb.PrivateIpMode("mode", { projectId: "${projectId}", enabled: false });`,
    );
  });

  /**
   * Starts an update, and returns while the guard waits 3 s for the list of clusters. Fails if the engine
   * ends earlier.
   */
  const startUp = async () => {
    const listing = { path: /\/clusters$/, withCredentials: true };
    service.faults.push({ ...listing, delayMs: 0 }, { ...listing, delayMs: 3000 });
    const engine = run(tested, "pulumi", ["up", "--yes", "--skip-preview", "--stack", "test"]);
    await waitWhileRunning(engine, () => service.faults.pending.length === 0);
    return engine;
  };

  it("changes nothing after a SIGKILL, and can be repeated", async () => {
    const engine = await startUp();
    engine.kill("SIGKILL");
    await sleep(6000);
    assert.equal(service.patches().length, 0);
    assert.equal(service.project().privateIpMode.enabled, true);
    await tested.stack.cancel();
    await tested.stack.up();
    assert.equal(service.project().privateIpMode.enabled, false);
  });

  it("is completed by the next update after an interrupt", async () => {
    const engine = await startUp();
    engine.kill("SIGINT");
    await Promise.race([engine.result, sleep(20_000)]);
    await tested.stack.up();
    assert.equal(service.project().privateIpMode.enabled, false);
    assert.equal(service.patches().length, 1);
  });
});
