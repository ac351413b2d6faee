/** Says what a preview means for a reviewer: changes, refusals and their reasons, and drift. Holds no secrets. */
import { changeOf, differences, isOtherValue } from "./changes";
import { codesIn } from "../messages/errors";
import type { Preview, Step } from "./eventLog";
import { readMessages } from "./diagnostics";
import type { Change, Difference, Message, Report } from "./model";
import { createReceivers } from "./receivers";
import {
  type Properties,
  hostsIn,
  isInternal,
  positionIn,
  secret,
  stackType,
  shownText,
  typeOf,
} from "./resources";
import type { StateResource } from "./stackExport";
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
  const { state = [], exitCode = 0, log, folder = process.cwd() } = input;
  const preview = input.preview ?? noPreview;
  const { steps, diagnostics, isFinished, result = "succeeded" } = preview;
  const changing = oneForEachReplacement(steps.filter((step) => isCounted(step) && isChange(step)));
  const changed = new Set(changing.map(({ urn }) => urn));
  // The change of a resource says what a refresh found, too.
  const drift = preview.drift.filter(({ urn }) => !changed.has(urn));
  const drifted = new Set(preview.drift.map(({ urn }) => urn));
  const changes = withReceivers([...changing, ...drift], preview, state, (step) => {
    // Only the plugin's warnings have the resource that they are about.
    const warnings = diagnostics.filter(({ urn }) => urn === step.urn);
    const codes = warnings.flatMap(({ text }) => codesIn(text));
    return changeOf(step, drifted.has(step.urn), codes);
  });
  const frames = new Map(state.map((resource) => [resource.urn, resource.frames]));
  const { errors, ...messages } = readMessages(diagnostics, { exitCode, log, folder }, (urn) =>
    positionIn(folder, frames.get(urn) ?? []),
  );
  const refusals = errors.filter(isRefusal);
  const hasFailed = exitCode !== 0 || errors.length > 0 || result !== "succeeded" || !isFinished;
  const outputs = outputsOf(steps, state, hasFailed);
  const isUnexplained = ({ name, old, new: now }: Difference) => {
    const lookups = changes.filter((change) => !isModeChange(change));
    const received = lookups.filter(({ receivers }) => receivers?.outputs.includes(name));
    if (received.length === 0) return true;
    if (old === undefined || now === undefined) return false;
    return withoutStrings(old, received) !== withoutStrings(now, received);
  };
  const isChanged = steps.some(isChange) || drift.length + outputs.changed.length > 0;
  const success = isChanged ? "changed" : "unchanged";
  const failure = refusals.length > 0 ? "refused" : "failed";
  const report = {
    title: input.title ?? preview.stack,
    commit: input.commit,
    job: input.job,
    outcome: hasFailed ? failure : success,
    refusals,
    errors: errors.filter((error) => !isRefusal(error)),
    changes,
    outputs: outputs.changed.filter(isUnexplained),
    secretOutputs: outputs.secret,
    isTargeted: input.isTargeted ?? false,
    // A policy, or a change that was not expected, fails a preview at its end.
    isPartial:
      hasFailed &&
      steps.length > 0 &&
      preview.result !== "succeeded" &&
      (errors.length === 0 || errors.some(({ isPolicyViolation }) => !isPolicyViolation)),
    warnings: messages.warnings,
    hasState: input.state !== undefined,
    others: [...changing, ...drift]
      .filter(({ type }) => typeOf(type) === undefined)
      .map(({ op, type, name }) => ({ op, type, name })),
    output: messages.output,
  } as const;
  return { ...report, summary: summaryOf(report, input.preview, exitCode) };
}

function isRefusal({ text }: Message): boolean {
  return codesIn(text).includes("refused");
}

/** Replaces the strings of changes and, in strings with other credentials or options, their hosts. */
function withoutStrings(text: string, changes: readonly Change[]): string {
  const strings = changes.flatMap(({ from, to }) => [from?.string ?? "", to?.string ?? ""]);
  const parts = [...strings, ...hostsIn(strings)].filter((part) => part !== "");
  return parts.reduce((all, part) => all.replaceAll(part, "…"), text);
}

/** Compares stack outputs. Secrets cannot be compared, and a failed preview has none, as if all were removed. */
function outputsOf(steps: readonly Step[], state: readonly StateResource[], hasFailed: boolean) {
  const stack = steps.find(({ type }) => type === stackType);
  const recorded = state.find(({ type }) => type === stackType)?.properties;
  const old = withoutMarks(stack?.old ?? recorded);
  const changed = hasFailed ? [] : differences(old, withoutMarks(stack?.new));
  const names = new Set(changed.map(({ name }) => name));
  const isHidden = (name: string) => shownText(old[name]) === secret && !names.has(name);
  return { changed, secret: Object.keys(old).filter(isHidden) };
}

/** Removes the SDK's mark of exported resources, which recorded outputs lack. */
function withoutMarks(outputs: Properties = {}): Properties {
  const unmarked = (output: unknown): unknown =>
    JSON.parse(
      JSON.stringify(output ?? null, (key, value: unknown) =>
        key === "@isPulumiResource" ? undefined : value,
      ),
    );
  return Object.fromEntries(
    Object.entries(outputs).map(([name, output]) => [name, unmarked(output)]),
  );
}

/** Describes steps, private IP modes first because they affect whole projects, with who receives each change. */
function withReceivers(
  steps: readonly Step[],
  preview: Preview,
  state: readonly StateResource[],
  describe: (step: Step) => Change[],
): Change[] {
  const receivers = createReceivers(preview, state);
  const all = steps.flatMap((step) =>
    describe(step).map((change) => {
      if (!isOtherValue(change)) return change;
      if (!isModeChange(change)) return { ...change, receivers: receivers.ofLookup(step) };
      // Another operation on the resource does not change the mode.
      if (change.op !== "update") return change;
      return { ...change, receivers: receivers.ofProject(step.new?.["projectId"]) };
    }),
  );
  return all.sort((a, b) => Number(isModeChange(b)) - Number(isModeChange(a)));
}

const isModeChange = ({ type }: Change) => type === "PrivateIpMode";

function isCounted({ type }: Step): boolean {
  return !isInternal(type);
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
