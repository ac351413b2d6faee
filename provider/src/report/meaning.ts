/**
 * Says what a preview means for a reviewer: what changes, what the guard refused and why, and what differs from the
 * state. The result holds no secrets. Its text comes from outside, so each format escapes it.
 */
import { resolve, sep } from "node:path";
import { withCode } from "../messages/codes";
import { escapeText } from "../messages/text";
import { ProviderError } from "../messages/errors";
import { changeOf, differences } from "./changes";
import type { PreviewInput, Step } from "./input";
import { codesIn, readMessages, refusalOf } from "./messages";
import type { Change, Located, Message, Report } from "./model";
import { createReceivers } from "./receivers";
import { type Position, isInternal, nameOf, secret, stackType, typeOf } from "./resources";
import { hasCredentials, outputText, textOf } from "./values";
import { verdictOf } from "./verdict";

/** What the caller knows in addition to the input. */
export interface Context {
  /** Default: the project and stack in the URNs */
  readonly title?: string | undefined;
  /** The commit, and the address of the job's log. */
  readonly commit?: string | undefined;
  readonly job?: string | undefined;
  /** The exit code of `pulumi preview`. Any but 0 makes the outcome a failure. */
  readonly exitCode?: number | undefined;
  /** What pulumi printed, for a preview that failed before it had any other output. */
  readonly log?: string | undefined;
  /** The folder of the Pulumi project, which the stack traces of its program name. Default: the current one */
  readonly folder?: string | undefined;
}

/** The limit for a title, in characters. */
const maxTitle = 300;

/** Says what inputs about one stack mean: the event log knows most, then the preview. */
export function interpret(inputs: readonly PreviewInput[], context: Context = {}): Report {
  const { exitCode = 0, folder = process.cwd() } = context;
  const [events, preview, state] = (["event log", "preview", "stack export"] as const).map((kind) =>
    inputs.find((each) => each.kind === kind),
  );
  // A stack export only says what was not previewed, and what receives a string.
  const main = events ?? preview;
  const located = (urn: string | undefined): Located => {
    const frames = [preview, state].map((each) =>
      positionIn(each?.positions.get(urn ?? ""), folder),
    );
    return { position: frames.find((each) => each !== undefined) };
  };
  const steps = main?.steps ?? [];
  const diagnostics = main?.diagnostics ?? [];
  const { errors, ...messages } = readMessages(diagnostics, { ...context, folder }, located);
  const refusals = errors.flatMap(refusalOf);
  const undescribed = main === undefined ? 0 : undescribedIn(main);
  const { result = "succeeded", counts } = main ?? {};
  const hasFailed =
    exitCode !== 0 || errors.length > 0 || result !== "succeeded" || counts === undefined;
  // A preview that fails shows no outputs, as if all were removed.
  const outputs = hasFailed || events === undefined ? none : outputsOf(steps);
  const changing = oneForEachReplacement(steps.filter((step) => isCounted(step) && isChange(step)));
  const changed = new Set(changing.map(({ urn }) => urn));
  // The change of a resource says what a refresh found, too.
  const drift = (main?.drift ?? []).filter(({ urn }) => !changed.has(urn));
  const isChanged = steps.some(isChange) || drift.length + outputs.changed.length + undescribed > 0;
  const described = [...changing, ...drift].filter(({ type }) => typeOf(type) !== undefined);
  const drifted = new Set(main?.drift.map(({ urn }) => urn));
  const changes = withReceivers(described, inputs, (step) =>
    changeOf(step, {
      ...located(step.urn),
      isDrift: drifted.has(step.urn),
      codes: diagnostics.filter(({ urn }) => urn === step.urn).flatMap(({ text }) => codesIn(text)),
    }),
  );
  const isUnexplained = ({ name }: { readonly name: string }) =>
    !changes.some((each) => isStringChange(each) && each.receivers?.outputs.includes(name));
  const success = isChanged ? "changed" : "unchanged";
  const failure = refusals.length > 0 ? "refused" : "failed";
  const report = {
    title: (context.title ?? stackOf(inputs))?.slice(0, maxTitle),
    commit: context.commit,
    job: context.job,
    outcome: hasFailed ? failure : success,
    refusals,
    errors: errors.filter((error) => refusalOf(error).length === 0),
    changes,
    outputs: outputs.changed.filter(isUnexplained),
    secretOutputs: outputs.secret,
    // A policy, or a change that was not expected, fails a preview at its end.
    isPartial:
      hasFailed && steps.length > 0 && main?.result !== "succeeded" && !isOfPolicies(errors),
    notPreviewed: hasFailed ? notPreviewed(main, state) : undefined,
    // The change says it.
    warnings: [...messages.warnings, ...exposedOutputs(steps)].filter(
      ({ text }) => !(changes.length > 0 && codesIn(text).includes("drift")),
    ),
    unchanged: unchangedIn(main),
    others: [...changing, ...drift]
      .filter(({ type }) => typeOf(type) === undefined)
      .map(({ op, type, name }) => ({ op, type, name })),
    undescribed,
    output: messages.output,
  } as const;
  return { ...report, verdict: verdictOf(report, main, exitCode) };
}

