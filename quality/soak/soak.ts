/** The soak: runs many stacks in several rounds of operations while the service and the network fail. */
import { type Cleanup, processFolder } from "../../tests/support/cleanup";
import { withReleases } from "../releases";
import { type Options, type Outcome, conditionsText, log, table, verdictText } from "../report";
import { median } from "../statistics";
import { type Random, seededRandom, serviceFaults } from "./faults";
import { type OperationResult, type SoakStack, type Step, runOperation } from "./operation";
import { type FaultyService, startFaultyService, upgradedCluster } from "./service";
import { createStack, maxLookups } from "./stacks";

/** What to run. */
export interface SoakOptions {
  readonly seed: number;
  readonly stacks: number;
  readonly rounds: number;
  readonly log: (line: string) => void;
}

/** The results of a soak. */
export interface SoakResult {
  readonly operations: readonly OperationResult[];
  /** The violations, each with its operation. */
  readonly violations: readonly string[];
}

/** The number of projects. The stacks of a project run one at a time. */
const projects = 3;

const phases = ["up", "toggle", "refresh", "destroy"] as const;

/** An operation that failed is repeated, as a user would do; the last attempt gets no faults. */
const maxAttempts = 3;

/** Runs the soak. */
export async function soak(options: SoakOptions): Promise<SoakResult> {
  const { seed, rounds } = options;
  return await withReleases(async (release) => {
    const lanes = await createLanes(options, release);
    const operations: OperationResult[] = [];
    const violations: string[] = [];
    const run = async (service: FaultyService, stack: SoakStack, round: number, phase: Phase) => {
      const random = seededRandom(seed, "round", round, phase, stack.number);
      const step = stepOf(phase, service, random);
      for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
        const faults = attempt === maxAttempts ? undefined : random;
        const result = await runOperation(service, stack, step, faults);
        const name = `round ${round}, stack ${stack.number}, ${phase}, attempt ${attempt}`;
        operations.push(result);
        violations.push(...result.violations.map((violation) => `${name}: ${violation}`));
        options.log(lineOf(name, result));
        if (result.outcome !== "failed") break;
      }
    };
    for (let round = 1; round <= rounds; round += 1) {
      for (const phase of phases) {
        await Promise.all(
          lanes.map(async ({ service, stacks }) => {
            for (const stack of stacks) await run(service, stack, round, phase);
          }),
        );
      }
    }
    return { operations, violations };
  });
}

type Phase = (typeof phases)[number];

/** Creates the services of the projects, and their stacks. */
async function createLanes({ stacks, seed }: SoakOptions, release: Cleanup) {
  const numbers = Array.from({ length: stacks }, (_, i) => i + 1);
  const lanes = Array.from({ length: Math.min(projects, stacks) }, async (_, lane) => {
    const service = await startFaultyService(lane + 1, release);
    const own: SoakStack[] = [];
    for (const number of numbers.filter((each) => (each - 1) % projects === lane)) {
      const random = seededRandom(seed, "stack", number);
      const kind = random.pick(["dynamic", "plugin"]);
      const credentials = random.pick(["apiKey", "serviceAccount"]);
      const onDelete = random.pick(["retain", "retain", "restore"]);
      const args = {
        projectId: service.projectId,
        onDelete,
        lookups: random.integer(1, maxLookups),
      };
      const environment = { TMPDIR: processFolder, ...service.settings(credentials) };
      const stack = await createStack(release, kind, `soak-${number}`, args, environment);
      own.push({ ...stack, number, credentials });
    }
    return { service, stacks: own };
  });
  return await Promise.all(lanes);
}

/** Returns the step of a phase, and sets the version of a cluster, which is sometimes below 7.0. */
function stepOf(phase: Phase, { simulator, projectId }: FaultyService, random: Random): Step {
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

function faultCount({ faults, connectionFaults }: OperationResult): number {
  return faults.length + connectionFaults;
}

function lineOf(name: string, result: OperationResult): string {
  const { outcome, seconds, counts, violations, errors } = result;
  return [
    `${name}: ${outcome}`,
    `${seconds.toFixed(1)} s`,
    `${counts.requests} requests`,
    `${faultCount(result)} faults`,
    ...(outcome === "failed" ? [errors[0] ?? "no error"] : []),
    ...violations.map((violation) => `VIOLATION: ${violation}`),
  ].join(", ");
}

/** Runs a soak, and renders its results. */
export async function runSoak({ number }: Options): Promise<Outcome> {
  const [seed, stacks, rounds] = [number("seed"), number("stacks"), number("rounds")];
  const { operations, violations } = await soak({ seed, stacks, rounds, log });
  const sum = (value: (result: OperationResult) => number, of = operations) =>
    of.reduce((total, each) => total + value(each), 0);
  const outcomes = ["succeeded", "refused", "failed"] as const;
  const verbs = (["up", "refresh", "destroy"] as const).map((verb) => {
    const own = operations.filter((each) => each.verb === verb);
    const ended = outcomes.map((outcome) => sum((each) => Number(each.outcome === outcome), own));
    const time = `${median(own.map(({ seconds }) => seconds)).toFixed(1)} s`;
    return [verb, own.length, ...ended, time];
  });
  const faults = serviceFaults.map((kind) => [
    kind,
    sum((each) => each.faults.filter((fault) => fault === kind).length),
  ]);
  const requests = sum(({ counts }) => counts.requests);
  const needed = sum(({ patchesNeeded }) => patchesNeeded);
  const undisturbed = operations.filter((each) => each.verb === "up" && faultCount(each) === 0);
  const report = [
    `\`npm run quality -- soak --seed ${seed} --stacks ${stacks} --rounds ${rounds}\`: ${stacks} stacks in ${projects} projects, ${rounds} ${rounds === 1 ? "round" : "rounds"}, ${conditionsText()}`,
    table(
      [
        ...["operation", "run", "succeeded", "refused by the guard"],
        ...["failed with one clear error", "median time"],
      ],
      verbs,
    ),
    table(
      ["fault", "injected"],
      [...faults, ["connection reset, truncated or slow", sum((each) => each.connectionFaults)]],
    ),
    table(
      ["measure", "result", "goal"],
      [
        ["requests", requests, ""],
        ["requests for each fault", (requests / Math.max(sum(faultCount), 1)).toFixed(1), ""],
        ["required changes of the mode", needed, ""],
        [
          "PATCH requests that the service processed",
          sum(({ counts }) => counts.patchesApplied),
          needed,
        ],
        ["PATCH requests sent, including retries", sum(({ counts }) => counts.patchesSent), ""],
        [
          "PATCH requests repeated without reading the mode first",
          sum(({ counts }) => counts.patchesRepeatedBlindly),
          0,
        ],
        [
          "most cluster list requests in an update without faults",
          Math.max(0, ...undisturbed.map(({ counts }) => counts.listings)),
          2,
        ],
        ["hangs (over 10 minutes)", sum(({ isHanging }) => Number(isHanging)), 0],
        ["processes left behind", sum(({ leakedProcesses }) => leakedProcesses), 0],
      ],
    ),
    verdictText(violations),
  ];
  return { report: report.join("\n\n"), violations };
}
