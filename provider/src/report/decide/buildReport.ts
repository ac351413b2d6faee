/**
 * Builds the report of a preview: what it changes, why it is refused or failed, and what differs in the service. What
 * the preview and the state say is read in ../read, and the report is written in ../write.
 */
import type { Message, Report } from "../model";
import { type Preview, type Step, isChange } from "../read/eventLog";
import { type MessageInput, readMessages } from "../read/messages";
import { isUncounted, stackType, typeOf } from "../resourceNames";
import { changeOf, otherChanges } from "./changes";
import { laterLookups } from "./laterLookups";
import { ReceiverIndex } from "./receivers";
import { compareOutputs, unexplained } from "./stackOutputs";
import { changeSummary, failureSummary } from "./summary";

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
  leftovers: [],
  drift: [],
  diagnostics: [],
  remediations: [],
  isFinished: false,
  result: undefined,
  hasChanges: false,
};

/** Builds the report of a preview, which may have failed. */
export function buildReport(input: ReportInput): Report {
  const { preview = noPreview, state = [], exitCode = 0, isTargeted = false } = input;
  const steps = changingSteps(preview);
  const index = new ReceiverIndex(preview, state);
  const changes = steps.flatMap((step) => changeOf(step, preview, index));
  const others = otherChanges(steps, preview);
  const { errors, warnings, output } = readMessages(preview.diagnostics, input);
  // The guard refused to disable a mode.
  const isRefusal = ({ code }: Message) => code === "refused";
  const refusals = errors.filter(isRefusal);
  const isFailed = hasFailed(preview, errors, exitCode);
  // A failed preview has no outputs, and a refresh alone does not run the program.
  const hasOutputs = !isFailed && preview.steps.some(({ type }) => type === stackType);
  const { outputs, ...ofOutputs } = compareOutputs(hasOutputs ? index.outputs : [], index.graph);
  const { hasChanges = preview.hasChanges } = input;
  const changed = { changes, otherChanges: others, outputs };
  const summary = changeSummary(changed, preview.steps, hasChanges);
  const success = summary === "" ? "unchanged" : "changed";
  const failure = refusals.length > 0 ? "refused" : "failed";
  return {
    title: input.title ?? preview.stack,
    commit: input.commit,
    job: input.job,
    outcome: isFailed ? failure : success,
    summary: isFailed ? failureSummary(errors, input.preview, exitCode) : summary,
    refusals,
    errors: errors.filter((error) => !isRefusal(error)),
    changes,
    ...ofOutputs,
    outputs: unexplained(outputs, changes),
    laterLookups: isTargeted ? undefined : laterLookups(preview.steps, index),
    isTargeted,
    isPartial: isFailed && isPartial(preview, errors),
    warnings,
    hasState: input.state !== undefined,
    otherChanges: others,
    output,
  };
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
function changingSteps({ steps, drift }: Preview): Step[] {
  const changing = steps.filter((step) => !isUncounted(step) && isChange(step.op));
  const changed = new Set(changing.map(({ recordedUrn }) => recordedUrn));
  return [
    ...changing.map((step) => withRecorded(step, drift)),
    ...drift.filter(({ urn }) => !changed.has(urn)),
  ];
}

/** Returns a step on a lookup with the string that applications have, although a refresh found another one. */
function withRecorded(step: Step, drift: readonly Step[]): Step {
  if (typeOf(step.type) !== "ClusterConnectionStrings" || step.old === undefined) return step;
  return { ...step, old: drift.find(({ urn }) => urn === step.recordedUrn)?.old ?? step.old };
}

/**
 * Returns whether a failed preview ended after it began and before Pulumi had seen all resources, so that changes and
 * errors of later ones can be missing.
 */
function isPartial(
  { steps, leftovers, result, isFinished }: Preview,
  errors: readonly Message[],
): boolean {
  // It failed before the program registered anything, even the stack, so there is nothing to be a part of.
  if (steps.length + leftovers.length === 0) return false;
  // Pulumi failed after the preview, for example because of --expect-no-changes.
  if (result === "succeeded") return false;
  // Pulumi lists deletions only after the program has ended and all its resources were seen.
  if (steps.some(({ op }) => op === "delete")) return false;
  // Without the engine's summary or an error, something ended Pulumi.
  return !isFinished || errors.length === 0 || errors.some(stopsPulumi);
}

/** Returns whether Pulumi stops at an error. The events say of most others that it goes on (`Diagnostic.goesOn`). */
function stopsPulumi({ goesOn = false, text }: Message): boolean {
  // Pulumi looks for missing targets after all resources.
  const isMissingTarget = /^Target '[^']*' could not be found/.test(text);
  return !goesOn && !isMissingTarget;
}
