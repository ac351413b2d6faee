/** Says what a preview means for a reviewer: changes, refusals and their reasons, and drift. Holds no secrets. */
import { changeOf, isOtherValue } from "./changes";
import { codesIn } from "../messages/errors";
import { hasFailed, isPartial } from "./ending";
import type { Preview, Step } from "./eventLog";
import { readMessages } from "./diagnostics";
import type { Change, Message, Report } from "./model";
import { ReceiverIndex } from "./receivers";
import { isInternal, positionIn, typeOf } from "./resources";
import type { StateResource } from "./stackExport";
import { compareOutputs, isExplained, noOutputs } from "./stackOutputs";
import { summaryOf } from "./summary";

export interface ReportInput {
  /** Undefined if the preview failed before its first event. */
  readonly preview: Preview | undefined;
  /** The resources in the state, which say what receives a string, and where each is declared. Default: unknown */
  readonly state?: readonly StateResource[] | undefined;
  /** Default: the project and stack in the URNs */
  readonly title?: string | undefined;
  readonly commit?: string | undefined;
  readonly job?: string | undefined;
  /** The exit code of `pulumi preview`. Any but 0 makes the outcome a failure. */
  readonly exitCode?: number | undefined;
  readonly log?: string | undefined;
  /** The folder of the Pulumi project, which the stack traces of its program name. Default: the current one */
  readonly folder?: string | undefined;
  /** Whether the preview was limited to some resources. Default: false */
  readonly isTargeted?: boolean;
}

const noPreview: Preview = {
  stack: undefined,
  steps: [],
  drift: [],
  diagnostics: [],
  isFinished: false,
  result: undefined,
};

export function buildReport(input: ReportInput): Report {
  const { preview = noPreview, state = [], exitCode = 0 } = input;
  const steps = changingSteps(preview);
  const changes = changesOf(steps, preview, state);
  const { errors, warnings, output } = messagesOf(preview, input);
  const refusals = errors.filter(isRefusal);
  const isFailure = hasFailed(preview, errors, exitCode);
  const outputs = isFailure ? noOutputs : compareOutputs(preview.steps, state);
  const isChanged = preview.steps.some(isChange) || steps.length > 0 || outputs.changed.length > 0;
  const success = isChanged ? "changed" : "unchanged";
  const failure = refusals.length > 0 ? "refused" : "failed";
  const report: Omit<Report, "summary"> = {
    title: input.title ?? preview.stack,
    commit: input.commit,
    job: input.job,
    outcome: isFailure ? failure : success,
    refusals,
    errors: errors.filter((error) => !isRefusal(error)),
    changes,
    outputs: outputs.changed.filter((changed) => !isExplained(changed, changes)),
    secretOutputs: outputs.secret,
    misusedOutputs: outputs.misused,
    isTargeted: input.isTargeted ?? false,
    isPartial: isFailure && isPartial(preview, errors),
    warnings,
    hasState: input.state !== undefined,
    others: steps
      .filter(({ type }) => typeOf(type) === undefined)
      .map((step) => ({
        op: step.op,
        type: step.type,
        name: step.name,
        isRefused: isRefusedIn(preview, step),
      })),
    output,
  };
  return { ...report, summary: summaryOf(report, input.preview, exitCode) };
}

/** Returns what the preview changes, then what a refresh found on other resources. */
function changingSteps({ steps, drift }: Preview): Step[] {
  const counted = steps.filter((step) => !isInternal(step.type) && isChange(step));
  const changing = oneForEachReplacement(counted);
  const changed = new Set(changing.map(({ urn }) => urn));
  return [...changing, ...drift.filter(({ urn }) => !changed.has(urn))];
}

/** An unknown operation counts as a change. */
function isChange({ op }: Pick<Step, "op">): boolean {
  return !["same", "read", "refresh"].includes(op);
}

/** A replacement has three steps. Keeps the one that has both states. */
function oneForEachReplacement(steps: readonly Step[]): Step[] {
  const replaced = new Set(steps.flatMap(({ op, urn }) => (op === "replace" ? [urn] : [])));
  return steps.filter(({ op, urn }) => op === "replace" || !replaced.has(urn));
}

/** Describes steps, private IP modes first because they affect whole projects, with who receives each change. */
function changesOf(
  steps: readonly Step[],
  preview: Preview,
  state: readonly StateResource[],
): Change[] {
  const drifted = new Set(preview.drift.map(({ urn }) => urn));
  const index = new ReceiverIndex(preview, state);
  const changes = steps.flatMap((step) => {
    const described = changeOf(step, drifted.has(step.urn), warningCodes(preview, step));
    const isRefused = isRefusedIn(preview, step);
    return described.map((change) => ({
      ...change,
      isRefused,
      receivers: receiversOf(change, step, index),
    }));
  });
  return changes.sort((a, b) => Number(isModeChange(b)) - Number(isModeChange(a)));
}

function isRefusedIn({ diagnostics }: Preview, { urn }: Step): boolean {
  return diagnostics.some((each) => each.severity === "error" && each.urn === urn);
}

/** Only the plugin's warnings have the resource that they are about. */
function warningCodes({ diagnostics }: Preview, { urn }: Step): string[] {
  const warnings = diagnostics.filter((diagnostic) => diagnostic.urn === urn);
  return warnings.flatMap(({ text }) => codesIn(text));
}

function receiversOf(change: Change, step: Step, index: ReceiverIndex): Change["receivers"] {
  if (!isOtherValue(change)) return undefined;
  if (!isModeChange(change)) return index.ofString(step);
  // Another operation on the resource does not change the mode.
  return change.op === "update" ? index.ofProject(step.new?.["projectId"]) : undefined;
}

const isModeChange = ({ type }: Change) => type === "PrivateIpMode";

/** Reads what the preview said, with the line of the program that declares the resource of a message. */
function messagesOf({ diagnostics }: Preview, input: ReportInput) {
  const { state = [], exitCode = 0, log, folder = process.cwd() } = input;
  const frames = new Map(state.map((resource) => [resource.urn, resource.frames]));
  return readMessages(diagnostics, { exitCode, log, folder }, (urn) =>
    positionIn(folder, frames.get(urn) ?? []),
  );
}

function isRefusal({ text }: Message): boolean {
  return codesIn(text).includes("refused");
}
