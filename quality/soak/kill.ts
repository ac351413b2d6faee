/** Chooses a point of an update, kills one of its processes there, recovers the stack, and checks the result. */
import type { Simulator } from "clouddb-simulator";
import { startCommand } from "../../tests/command";
import type { TestStack } from "../../tests/engine/stack";
import type { Release } from "../releases";
import { processesWith, waitUntil } from "./processes";
import { type ProviderKind, type SoakProgram, preambleOf, programText } from "./programs";
import { type Random, seededRandom } from "./faults";
import { type RecoveryStep, readState, recover } from "./recovery";
import { countRequests } from "./operation";

/** The processes that are killed. */
export const killTargets = ["provider", "language host", "engine", "plugin"] as const;

/** A process that is killed. */
export type KillTarget = (typeof killTargets)[number];

/** A point of an update. */
export interface KillPoint {
  readonly number: number;
  readonly target: KillTarget;
  readonly kind: ProviderKind;
  /** Whether the update creates the resources or changes them. */
  readonly start: "create" | "update";
  /**
   * When to kill: after a fraction of the time that the update takes, or when the service has received
   * this fraction of its requests.
   */
  readonly after: "time" | "requests";
  readonly fraction: number;
}

/** Chooses a point. The targets take turns. */
export function killPoint(seed: number, number: number): KillPoint {
  const random = seededRandom(seed, "kill", number);
  const target = killTargets[number % killTargets.length] ?? killTargets[0];
  return {
    number,
    target,
    kind: kindFor(target, random),
    start: random.pick(["create", "update"]),
    after: random.pick(["time", "requests"]),
    fraction: random.fraction(),
  };
}

/** Returns whether a process is the target. */
function isTarget(target: KillTarget, command: readonly string[]): boolean {
  const line = command.join(" ");
  switch (target) {
    case "provider":
      return line.includes("cmd/dynamic-provider");
    case "plugin":
      return line.includes("/plugin.bundle.js");
    case "language host":
      return /\/pulumi-language-nodejs\b/.test(line);
    case "engine":
      return /^(\S*\/)?pulumi up\b/.test(line);
  }
}

function kindFor(target: KillTarget, random: Random): ProviderKind {
  if (target === "provider") return "dynamic";
  return target === "plugin" ? "plugin" : random.pick(["dynamic", "plugin"]);
}

/** A stack whose updates are killed, with its own service. */
export interface KilledStack {
  readonly kind: ProviderKind;
  readonly simulator: Simulator;
  readonly tested: TestStack;
  /** A text that only the environment of this stack's processes contains. */
  readonly mark: string;
  readonly program: Omit<SoakProgram, "enabled">;
  /** The duration and the number of requests of an update that is not killed. */
  readonly uninterrupted: { readonly seconds: number; readonly requests: number };
}

/** The result of one kill. */
export interface KillResult {
  readonly point: KillPoint;
  /** Whether the service had processed the change when the update ended. */
  readonly isChanged: boolean;
  readonly steps: readonly RecoveryStep[];
  /** The violated expectations; empty if there are none. */
  readonly violations: readonly string[];
  /** Processes of the killed update that were still running after the recovery. */
  readonly leftProcesses: number;
  readonly seconds: number;
}

/** An update whose process was killed must end within this time. */
const maxSeconds = 180;

/**
 * Runs an update, kills one of its processes, and recovers the stack.
 *
 * @returns undefined if the update ended before the point, so that nothing was killed
 */
export async function killUpdate(
  { simulator, tested, mark, kind, program, uninterrupted }: KilledStack,
  point: KillPoint,
  release: Release,
): Promise<KillResult | undefined> {
  const start = performance.now();
  const project = simulator.project(program.projectId);
  tested.program(programText({ ...program, enabled: false }), preambleOf(kind));
  if (point.start === "create") await tested.stack.destroy();
  const before = project.privateIpMode.enabled;
  const asked = !before;
  tested.program(programText({ ...program, enabled: asked }), preambleOf(kind));
  const received = simulator.requests.length;
  const requests = () => simulator.requests.slice(received);

  const update = startCommand(
    release,
    "pulumi",
    ["up", "--yes", "--skip-preview", "--non-interactive", "--stack", "test"],
    { cwd: tested.folder, env: { ...process.env, ...tested.environment } },
  );
  const isKilled = await killAtPoint(point, {
    mark,
    seconds: point.fraction * uninterrupted.seconds,
    isReached: () => requests().length >= Math.ceil(point.fraction * uninterrupted.requests),
    ended: update.result,
  });
  if (!isKilled) return undefined;
  // Child processes of a killed engine keep its output open: do not wait for them.
  const isEngine = (command: readonly string[]) => isTarget("engine", command);
  const isEnded = () => processesWith(mark, isEngine).length === 0;
  const endedInTime = await waitUntil(isEnded, maxSeconds, 100);
  const isChanged = project.privateIpMode.enabled !== before;

  const { steps, problem } = await recover(tested.stack);
  const left = processesWith(mark);
  for (const { pid } of left) killIfRunning(pid);
  await waitUntil(() => processesWith(mark).length === 0, 10);
  const enabled = project.privateIpMode.enabled;
  const { patchesApplied, patchesRepeatedBlindly } = countRequests(requests());
  const state = await readState(tested.stack);
  const violations = [
    ...(endedInTime ? [] : [`did not end within ${maxSeconds} s of the kill`]),
    ...(problem === undefined ? [] : [`was not recovered: ${problem}`]),
    ...(enabled === asked ? [] : [`the mode is ${String(enabled)} after the recovery`]),
    ...(state.mode?.enabled === asked ? [] : ["the state does not have the requested mode"]),
    ...(state.strings.length === program.lookups ? [] : ["the state lacks a lookup"]),
    ...(state.pendingOperations === 0 ? [] : ["the state has pending operations"]),
    ...(patchesApplied === 1 ? [] : [`the mode was changed ${patchesApplied} times`]),
    ...(patchesRepeatedBlindly === 0 ? [] : ["the change was repeated without reading the mode"]),
  ];
  const seconds = (performance.now() - start) / 1000;
  return { point, isChanged, steps, violations, leftProcesses: left.length, seconds };
}

interface Moment {
  readonly mark: string;
  readonly seconds: number;
  readonly isReached: () => boolean;
  readonly ended: Promise<unknown>;
}

/** Kills the target at the point, or as soon as it runs after that. Returns false if the update ends first. */
async function killAtPoint(
  { target, after }: KillPoint,
  { mark, seconds, isReached, ended }: Moment,
): Promise<boolean> {
  const state = { isEnded: false };
  void ended.then(() => {
    state.isEnded = true;
  });
  const end = performance.now() + seconds * 1000;
  const isDue = after === "time" ? () => performance.now() >= end : isReached;
  const kill = () => {
    const [found] = processesWith(mark, (command) => isTarget(target, command));
    return found !== undefined && killIfRunning(found.pid);
  };
  let isKilled = false;
  await waitUntil(() => state.isEnded || (isDue() && (isKilled = kill())), maxSeconds, 5);
  return isKilled;
}

/** Returns false if the process has ended. */
function killIfRunning(pid: number): boolean {
  try {
    return process.kill(pid, "SIGKILL");
  } catch {
    return false;
  }
}
