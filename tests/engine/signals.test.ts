/** Ends all processes of an update while a change of the mode is pending, as the shutdown of a machine does. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { programOf, readState } from "../../quality/kills/stacks";
import { canListProcesses, processesWith } from "../../scripts/markedProcesses.cjs";
import { waitWhileRunning } from "../support/command";
import { settingsFor } from "../support/service";
import { useStack } from "./useStack";

describe("SIGTERM to all processes of an update that changes the mode", () => {
  const { service, createStack, run } = useStack();

  before("list processes", function () {
    if (!canListProcesses) this.skip();
  });

  interface Case {
    readonly kind: "dynamic" | "plugin";
    readonly hasGet: boolean;
    /** How long the service takes to answer. */
    readonly delayMs: number;
  }

  /** Ends an update while its PATCH is pending. Returns its stack. */
  async function end({ kind, hasGet, delayMs }: Case) {
    const mark = randomUUID();
    const tested = await createStack(programOf(kind, true), {
      environment: { ...settingsFor(service), ENDED_STACK: mark },
      usesPackedPlugin: kind === "plugin",
    });
    const get = { method: "GET", path: /privateIpMode$/, withCredentials: true, times: Infinity };
    if (!hasGet) service.faults.push({ ...get, status: 405 });
    await tested.stack.up();
    tested.program(programOf(kind, false));
    service.faults.push({ method: "PATCH", withCredentials: true, delayMs });
    const args = ["up", "--yes", "--skip-preview", "--non-interactive", "--stack", "test"];
    const sent = service.patches().length;
    const update = run(tested, "pulumi", args);
    await waitWhileRunning(update, () => service.patches().length > sent);
    for (const { pid } of processesWith(mark)) process.kill(pid, "SIGTERM");
    const { code, stdout, stderr } = await update.result;
    assert.notEqual(code, 0);
    return { stack: tested.stack, output: stdout + stderr };
  }

  it("records what the service confirms within 4 s", async () => {
    const { stack } = await end({ kind: "dynamic", hasGet: false, delayMs: 1500 });
    assert.equal(service.project().privateIpMode.enabled, false);
    assert.equal((await readState(stack)).mode, false);
  });

  for (const kind of ["dynamic", "plugin"] as const) {
    it(`records that the mode is unknown without an answer and without a GET, so the next update sends it again, with the ${kind} provider`, async () => {
      const { stack, output } = await end({ kind, hasGet: false, delayMs: 60_000 });
      assert.match(output, /may or may not have been disabled/);
      const { mode, pendingOperations } = await readState(stack);
      assert.deepEqual([mode, pendingOperations], [undefined, 0]);
      assert.equal((await stack.preview()).changeSummary["update"], 1);
      const sent = service.patches().length;
      await stack.up();
      assert.equal(service.patches().length, sent + 1);
      assert.equal((await readState(stack)).mode, false);
    });
  }

  it("leaves the state as it was without an answer if there is a GET, which the next preview reads", async () => {
    const { stack } = await end({ kind: "dynamic", hasGet: true, delayMs: 60_000 });
    assert.equal((await readState(stack)).mode, true);
    // The service applies the change after the process ended.
    service.project().setPrivateIpMode(false);
    const { stdout } = await stack.preview();
    assert.match(stdout, /is off, which differs from what is recorded.* This update only records/);
  });
});
