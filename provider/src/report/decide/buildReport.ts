/**
 * Builds the report of a preview: what it changes, why it is refused or failed, and what differs in the service. What
 * the preview and the state say is read in ../read, and the report is written in ../write.
 */
import type { Message, Report } from "../model";
import { type Preview, type Step, isChange } from "../read/eventLog";
import { type MessageInput, readMessages } from "../read/messages";
import { isUncounted, typeOf } from "../resourceNames";
import { changesOf, isLeftover, otherChanges } from "./changes";
import { laterLookups } from "./laterLookups";
import { isPartial } from "./partial";
import { ReceiverIndex } from "./receivers";
import { compareOutputs, unexplained, noOutputs } from "./stackOutputs";
import { isStackChange, summaryOf } from "./summary";

/** What a report is built of. */
export interface ReportInput extends MessageInput {
  /** Undefined if the preview failed before its first event. */
  readonly preview: Preview | undefined;
  /** Default: the project and stack in the URNs */
  readonly title?: string | undefined;
  readonly commit?: string | undefined;
  readonly job?: string | undefined;
  /** Whether Pulumi says that it found changes. Default: what the preview says */
  readonly hasChanges?: boolean | undefined;
  /** Whether the preview was limited to some resources. Default: false */
  readonly isTargeted?: boolean;
}

/** Stands for the preview if it failed before its first event. */
const noPreview: Preview = {
  stack: undefined,
  steps: [],
  drift: [],
  diagnostics: [],
  remediations: [],
  isFinished: false,
  result: undefined,
  hasChanges: false,
};

/** Builds the report. If the preview failed, also says whether the report is partial (partial.ts). */
export function buildReport(input: ReportInput): Report {
  const { preview = noPreview, state = [], exitCode = 0 } = input;
  const steps = changingSteps(preview);
  const index = new ReceiverIndex(preview, state);
  const changes = changesOf(steps, preview, index);
  const { errors, warnings, output } = readMessages(preview.diagnostics, input);
  const refusals = errors.filter(isGuardRefusal);
  const isFailed = hasFailed(preview, errors, exitCode);
  const stackOutputs = isFailed ? noOutputs : compareOutputs(preview.steps, state, index.outputs);
  const { outputs } = stackOutputs;
  const { hasChanges = preview.hasChanges || preview.steps.some(isStackChange) } = input;
  const isChanged = hasChanges || steps.length > 0 || outputs.length > 0;
  const success = isChanged ? "changed" : "unchanged";
  const failure = refusals.length > 0 ? "refused" : "failed";
  const report: Omit<Report, "summary"> = {
    title: input.title ?? preview.stack,
    commit: input.commit,
    job: input.job,
    outcome: isFailed ? failure : success,
    refusals,
    errors: errors.filter((error) => !isGuardRefusal(error)),
    changes,
    ...stackOutputs,
    changedOutputs: [...new Set(outputs.map(({ output }) => output))],
    outputs: unexplained(outputs, changes),
    laterLookups: input.isTargeted ? undefined : laterLookups(preview.steps, index),
    isTargeted: input.isTargeted ?? false,
    isPartial: isFailed && isPartial(preview, errors),
    warnings,
    hasState: input.state !== undefined,
    otherChanges: otherChanges(steps, preview),
    output,
  };
  return { ...report, summary: summaryOf(report, input.preview, exitCode) };
}

/** Returns whether a preview failed, whichever of its exit code, its events and its end says so. */
function hasFailed(preview: Preview, errors: readonly Message[], exitCode: number): boolean {
  const { isFinished, result = "succeeded" } = preview;
  return exitCode !== 0 || errors.length > 0 || result !== "succeeded" || !isFinished;
}

/** Returns whether a report is that of a failed preview, which the guard or anything else made fail. */
export function isFailure({ outcome }: Report): boolean {
  return outcome === "refused" || outcome === "failed";
}

/** Returns the steps that change something, then what a refresh found on resources that no step changes. */
function changingSteps({ steps, drift, result }: Preview): Step[] {
  const counted = steps.filter((step) => !isUncounted(step) && isChange(step.op));
  const changing = oneForEachReplacement(counted).map((step) =>
    result === "succeeded" && isDeletedForGood(step) ? { ...step, op: "delete" } : step,
  );
  const changed = new Set(changing.filter((step) => !isLeftover(step)).map(({ urn }) => urn));
  return [
    ...changing.map((step) => withRecorded(step, drift)),
    ...drift.filter(({ urn }) => !changed.has(urn)),
  ];
}

/** Returns a step on a lookup with the string that applications have, although a refresh found another one. */
function withRecorded(step: Step, drift: readonly Step[]): Step {
  if (typeOf(step.type) !== "ClusterConnectionStrings") return step;
  return { ...step, old: drift.find(({ urn }) => urn === step.recordedUrn)?.old ?? step.old };
}

/**
 * Returns whether a step deletes a resource because one that it depends on is replaced, and none follows that creates it
 * again, as the program no longer declares it.
 */
function isDeletedForGood({ op, isPendingDeletion }: Step): boolean {
  return op === "delete-replaced" && !isPendingDeletion;
}

/** Keeps one of the three steps of each replacement, the one that has the resource before and after it. */
function oneForEachReplacement(steps: readonly Step[]): Step[] {
  const replaced = new Set(steps.flatMap(({ op, urn }) => (op === "replace" ? [urn] : [])));
  return steps.filter(({ op, urn }) => op === "replace" || !replaced.has(urn));
}

/** Returns whether an error is the guard's, which refused to disable a mode. */
function isGuardRefusal({ code }: Message): boolean {
  return code === "refused";
}
