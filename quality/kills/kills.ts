/** Kills processes of updates at random points, and recovers the stacks. */
import { randomUUID } from "node:crypto";
import type { Stack } from "@pulumi/pulumi/automation";
import fc from "fast-check";
import { endProcess, endProcessesWith, processesWith } from "../../scripts/markedProcesses.cjs";
import type { TestedStacks } from "../../tests/engine/useStack";
import { settingsFor } from "../../tests/support/service";
import { changesIn, programOf, readState, waitUntil } from "./stacks";

/** The processes that are killed, and their commands. */
const commandOf = {
  provider: /cmd\/dynamic-provider/,
  "language host": /\/pulumi-language-nodejs\b/,
  engine: /^(\S*\/)?pulumi up\b/,
  plugin: /\/launcher\.js/,
} as const;

type KillTarget = keyof typeof commandOf;

export const killTargets = Object.keys(commandOf) as KillTarget[];

/** Which process is killed, in which update, and when. */
interface Kill {
  readonly target: KillTarget;
  readonly kind: "dynamic" | "plugin";
  /** Whether the update creates the resources. */
  readonly isCreated: boolean;
  /** While the request with this number is pending or, with `change`, once the service has processed the change. */
  readonly moment: number | "change";
}

/** A service on loopback responds so fast that hardly any kill would interrupt a pending request. */
const responseMs = 150;

/** An update sends six requests. The last one is its change. */
const requestsPerUpdate = 6;

/** An update whose process was killed must end within this time, in seconds. */
const maxSeconds = 180;

const choice = fc.record({
  isPlugin: fc.boolean(),
  isCreated: fc.boolean(),
  moment: fc.oneof(fc.integer({ min: 1, max: requestsPerUpdate }), fc.constant("change" as const)),
});

/** Returns random kills of each target in turn. */
export function randomKills(seed: number, count: number): Kill[] {
  return fc
    .sample(choice, { seed, numRuns: count })
    .map(({ isPlugin, isCreated, moment }, index) => {
      const target = killTargets[index % killTargets.length] ?? "engine";
      const isDynamic = target === "provider" || (target !== "plugin" && !isPlugin);
      return { target, kind: isDynamic ? "dynamic" : "plugin", isCreated, moment };
    });
}

/** Runs an update, kills one of its processes, and recovers the stack. Returns the violated expectations. */
export async function kill(
  { target, kind, isCreated, moment }: Kill,
  { service, createStack, run }: TestedStacks,
): Promise<string[]> {
  const mark = randomUUID();
  const tested = await createStack(programOf(kind, true), {
    environment: { ...settingsFor(service), KILLED_STACK: mark },
    usesPackedPlugin: kind === "plugin",
  });
  if (!isCreated) await tested.stack.up();
  tested.program(programOf(kind, false));
  service.faults.push({ delayMs: responseMs, times: Infinity });
  const received = service.requests.length;
  const args = ["up", "--yes", "--skip-preview", "--non-interactive", "--stack", "test"];
  const update = run(tested, "pulumi", args);
  const state = { isEnded: false, isKilled: false };
  void update.result.then(() => (state.isEnded = true));
  const running = (wanted: KillTarget) =>
    processesWith(mark).filter(({ command }) => commandOf[wanted].test(command));
  const isDue = () =>
    moment === "change"
      ? !service.project().privateIpMode.enabled
      : service.requests.length - received >= moment;
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
  const project = service.project();
  const problem = await recover(tested.stack);
  endProcessesWith(mark);
  await waitUntil(() => processesWith(mark).length === 0, 10);
  const { applied, repeatedBlindly } = changesIn(service.requests.slice(received));
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
  return expectations.flatMap(([holds, text]) => (holds ? [] : [text]));
}

/**
 * Recovers a stack as docs/operations.md says. Removes the lock of a killed engine if
 * necessary, repeats the update, and refreshes a state with pending operations.
 *
 * @returns the error of the step that failed, or undefined
 */
async function recover(stack: Stack): Promise<string | undefined> {
  try {
    await stack.up().catch(async (error: unknown) => {
      if (!/currently locked/.test(String(error))) throw error;
      await stack.cancel();
      await stack.up();
    });
    if ((await readState(stack)).pendingOperations > 0) {
      await stack.refresh({ clearPendingCreates: true });
      await stack.up();
    }
    return undefined;
  } catch (error) {
    return String(error);
  }
}