/** The folder of this package, whose files are not the program's even if it is in the project's folder. */
const packageFolder = resolve(__dirname, "../..");

/** Returns the innermost frame in the program itself. */
function positionIn(frames: readonly Position[] = [], folder: string): Position | undefined {
  return frames.find(({ file }) => !resolve(folder, file).startsWith(`${packageFolder}${sep}`));
}

function isOfPolicies(errors: readonly Message[]): boolean {
  return errors.length > 0 && errors.every(({ text }) => text.startsWith("policy "));
}

const none = { changed: [], secret: [] };

/** Only an event log has the outputs before and after. All secrets look the same in it. */
function outputsOf(steps: readonly Step[]) {
  const { old = {}, new: now = {} } = steps.find(({ type }) => type === stackType) ?? {};
  const changed = differences(old, now, outputText);
  const names = new Set(changed.map(({ name }) => name));
  const isHidden = (name: string) => textOf(old[name]) === secret && !names.has(name);
  return { changed, secret: Object.keys(old).filter(isHidden) };
}

/** Describes steps, private IP modes first because they affect whole projects, with who receives each change. */
function withReceivers(
  steps: readonly Step[],
  inputs: readonly PreviewInput[],
  describe: (step: Step) => Change[],
): Change[] {
  const receivers = createReceivers(inputs);
  const all = steps.flatMap((step) =>
    describe(step).map((change) => {
      if (isModeChange(change))
        return { ...change, receivers: receivers.ofProject(step.new?.["projectId"]) };
      return isStringChange(change) ? { ...change, receivers: receivers.ofLookup(step) } : change;
    }),
  );
  return all.sort((a, b) => Number(isOfMode(b)) - Number(isOfMode(a)));
}

const isOfMode = ({ type }: Change) => type === "PrivateIpMode";

function isModeChange(change: Change): boolean {
  return isOfMode(change) && change.op === "update" && change.from?.kind !== change.to?.kind;
}

/** Returns whether a string changes or is new, which resources and outputs can receive. */
function isStringChange({ type, from, to }: Change): boolean {
  const isSame = from?.kind === to?.kind && from?.host === to?.host;
  return type === "ClusterConnectionStrings" && !isSame;
}

/** An engine stops at the first error. Only an event log has the resources that do not change. */
function notPreviewed(
  main: PreviewInput | undefined,
  state: PreviewInput | undefined,
): Report["notPreviewed"] {
  if (main?.kind !== "event log" || state === undefined) return undefined;
  const failed = main.diagnostics.map(({ urn }) => urn);
  const known = new Set([...main.steps.map(({ urn }) => urn), ...failed]);
  return state.steps
    .filter((step) => isCounted(step) && !known.has(step.urn))
    .map(({ urn }) => nameOf(urn));
}

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

function stackOf(inputs: readonly PreviewInput[]): string | undefined {
  const stacks = inputs.map(({ stack }) => stack).filter((each) => each !== undefined);
  const [first, second] = new Set(stacks);
  if (second === undefined) return first;
  throw new ProviderError(
    `The files describe two different stacks, ${escapeText(first ?? "")} and ${escapeText(second)}. Create one report for each stack.`,
  );
}

/** Warns about stack outputs in plain text. A preview as JSON does not contain outputs; an event log does. */
function exposedOutputs(steps: readonly Step[]): Message[] {
  const stacks = steps.filter(({ type }) => type === stackType);
  return stacks
    .flatMap((stack) => Object.entries(stack.new ?? {}))
    .filter(([, value]) => hasCredentials(value))
    .map(([name]) => ({
      resource: undefined,
      text: withCode(
        `the stack output ${name} contains credentials in plain text. Export it with pulumi.secret`,
        "plain-text-output",
      ),
      position: undefined,
    }));
}

/** A preview as JSON counts what a refresh found, but does not always describe it. */
function undescribedIn({ counts = {}, steps, drift }: PreviewInput): number {
  const missing = Object.entries(counts)
    .filter(([op]) => isChange({ op }))
    .map(([op, count]) => Math.max(0, count - steps.filter((step) => step.op === op).length));
  const all = missing.reduce((sum, count) => sum + count, 0);
  return Math.max(0, all - drift.length);
}

/** Without the stack itself. */
function unchangedIn(main: PreviewInput | undefined): number {
  const { counts = {}, steps = [] } = main ?? {};
  const isStackChanged = steps.some((step) => step.type === stackType && isChange(step));
  return Math.max(0, (counts["same"] ?? 0) - Number(!isStackChanged));
}
