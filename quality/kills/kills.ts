/** Kills processes of updates at random points, and recovers the stacks. */
import { randomUUID } from "node:crypto";
import type { Stack } from "@pulumi/pulumi/automation";
import { startSimulator } from "clouddb-simulator";
import fc from "fast-check";
import { endProcess, endProcessesWith, processesWith } from "../../scripts/markedProcesses.cjs";
import type { Cleanup } from "../../tests/support/cleanup";
import { startCommand } from "../../tests/support/command";
import { projectId, quickstartSeed, settingsFor } from "../../tests/support/service";
import { withReleases } from "../releases";
import { log } from "../log";
import { changesIn, createStack, readState, waitUntil } from "./stacks";

/** The processes that are killed, and their commands. */
const commandOf = {
  provider: /cmd\/dynamic-provider/,
  "language host": /\/pulumi-language-nodejs\b/,
  engine: /^(\S*\/)?pulumi up\b/,
  plugin: /\/launcher\.js/,
} as const;

type KillTarget = keyof typeof commandOf;

export const killTargets = Object.keys(commandOf) as KillTarget[];

interface KillResult {
  readonly target: KillTarget;
  /** Whether the service had processed the change when the update ended. */
  readonly isChanged: boolean;
  /** The steps that recovered the stack, such as "cancel, up". */
  readonly steps: string;
  /** The violated expectations; empty if there are none. */
  readonly violations: readonly string[];
}

/** A service on loopback responds so fast that hardly any kill would interrupt a pending request. */
const responseMs = 150;

/** An update sends six requests. The last one is its change. */
const requestsPerUpdate = 6;

const choice = fc.record({
  isPlugin: fc.boolean(),
  isCreated: fc.boolean(),
  /** A number of requests, the last of which is pending, or once the service has processed the change. */
  moment: fc.oneof(fc.integer({ min: 1, max: requestsPerUpdate }), fc.constant("change" as const)),
});

/** An update whose process was killed must end within this time, in seconds. */
const maxSeconds = 180;

/** Kills each target in turn, each in a separate stack. */
export async function runKills(seed: number, points: number): Promise<KillResult[]> {
  return await withReleases(async (release) => {
    const results: KillResult[] = [];
    const choices = fc.sample(choice, { seed, numRuns: points });
    for (const [point, { isPlugin, isCreated, moment }] of choices.entries()) {
      const target = killTargets[point % killTargets.length] ?? "engine";
      const isDynamic = target === "provider" || (target !== "plugin" && !isPlugin);
      const kind = isDynamic ? "dynamic" : "plugin";
      const result = await kill(target, kind, isCreated, moment, release);
      results.push(result);
      const { isChanged, steps, violations } = result;
      const after = moment === "change" ? "the change" : `${moment} requests`;
      const name = `point ${point}: ${target} (${kind}) after ${after}`;
      log([name, isChanged ? "changed" : "unchanged", steps, ...violations].join(", "));
    }
    return results;
  });
}

/** Runs an update, kills one of its processes at a moment, and recovers the stack. */
async function kill(
  target: KillTarget,
  kind: "dynamic" | "plugin",
  isCreated: boolean,
  moment: number | "change",
  release: Cleanup,
): Promise<KillResult> {
  const simulator = await startSimulator({ seed: quickstartSeed(), requestsPerMinute: Infinity });
  release(() => simulator.stop());
  const mark = randomUUID();
  const { tested, requestMode } = await createStack(release, kind, "killed", {
    KILLED_STACK: mark,
    ...settingsFor(simulator),
  });
  requestMode(true);
  if (!isCreated) await tested.stack.up();
  requestMode(false);
  simulator.faults.push({ delayMs: responseMs, times: Infinity });
  const received = simulator.requests.length;
  const update = startCommand(
    release,
    "pulumi",
    ["up", "--yes", "--skip-preview", "--non-interactive", "--stack", "test"],
    { cwd: tested.folder, env: { ...process.env, ...tested.environment } },
  );
  const state = { isEnded: false, isKilled: false };
  void update.result.then(() => (state.isEnded = true));
  const running = (wanted: KillTarget) =>
    processesWith(mark).filter(({ command }) => commandOf[wanted].test(command));
  const isDue = () =>
    moment === "change"
      ? !simulator.project(projectId).privateIpMode.enabled
      : simulator.requests.length - received >= moment;
  await waitUntil(
    () => {
      if (isDue())
        state.isKilled = running(target)
          .slice(0, 1)
          .some(({ pid }) => endProcess(pid));
      return state.isEnded || state.isKilled;
    },
    maxSeconds,
    5,
  );
  // Child processes of a killed engine keep its output open, so do not wait for them.
  const isEndedInTime = await waitUntil(() => running("engine").length === 0, maxSeconds, 100);
  const project = simulator.project(projectId);
  const isChanged = !project.privateIpMode.enabled;

  const { steps, problem } = await recover(tested.stack);
  endProcessesWith(mark);
  await waitUntil(() => processesWith(mark).length === 0, 10);
  const { applied, repeatedBlindly } = changesIn(simulator.requests.slice(received));
  const { mode, strings, pendingOperations } = await readState(tested.stack);
  const expectations: [boolean, string][] = [
    [state.isKilled, "ended before it was killed"],
    [isEndedInTime, `did not end within ${maxSeconds} s of the kill`],
    [problem === undefined, `was not recovered: ${problem}`],
    [!project.privateIpMode.enabled, "the mode is on after the recovery"],
    [mode === false, "the state does not have the requested mode"],
    [strings.length === 2, "the state lacks a lookup"],
    [pendingOperations === 0, "the state has pending operations"],
    [applied === 1, `the mode was changed ${applied} times`],
    [repeatedBlindly === 0, "the change was repeated without reading the mode"],
  ];
  const violations = expectations.flatMap(([holds, text]) => (holds ? [] : [text]));
  return { target, isChanged, steps, violations };
}

/**
 * Recovers a stack as docs/operations.md says. Removes the lock of a killed engine if
 * necessary, repeats the update, and refreshes a state with pending operations.
 */
async function recover(stack: Stack): Promise<{ steps: string; problem?: string }> {
  const steps: string[] = [];
  try {
    await stack.up().catch(async (error: unknown) => {
      if (!/currently locked/.test(String(error))) throw error;
      steps.push("cancel");
      await stack.cancel();
      await stack.up();
    });
    steps.push("up");
    if ((await readState(stack)).pendingOperations > 0) {
      await stack.refresh({ clearPendingCreates: true });
      await stack.up();
      steps.push("refresh", "up");
    }
    return { steps: steps.join(", ") };
  } catch (error) {
    return { steps: steps.join(", "), problem: String(error) };
  }
}
