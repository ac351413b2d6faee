/** Renders the results of the soak and the kills as Markdown. */
import { type Options, type Outcome, type Conditions, log, readConditions, table } from "../report";
import { median } from "../statistics";
import { serviceFaults } from "./faults";
import { type KillsResult, runKills } from "./kills";
import { killTargets } from "./kill";
import { type OperationResult, addCounts, noRequests } from "./operation";
import { type SoakResult, faultCount, soak } from "./soak";

/** Runs a soak. */
export async function runSoak({ number }: Options): Promise<Outcome> {
  const options = { seed: number("seed"), stacks: number("stacks"), rounds: number("rounds") };
  const result = await soak({ ...options, projects: 3, log });
  return { report: soakReport(result, readConditions()), violations: result.violations };
}

/** Runs the kills. */
export async function killAll({ number }: Options): Promise<Outcome> {
  const result = await runKills({ seed: number("seed"), points: number("points"), log });
  return { report: killsReport(result, readConditions()), violations: result.violations };
}

/** Renders the results of a soak. */
function soakReport(result: SoakResult, conditions: Conditions): string {
  const { options, operations, minutes } = result;
  const { seed, stacks, rounds, projects } = options;
  return [
    `\`npm run quality -- soak --seed ${seed} --stacks ${stacks} --rounds ${rounds}\`: ${stacks} stacks in ${projects} projects, ${rounds} ${rounds === 1 ? "round" : "rounds"}, ${minutes.toFixed(0)} minutes. ${machine(conditions)}`,
    table(
      [
        "operation",
        "run",
        "succeeded",
        "refused by the guard",
        "failed with one clear error",
        "median time",
      ],
      [...new Set(operations.map(({ verb }) => verb))].map((verb) => {
        const own = operations.filter((each) => each.verb === verb);
        const ended = (outcome: string) => own.filter((each) => each.outcome === outcome).length;
        const counts = ["succeeded", "refused", "failed"].map((outcome) => String(ended(outcome)));
        return [
          verb,
          String(own.length),
          ...counts,
          `${median(own.map(({ seconds }) => seconds)).toFixed(1)} s`,
        ];
      }),
    ),
    faultsTable(operations),
    table(["measure", "result", "goal"], countRows(result)),
    verdict(result.violations),
  ].join("\n\n");
}

/** Renders the results of the kills. */
function killsReport(result: KillsResult, conditions: Conditions): string {
  const { options, kills, minutes, isWithoutPostgresql } = result;
  const { seed, points } = options;
  const backends = [...new Set(kills.map(({ backend }) => backend))].sort();
  const rows = killTargets.flatMap((target) =>
    backends.map((backend) => {
      const own = kills.filter((kill) => kill.point.target === target && kill.backend === backend);
      const steps = (name: string) => own.filter((kill) => kill.steps.join(", ") === name).length;
      const usual = ["up", "cancel, up"].map(steps);
      return [
        ...[target, backend, String(own.length)],
        String(own.filter(({ isChanged }) => !isChanged).length),
        String(own.filter(({ isChanged }) => isChanged).length),
        ...usual.map(String),
        String(own.length - usual.reduce((sum, count) => sum + count, 0)),
        String(own.filter(({ violations }) => violations.length > 0).length),
      ];
    }),
  );
  const left = kills.reduce((sum, { leftProcesses }) => sum + leftProcesses, 0);
  return [
    `\`npm run quality -- kills --seed ${seed} --points ${points}\`: ${kills.length} kills, ${minutes.toFixed(0)} minutes. ${machine(conditions)}`,
    ...(isWithoutPostgresql
      ? ["PostgreSQL was not installed: only the file backend was used."]
      : []),
    table(
      [
        ...["killed", "backend", "kills", "mode as before", "mode as requested"],
        ...["recovered by up", "by cancel, up", "by other steps", "violations"],
      ],
      rows,
    ),
    `${left} processes of killed updates were still running after the recovery, and were then ended.`,
    verdict(result.violations),
  ].join("\n\n");
}

function faultsTable(operations: readonly OperationResult[]): string {
  const injected = serviceFaults.map((kind) => [
    kind,
    String(operations.reduce((sum, { faults }) => sum + faults[kind], 0)),
  ]);
  const connections = operations.reduce((sum, each) => sum + each.connectionFaults, 0);
  return table(
    ["fault", "injected"],
    [...injected, ["connection reset, truncated or slow", String(connections)]],
  );
}

function countRows({ operations }: SoakResult): string[][] {
  const counts = operations.map((each) => each.counts).reduce(addCounts, noRequests);
  const needed = operations.reduce((sum, { patchesNeeded }) => sum + patchesNeeded, 0);
  const sum = (value: (result: OperationResult) => number) =>
    operations.reduce((total, each) => total + value(each), 0);
  const faults = sum(faultCount);
  const undisturbed = operations.filter((each) => each.verb === "up" && faultCount(each) === 0);
  const most = Math.max(0, ...undisturbed.map((each) => each.counts.listings));
  return [
    ["requests", String(counts.requests), ""],
    ["requests for each fault", (counts.requests / Math.max(faults, 1)).toFixed(1), ""],
    ["required changes of the mode", String(needed), ""],
    ["PATCH requests that the service processed", String(counts.patchesApplied), String(needed)],
    ["PATCH requests sent, including retries", String(counts.patchesSent), ""],
    [
      "PATCH requests repeated without reading the mode first",
      String(counts.patchesRepeatedBlindly),
      "0",
    ],
    ["most cluster list requests in an update without faults", String(most), "2"],
    ["hangs (over 10 minutes)", String(sum(({ isHanging }) => Number(isHanging))), "0"],
    ["processes left behind", String(sum(({ leakedProcesses }) => leakedProcesses)), "0"],
  ];
}

function verdict(violations: readonly string[]): string {
  if (violations.length === 0) return "No violations.";
  return [`${violations.length} violations:`, "", ...violations.map((text) => `- ${text}`)].join(
    "\n",
  );
}

function machine({ cliVersion, revision }: Conditions): string {
  return `Node.js ${process.version}, Pulumi CLI ${cliVersion}, commit ${revision}.`;
}
