/** The soak: runs many stacks in several rounds of operations while the service and the network fail. */
import { processFolder } from "../../tests/cleanup";
import { pluginSettings } from "../../tests/engine/pluginSettings";
import { programStack } from "../../tests/engine/stack";
import { type Release, withReleases } from "../releases";
import { type OperationResult, type SoakStack, type Step, runOperation } from "./operation";
import { maxLookups, preambleOf } from "./programs";
import { type Random, seededRandom } from "./faults";
import { type FaultyService, startFaultyService, upgradedCluster } from "./service";

/** What to run. */
export interface SoakOptions {
  readonly seed: number;
  readonly stacks: number;
  readonly rounds: number;
  /** The number of projects. The stacks of a project run one at a time. */
  readonly projects: number;
  readonly log: (line: string) => void;
}

/** The results of a soak. */
export interface SoakResult {
  readonly options: SoakOptions;
  readonly operations: readonly OperationResult[];
  /** The violations, each with its operation. */
  readonly violations: readonly string[];
  readonly minutes: number;
}

/** Runs the soak. */
export async function soak(options: SoakOptions): Promise<SoakResult> {
  return await withReleases(async (release) => {
    const start = performance.now();
    const lanes = await createLanes(options, release);
    const operations: OperationResult[] = [];
    const violations: string[] = [];
    const onResult = (name: string, result: OperationResult) => {
      operations.push(result);
      violations.push(...result.violations.map((violation) => `${name}: ${violation}`));
      options.log(lineOf(name, result));
    };
    for (let round = 1; round <= options.rounds; round += 1) {
      for (const phase of phases) {
        await Promise.all(
          lanes.map((lane) => runPhase(lane, { ...options, round, phase, onResult })),
        );
      }
    }
    const minutes = (performance.now() - start) / 60_000;
    return { options, operations, violations, minutes };
  });
}

/** A project and its stacks. */
interface Lane {
  readonly service: FaultyService;
  readonly stacks: readonly SoakStack[];
}

async function createLanes(
  { projects, stacks, seed }: SoakOptions,
  release: Release,
): Promise<Lane[]> {
  const createLane = async (_: unknown, i: number): Promise<Lane> => {
    const service = await startFaultyService(i + 1);
    release(() => service.stop());
    const lane: SoakStack[] = [];
    for (let number = i + 1; number <= stacks; number += projects) {
      lane.push(await createStack(service, number, seededRandom(seed, "stack", number), release));
    }
    return { service, stacks: lane };
  };
  return await Promise.all(Array.from({ length: Math.min(projects, stacks) }, createLane));
}

async function createStack(
  service: FaultyService,
  number: number,
  random: Random,
  release: Release,
): Promise<SoakStack> {
  const kind = random.pick(["dynamic", "plugin"]);
  const credentials = random.pick(["apiKey", "serviceAccount"]);
  const onDelete = random.pick(["retain", "retain", "restore"]);
  const tested = await programStack(
    release,
    {
      text: "",
      pulumiProject: `soak-${number}`,
      preamble: preambleOf(kind),
      settings: kind === "plugin" ? pluginSettings() : "",
    },
    { TMPDIR: processFolder, ...service.settings(credentials) },
  );
  const { projectId } = service;
  const program = { projectId, onDelete, lookups: random.integer(1, maxLookups) } as const;
  return { number, tested, kind, credentials, program };
}

const phases = ["up", "toggle", "refresh", "destroy"] as const;

interface Phase {
  readonly seed: number;
  readonly round: number;
  readonly phase: (typeof phases)[number];
  readonly onResult: (name: string, result: OperationResult) => void;
}

/** Runs the operation of this phase on each stack of a project in sequence. */
async function runPhase({ service, stacks }: Lane, { seed, round, phase, onResult }: Phase) {
  for (const stack of stacks) {
    const random = seededRandom(seed, "round", round, phase, stack.number);
    const name = `round ${round}, stack ${stack.number}, ${phase}`;
    const step = stepOf(phase, service, random);
    for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
      const faults = attempt === maxAttempts ? undefined : random;
      const result = await runOperation(service, stack, step, faults);
      onResult(attempt === 1 ? name : `${name} (attempt ${attempt})`, result);
      if (result.outcome !== "failed") break;
    }
  }
}

/** An operation that failed is repeated, as a user would do; the last attempt gets no faults. */
const maxAttempts = 3;

/** Returns the step of a phase, and sets the version of a cluster, which is sometimes below 7.0. */
function stepOf(
  phase: Phase["phase"],
  { simulator, projectId }: FaultyService,
  random: Random,
): Step {
  const project = simulator.project(projectId);
  const isOld = phase !== "destroy" && random.chance(0.25);
  project.updateCluster(upgradedCluster, { version: isOld ? "6.0.5" : "7.0.12" });
  switch (phase) {
    case "up":
      return { verb: "up", enabled: random.chance(0.5) };
    case "toggle":
      return { verb: "up", enabled: !project.privateIpMode.enabled };
    default:
      return { verb: phase };
  }
}

/** Returns the number of faults that an operation met. */
export function faultCount({ faults, connectionFaults }: OperationResult): number {
  return Object.values(faults).reduce((sum, count) => sum + count, connectionFaults);
}

function lineOf(name: string, result: OperationResult): string {
  const { outcome, seconds, counts, violations, errors } = result;
  const details = [
    `${name}: ${outcome}`,
    `${seconds.toFixed(1)} s`,
    `${counts.requests} requests`,
    `${faultCount(result)} faults`,
    ...(outcome === "failed" ? [errors[0] ?? "no error"] : []),
    ...violations.map((violation) => `VIOLATION: ${violation}`),
  ];
  return details.join(", ");
}
