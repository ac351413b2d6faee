/** Updates whose engine or provider process ends, in real processes. quality/soak kills at random points. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { waitWhileRunning } from "../command";
import { projectId } from "../service";
import type { TestStack } from "./stack";
import { useStack } from "./useStack";

const program = (enabled: boolean) =>
  `new clouddb.PrivateIpMode("mode", { projectId: "${projectId}", enabled: ${enabled}, onDelete: "restore" });`;

describe("an update in real processes", () => {
  const { service, createStack, run } = useStack();
  const isEnabled = () => service.project().privateIpMode.enabled;

  /** Starts an update, and returns while the service delays the matching response. */
  const startUp = async (tested: TestStack, delayed: object, delayMs: number) => {
    const faults = [{ ...delayed, withCredentials: true, delayMs }];
    // The first list of clusters is that of `check`.
    if ("path" in delayed) faults.unshift({ ...delayed, withCredentials: true, delayMs: 0 });
    service.faults.push(...faults);
    const engine = run(tested, "pulumi", ["up", "--yes", "--skip-preview", "--stack", "test"]);
    await waitWhileRunning(engine, () => service.faults.pending.length === 0);
    return engine;
  };
  const listing = { path: /\/clusters$/ };

  it("changes nothing after a SIGKILL of the engine before the change, and can be repeated", async () => {
    const tested = await createStack(program(false));
    const engine = await startUp(tested, listing, 3000);
    engine.kill("SIGKILL");
    await sleep(4000);
    assert.equal(service.patches().length, 0);
    assert.ok(isEnabled());
    await tested.stack.cancel();
    await tested.stack.up();
    assert.ok(!isEnabled());
  });

  it("is completed by the next update after an interrupt", async () => {
    const tested = await createStack(program(false));
    const engine = await startUp(tested, listing, 3000);
    engine.kill("SIGINT");
    await Promise.race([engine.result, sleep(20_000)]);
    await tested.stack.up();
    assert.ok(!isEnabled());
    assert.equal(service.patches().length, 1);
  });

  it("keeps the value at adoption if the provider is killed after the change, and the next update succeeds", async () => {
    const tested = await createStack(program(true));
    await tested.stack.up();
    tested.program(program(false));
    const { envVars } = tested.stack.workspace;
    envVars["NODE_OPTIONS"] = `--require ${JSON.stringify(join(__dirname, "killAt.cjs"))}`;
    envVars["KILL_AT"] = String(12);
    assert.match(await tested.failure(tested.stack.up()), /error: /);
    delete envVars["NODE_OPTIONS"];
    assert.ok(!isEnabled());

    await tested.stack.up();
    assert.equal(service.patches().length, 1);
    await tested.stack.destroy();
    assert.ok(isEnabled());
  });

  it("locks the stack, so that a second update is refused", async () => {
    const tested = await createStack(program(false));
    const first = await startUp(tested, { method: "PATCH" }, 6000);
    const args = ["up", "--yes", "--skip-preview", "--stack", "test"];
    const second = await run(tested, "pulumi", args).result;
    assert.notEqual(second.code, 0);
    assert.match(second.stderr + second.stdout, /the stack is currently locked/);
    assert.equal((await first.result).code, 0);
    assert.ok(!isEnabled());
    assert.equal(service.patches().length, 1);
  });
});
