/** Kills processes of updates at random points, on two backends, and recovers the stacks. */
import { randomUUID } from "node:crypto";
import type { Stack } from "@pulumi/pulumi/automation";
import { type Simulator, startSimulator } from "clouddb-simulator";
import {
  canListProcesses,
  endProcess,
  endProcessesWith,
  processesWith,
} from "../../scripts/markedProcesses.cjs";
import { type Cleanup, markerFolder } from "../../tests/support/cleanup";
import { startCommand } from "../../tests/support/command";
import { Missing } from "../../tests/support/missing";
import { startPostgresql } from "../../tests/support/postgresql";
import { projectId, quickstartSeed, settingsFor } from "../../tests/support/service";
import { withReleases } from "../releases";
import { type Options, type Outcome, conditionsText, log, table, verdictText } from "../report";
import { type Random, seededRandom } from "./faults";
import { countRequests, waitUntil } from "./operation";
import { type ProgramStack, type ProviderKind, createStack, readState } from "./stacks";

/** The processes that are killed, and their commands. */
const commandOf = {
  provider: /cmd\/dynamic-provider/,
  "language host": /\/pulumi-language-nodejs\b/,
  engine: /^(\S*\/)?pulumi up\b/,
  plugin: /\/launcher\.js/,
} as const;

/** A process that is killed. */
export type KillTarget = keyof typeof commandOf;

/** The processes that are killed. */
export const killTargets = Object.keys(commandOf) as KillTarget[];

