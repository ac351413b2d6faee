/** Runs real processes and connections while the service fails, to check that the histories are realistic. */
import type { EngineEvent } from "@pulumi/pulumi/automation";
import { type Fault, type Simulator, startSimulator } from "clouddb-simulator";
import fc from "fast-check";
import { processesWith } from "../../scripts/markedProcesses.cjs";
import { markerFolder } from "../../tests/support/cleanup";
import { projectId, quickstartSeed, settingsFor } from "../../tests/support/service";
import { withReleases } from "../releases";
import { type Options, type Outcome, conditionsText, log, verdictText } from "../report";
import { type ProgramStack, changesIn, createStack, readState, waitUntil } from "./stacks";

interface SoakedOperation {
  readonly outcome: "succeeded" | "refused" | "failed";
  readonly violations: readonly string[];
}

/** The request timeout that the stacks are configured with, in seconds. */
const requestTimeoutSeconds = 5;

/** The fault of one request. Seven in eight requests have none. */
const fault: fc.Arbitrary<Fault> = fc.oneof(
  { weight: 7, arbitrary: fc.constant({}) },
  {
    weight: 1,
    arbitrary: fc.constantFrom<Fault[]>(
      { status: 429, headers: { "retry-after": "2" } },
      { status: 503, times: 5, body: "<h1>Unavailable</h1>" },
      { reset: true },
      { reset: "after" },
      { truncate: true },
      { delayMs: requestTimeoutSeconds * 1000 + 1000 },
    ),
  },
);

/** An operation that takes longer counts as hanging. */
const maxMinutes = 10;

/** A failed operation is repeated, as a user would do. The last attempt gets no faults. */
const maxAttempts = 3;

/** The cluster whose version is lowered, so that the guard refuses disabling. */
const upgradedCluster = "billing";

const refusal = /cannot be disabled: .* version 7\.0\.0 or later/;

/** Runs rounds of operations on a stack of each kind. */
export async function soak(seed: number, rounds: number): Promise<SoakedOperation[]> {
  return await withReleases(async (release) => {
    const operations: SoakedOperation[] = [];
    for (const kind of ["dynamic", "plugin"] as const) {
      const simulator = await startSimulator({ seed: quickstartSeed() });
      release(() => simulator.stop());
      const stack = await createStack(release, kind, `soak-${kind}`, "restore", {
        TMPDIR: markerFolder(),
        ...settingsFor(simulator),
        CLOUDDB_REQUEST_TIMEOUT_SECONDS: String(requestTimeoutSeconds),
      });
      const phases = ["off", "on", "off below 7.0", "refresh", "destroy"] as const;
      for (const phase of Array.from({ length: rounds }, () => phases).flat()) {
        const version = phase === "off below 7.0" ? "6.0.5" : "7.0.12";
        simulator.project(projectId).updateCluster(upgradedCluster, { version });
        for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
          const faults = fc.sample(fault, { seed: seed + operations.length, numRuns: 200 });
          if (attempt < maxAttempts) simulator.faults.push(...faults);
          const result = await run(simulator, stack, phase);
          simulator.faults.clear();
          operations.push(result);
          const { outcome, violations } = result;
          log([`${kind}, ${phase}, attempt ${attempt}: ${outcome}`, ...violations].join("; "));
          if (outcome !== "failed") break;
        }
      }
    }
    return operations;
  });
}

async function run(
  simulator: Simulator,
  { tested, requestMode }: ProgramStack,
  phase: string,
): Promise<SoakedOperation> {
  const verb = phase === "refresh" || phase === "destroy" ? phase : "up";
  const wanted = phase === "on";
  const project = simulator.project(projectId);
  const [before, received] = [project.privateIpMode.enabled, simulator.requests.length];
  const errors: string[] = [];
  const onEvent = ({ diagnosticEvent }: EngineEvent) => {
    const text = diagnosticEvent?.message.trim() ?? "";
    // The engine adds this to every failed operation.
    const isOwn = !/^(update|refresh|destroy) failed$/.test(text);
    if (diagnosticEvent?.severity === "error" && isOwn) errors.push(text);
  };
  const signal = AbortSignal.timeout(maxMinutes * 60_000);
  if (verb === "up") requestMode(wanted);
  const isDone = await tested.stack[verb]({ onEvent, signal }).then(
    () => true,
    () => false,
  );
  const after = project.privateIpMode.enabled;
  const isRefused = errors.some((error) => refusal.test(error));
  const outcome = isDone ? "succeeded" : isRefused ? "refused" : "failed";

  const violations: string[] = [];
  const expect = (holds: boolean, violation: string) => {
    if (!holds) violations.push(violation);
  };
  const { applied, repeatedBlindly } = changesIn(simulator.requests.slice(received));
  expect(!signal.aborted, `did not end within ${maxMinutes} minutes`);
  expect(repeatedBlindly === 0, "repeated a change without reading the mode");
  expect(applied === (before === after ? 0 : 1), `changed the mode ${applied} times`);
  expect(!isRefused || (phase === "off below 7.0" && after === before), "was refused, or changed");
  expect(!isDone || phase !== "off below 7.0" || !before, "disabled the mode below 7.0");
  expect(!isDone || verb !== "up" || after === wanted, "succeeded with another mode");
  expect(isDone || new Set(errors).size === errors.length, `repeated an error: ${errors.join()}`);
  if (outcome === "failed") {
    const isClear = errors.length > 0 && errors.every((each) => /(GET|PATCH|POST) \//.test(each));
    expect(isClear, `failed with an unclear error: ${errors.join()}`);
  }
  if (isDone) {
    const { mode, pendingOperations } = await readState(tested.stack);
    expect(mode === (verb === "destroy" ? undefined : after), `recorded ${String(mode)}`);
    expect(pendingOperations === 0, "left pending operations in the state");
  }
  const isQuiet = await waitUntil(() => processesWith(tested.folder).length === 0, 10);
  expect(isQuiet, "left a process behind");
  return { outcome, violations };
}

/** Runs a soak, and renders its results. */
export async function runSoak({ number }: Options): Promise<Outcome> {
  const [seed, rounds] = [number("seed"), number("rounds")];
  const operations = await soak(seed, rounds);
  const count = (outcome: SoakedOperation["outcome"]) =>
    operations.filter((each) => each.outcome === outcome).length;
  const violations = operations.flatMap((each) => each.violations);
  const counts = `${operations.length} operations: ${count("succeeded")} succeeded, ${count("refused")} refused by the guard, ${count("failed")} failed and repeated.`;
  const report = `\`npm run quality -- soak --seed ${seed} --rounds ${rounds}\`: ${counts} ${conditionsText()}\n${verdictText(violations)}`;
  return { report, violations };
}
