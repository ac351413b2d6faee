/** Kills processes of updates at random points, on two backends. */
import { randomUUID } from "node:crypto";
import { startSimulator } from "clouddb-simulator";
import { markerFolder } from "../../tests/cleanup";
import { pluginSettings } from "../../tests/engine/pluginSettings";
import { programStack } from "../../tests/engine/stack";
import { Missing } from "../../tests/missing";
import { startPostgresql } from "../../tests/postgresql";
import { projectId, quickstartSeed, settingsFor } from "../../tests/service";
import {
  type KillPoint,
  type KillResult,
  type KilledStack,
  killPoint,
  killTargets,
  killUpdate,
} from "./kill";
import { canListProcesses } from "./processes";
import { type ProviderKind, preambleOf, programText } from "./programs";
import { type Release, withReleases } from "../releases";

/** Where the state of a stack is kept. */
type Backend = "file" | "PostgreSQL";

/** What to run. */
export interface KillOptions {
  readonly seed: number;
  readonly points: number;
  readonly log: (line: string) => void;
}

/** A kill, and the backend of its stack. */
interface BackendKill extends KillResult {
  readonly backend: Backend;
}

/** The results of all kills. */
export interface KillsResult {
  readonly options: KillOptions;
  readonly kills: readonly BackendKill[];
  /** The violations, each with its point. */
  readonly violations: readonly string[];
  /** Whether PostgreSQL is not installed, so that all points used the file backend. */
  readonly isWithoutPostgresql: boolean;
  readonly minutes: number;
}

/** Runs the kills. The backends run at the same time. */
export async function runKills(options: KillOptions): Promise<KillsResult> {
  if (!canListProcesses)
    throw new Error("The kills need /proc, which this platform does not have.");
  return await withReleases(async (release) => {
    const start = performance.now();
    const backends = [fileBackend, ...(await databaseBackends(release))];
    const kills: BackendKill[] = [];
    const onKill = (kill: BackendKill) => {
      kills.push(kill);
      options.log(lineOf(kill));
    };
    await Promise.all(
      backends.map(({ backend, environment }, i) => {
        // Each target alternates between the backends.
        const numbers = Array.from({ length: options.points }, (_, number) => number).filter(
          (number) => (number + Math.floor(number / killTargets.length)) % backends.length === i,
        );
        return killOn({ backend, environment, numbers }, options, release, onKill);
      }),
    );
    return {
      options,
      kills,
      violations: kills.flatMap(({ violations, point, backend }) =>
        violations.map((violation) => `${nameOf(point, backend)}: ${violation}`),
      ),
      isWithoutPostgresql: backends.length === 1,
      minutes: (performance.now() - start) / 60_000,
    };
  });
}

/** How often another point is chosen because the update ended before the previous one. */
const maxRedraws = 20;

interface BackendSettings {
  readonly backend: Backend;
  /** The environment variables that make the Pulumi CLI use it. */
  readonly environment: Readonly<Record<string, string>>;
}

/** The default backend of test stacks. */
const fileBackend: BackendSettings = { backend: "file", environment: {} };

/** Starts PostgreSQL; returns no backend if it is not installed. */
async function databaseBackends(release: Release): Promise<BackendSettings[]> {
  try {
    const { createDatabase, password } = await startPostgresql(release);
    const environment = {
      PULUMI_BACKEND_URL: await createDatabase("state"),
      PGPASSWORD: password,
    };
    return [{ backend: "PostgreSQL", environment }];
  } catch (error) {
    if (error instanceof Missing) return [];
    throw error;
  }
}

interface BackendRun extends BackendSettings {
  /** The numbers of the points. */
  readonly numbers: readonly number[];
}

async function killOn(
  { backend, environment, numbers }: BackendRun,
  { seed, points, log }: KillOptions,
  release: Release,
  onKill: (kill: BackendKill) => void,
): Promise<void> {
  const stacks = new Map<ProviderKind, KilledStack>();
  for (const number of numbers) {
    for (let redrawn = number; ; redrawn += points) {
      if (redrawn > maxRedraws * points)
        throw new Error(`No process was killed at point ${number}.`);
      const point = killPoint(seed, redrawn);
      const stack = stacks.get(point.kind) ?? (await createStack(point.kind, environment, release));
      stacks.set(point.kind, stack);
      const result = await killUpdate(stack, point, release);
      if (result !== undefined) {
        onKill({ ...result, backend });
        break;
      }
      log(`${nameOf(point, backend)}: the update ended before this point; choosing another one`);
    }
  }
}

/** Creates a stack, and measures an update that is not killed. */
async function createStack(
  kind: ProviderKind,
  environment: Readonly<Record<string, string>>,
  release: Release,
): Promise<KilledStack> {
  const simulator = await startSimulator({ seed: quickstartSeed(), requestsPerMinute: Infinity });
  release(() => simulator.stop());
  // A service on loopback responds so fast that hardly any kill would interrupt a pending request.
  simulator.faults.push({ delayMs: 150, times: Infinity });
  const mark = randomUUID();
  const tested = await programStack(
    release,
    {
      text: "",
      pulumiProject: `killed-${kind}`,
      preamble: preambleOf(kind),
      settings: kind === "plugin" ? pluginSettings() : "",
    },
    {
      SOAK_STACK: mark,
      TMPDIR: markerFolder(),
      ...settingsFor(simulator),
      ...environment,
    },
  );
  const program = { projectId, onDelete: "retain", lookups: 2 } as const;
  tested.program(programText({ ...program, enabled: false }), preambleOf(kind));
  const start = performance.now();
  await tested.stack.up();
  const seconds = (performance.now() - start) / 1000;
  return {
    kind,
    simulator,
    tested,
    mark,
    program,
    uninterrupted: { seconds, requests: simulator.requests.length },
  };
}

function nameOf({ number, target, kind, start, after, fraction }: KillPoint, backend: Backend) {
  const place = `${(100 * fraction).toFixed(0)} % of the ${after}`;
  return `point ${number}: ${target} (${kind}, ${start}, ${backend}) at ${place}`;
}

function lineOf({
  point,
  backend,
  isChanged,
  steps,
  violations,
  leftProcesses,
  seconds,
}: BackendKill) {
  return [
    `${nameOf(point, backend)}: ${isChanged ? "changed" : "unchanged"}`,
    `recovered by ${steps.join(", ")}`,
    ...(leftProcesses > 0 ? [`${leftProcesses} processes left`] : []),
    `${seconds.toFixed(1)} s`,
    ...violations.map((violation) => `VIOLATION: ${violation}`),
  ].join(", ");
}