/** A point of an update. */
interface KillPoint {
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

/** The result of one kill. */
interface KillResult {
  readonly point: KillPoint;
  readonly backend: string;
  /** Whether the service had processed the change when the update ended. */
  readonly isChanged: boolean;
  /** The steps that recovered the stack, such as "cancel, up". */
  readonly steps: string;
  /** The violated expectations; empty if there are none. */
  readonly violations: readonly string[];
  /** Processes of the killed update that were still running after the recovery. */
  readonly leftProcesses: number;
}

/** What to run. */
export interface KillOptions {
  readonly seed: number;
  readonly points: number;
  readonly log: (line: string) => void;
}

/** The results of all kills. */
export interface KillsResult {
  readonly kills: readonly KillResult[];
  /** The violations, each with its point. */
  readonly violations: readonly string[];
}

/** How often another point is chosen because the update ended before the previous one. */
const maxRedraws = 20;

/** An update whose process was killed must end within this time. */
const maxSeconds = 180;

/** Runs the kills. The backends run at the same time. */
export async function runKills(options: KillOptions): Promise<KillsResult> {
  if (!canListProcesses) {
    throw new Error("The kills need /proc, which this platform does not have.");
  }
  return await withReleases(async (release) => {
    const backends = { file: {}, ...(await databaseBackend(release)) };
    const kills: KillResult[] = [];
    const names = Object.keys(backends);
    await Promise.all(
      Object.entries(backends).map(async ([backend, environment], i) => {
        const stacks = new Map<ProviderKind, KilledStack>();
        for (let number = 0; number < options.points; number += 1) {
          // Each target alternates between the backends.
          const turn = number + Math.floor(number / killTargets.length);
          if (turn % names.length !== i) continue;
          for (let redrawn = number; ; redrawn += options.points) {
            const point = killPoint(options.seed, redrawn);
            const name = nameOf(point, backend);
            if (redrawn > maxRedraws * options.points) throw new Error(`Nothing to kill: ${name}.`);
            const stack =
              stacks.get(point.kind) ?? (await killedStack(point.kind, environment, release));
            stacks.set(point.kind, stack);
            const result = await killUpdate(stack, point, release);
            if (result !== undefined) {
              kills.push({ ...result, backend });
              options.log(`${name}: ${lineOf(result)}`);
              break;
            }
            options.log(`${name}: the update ended before this point; choosing another one`);
          }
        }
      }),
    );
    const violations = kills.flatMap(({ violations: own, point, backend }) =>
      own.map((violation) => `${nameOf(point, backend)}: ${violation}`),
    );
    return { kills, violations };
  });
}

/** Chooses a point. The targets take turns. */
function killPoint(seed: number, number: number): KillPoint {
  const random = seededRandom(seed, "kill", number);
  const [target = "provider"] = killTargets.slice(number % killTargets.length);
  return {
    number,
    target,
    kind: kindFor(target, random),
    start: random.pick(["create", "update"]),
    after: random.pick(["time", "requests"]),
    fraction: random.fraction(),
  };
}

function kindFor(target: KillTarget, random: Random): ProviderKind {
  if (target === "provider") return "dynamic";
  return target === "plugin" ? "plugin" : random.pick(["dynamic", "plugin"]);
}

type Environment = Readonly<Record<string, string>>;

/** Starts PostgreSQL; returns no backend if it is not installed. */
async function databaseBackend(release: Cleanup): Promise<{ PostgreSQL?: Environment }> {
  try {
    const { createDatabase, password } = await startPostgresql(release);
    const url = await createDatabase("state");
    return { PostgreSQL: { PULUMI_BACKEND_URL: url, PGPASSWORD: password } };
  } catch (error) {
    if (error instanceof Missing) return {};
    throw error;
  }
}

/** A stack whose updates are killed, with its own service. */
interface KilledStack extends ProgramStack {
  readonly simulator: Simulator;
  /** A text that only the environment of this stack's processes contains. */
  readonly mark: string;
  /** The duration and the number of requests of an update that is not killed. */
  readonly uninterrupted: { readonly seconds: number; readonly requests: number };
}

/** Creates a stack, and measures an update that is not killed. */
async function killedStack(
  kind: ProviderKind,
  environment: Environment,
  release: Cleanup,
): Promise<KilledStack> {
  const simulator = await startSimulator({ seed: quickstartSeed(), requestsPerMinute: Infinity });
  release(() => simulator.stop());
  // A service on loopback responds so fast that hardly any kill would interrupt a pending request.
  simulator.faults.push({ delayMs: 150, times: Infinity });
  const mark = randomUUID();
  const args = { projectId, onDelete: "retain", lookups: 2 } as const;
  const stack = await createStack(release, kind, `killed-${kind}`, args, {
    SOAK_STACK: mark,
    TMPDIR: markerFolder(),
    ...settingsFor(simulator),
    ...environment,
  });
  stack.requestMode(false);
  const start = performance.now();
  await stack.tested.stack.up();
  const seconds = (performance.now() - start) / 1000;
  const uninterrupted = { seconds, requests: simulator.requests.length };
  return { ...stack, simulator, mark, uninterrupted };
}

/**
 * Runs an update, kills one of its processes, and recovers the stack.
 *
 * @returns undefined if the update ended before the point, so that nothing was killed
 */
async function killUpdate(
  { simulator, tested, mark, args, requestMode, uninterrupted }: KilledStack,
  point: KillPoint,
  release: Cleanup,
): Promise<Omit<KillResult, "backend"> | undefined> {
  const project = simulator.project(projectId);
  requestMode(false);
  if (point.start === "create") await tested.stack.destroy();
  const before = project.privateIpMode.enabled;
  const asked = !before;
  requestMode(asked);
  const received = simulator.requests.length;
  const requests = () => simulator.requests.slice(received);

  const update = startCommand(
    release,
    "pulumi",
    ["up", "--yes", "--skip-preview", "--non-interactive", "--stack", "test"],
    { cwd: tested.folder, env: { ...process.env, ...tested.environment } },
  );
  const state = { isEnded: false, isKilled: false };
  void update.result.then(() => (state.isEnded = true));
  const due = performance.now() + point.fraction * uninterrupted.seconds * 1000;
  const isDue = () =>
    point.after === "time"
      ? performance.now() >= due
      : requests().length >= Math.ceil(point.fraction * uninterrupted.requests);
  const running = (target: KillTarget) =>
    processesWith(mark).filter(({ command }) => commandOf[target].test(command));
  // Kills the target at the point, or as soon as it runs after that.
  const isOver = () => {
    if (!state.isEnded && isDue()) {
      state.isKilled = running(point.target)
        .slice(0, 1)
        .some(({ pid }) => endProcess(pid));
    }
    return state.isEnded || state.isKilled;
  };
  await waitUntil(isOver, maxSeconds, 5);
  if (!state.isKilled) return undefined;
  // Child processes of a killed engine keep its output open: do not wait for them.
  const isEndedInTime = await waitUntil(() => running("engine").length === 0, maxSeconds, 100);
  const isChanged = project.privateIpMode.enabled !== before;

  const { steps, problem } = await recover(tested.stack);
  const left = endProcessesWith(mark);
  await waitUntil(() => processesWith(mark).length === 0, 10);
  const { enabled } = project.privateIpMode;
  const { patchesApplied, patchesRepeatedBlindly } = countRequests(requests());
  const { mode, strings, pendingOperations } = await readState(tested.stack);
  const violations = [
    ...(isEndedInTime ? [] : [`did not end within ${maxSeconds} s of the kill`]),
    ...(problem === undefined ? [] : [`was not recovered: ${problem}`]),
    ...(enabled === asked ? [] : [`the mode is ${String(enabled)} after the recovery`]),
    ...(mode === asked ? [] : ["the state does not have the requested mode"]),
    ...(strings.length === args.lookups ? [] : ["the state lacks a lookup"]),
    ...(pendingOperations === 0 ? [] : ["the state has pending operations"]),
    ...(patchesApplied === 1 ? [] : [`the mode was changed ${patchesApplied} times`]),
    ...(patchesRepeatedBlindly === 0 ? [] : ["the change was repeated without reading the mode"]),
  ];
  return { point, isChanged, steps, violations, leftProcesses: left.length };
}

/**
 * Recovers a stack (docs/internals/reliability.md): repeats the update, after removing the lock of a killed engine if
 * necessary, and refreshes the state if it contains pending operations.
 *
 * @returns the steps that were needed, and why they did not recover the stack
 */
async function recover(stack: Stack): Promise<{ steps: string; problem?: string }> {
  const steps: string[] = [];
  try {
    try {
      await stack.up();
    } catch (error) {
      if (!/currently locked/.test(String(error))) throw error;
      steps.push("cancel");
      await stack.cancel();
      await stack.up();
    }
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

function nameOf({ number, target, kind, start, after, fraction }: KillPoint, backend: string) {
  const place = `${(100 * fraction).toFixed(0)} % of the ${after}`;
  return `point ${number}: ${target} (${kind}, ${start}, ${backend}) at ${place}`;
}

function lineOf({ isChanged, steps, violations, leftProcesses }: Omit<KillResult, "backend">) {
  return [
    isChanged ? "changed" : "unchanged",
    `recovered by ${steps}`,
    ...(leftProcesses > 0 ? [`${leftProcesses} processes left`] : []),
    ...violations.map((violation) => `VIOLATION: ${violation}`),
  ].join(", ");
}

/** Runs the kills, and renders their results. */
export async function killAll({ number }: Options): Promise<Outcome> {
  const [seed, points] = [number("seed"), number("points")];
  const { kills, violations } = await runKills({ seed, points, log });
  const backends = [...new Set(kills.map(({ backend }) => backend))].sort();
  const rows = killTargets.flatMap((target) =>
    backends.map((backend) => {
      const own = kills.filter((kill) => kill.point.target === target && kill.backend === backend);
      const count = (isCounted: (kill: KillResult) => boolean) => own.filter(isCounted).length;
      return [
        ...[target, backend, own.length],
        ...[count(({ isChanged }) => !isChanged), count(({ isChanged }) => isChanged)],
        ...[count(({ steps }) => steps === "up"), count(({ steps }) => steps === "cancel, up")],
        count(({ steps }) => !["up", "cancel, up"].includes(steps)),
        count((kill) => kill.violations.length > 0),
      ];
    }),
  );
  const left = kills.reduce((sum, { leftProcesses }) => sum + leftProcesses, 0);
  const report = [
    `\`npm run quality -- kills --seed ${seed} --points ${points}\`: ${kills.length} kills, ${conditionsText()}`,
    table(
      [
        ...["killed", "backend", "kills", "mode as before", "mode as requested"],
        ...["recovered by up", "by cancel, up", "by other steps", "violations"],
      ],
      rows,
    ),
    `${left} processes of killed updates were still running after the recovery, and were then ended.`,
    verdictText(violations),
  ];
  return { report: report.join("\n\n"), violations };
}
