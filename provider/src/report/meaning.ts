/**
 * Says what a preview means for a reviewer: what changes, what the guard refused and why, and what changed
 * outside of the stack. The result holds no secrets. Its text comes from outside, so each format escapes it.
 */
import { withCode } from "../messages/codes";
import { escapeText } from "../messages/text";
import { ProviderError } from "../messages/errors";
import { changeOf, differences, driftSeenByCheck } from "./changes";
import {
  type PreviewInput,
  type Position,
  type ResourceName,
  type Step,
  nameOf,
  secret,
  stackType,
  typeOf,
} from "./input";
import { readMessages, refusalOf } from "./messages";
import type { Change, Located, Message, Report } from "./model";
import { createReceivers } from "./receivers";
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
  /** Further previews, without the resources that failed in those before, which stopped at them. */
  readonly repeats?: readonly PreviewInput[] | undefined;
  /** What pulumi printed, for a preview that failed before it had any other output. */
  readonly log?: string | undefined;
  /**
   * Finds the declaration of a resource in the program. A failed resource has no place in the preview, and a
   * stack export has that of the last update. Default: the place of the last update
   */
  readonly locate?: (resource: ResourceName, last: Position | undefined) => Position | undefined;
}

/** The limit for a title, in characters. It can appear many times. */
const maxTitle = 300;

/** Says what inputs about one stack mean: the event log knows most, then the preview. */
export function interpret(inputs: readonly PreviewInput[], context: Context = {}): Report {
  const { exitCode = 0 } = context;
  const [events, preview, state] = (["event log", "preview", "stack export"] as const).map((kind) =>
    inputs.find((each) => each.kind === kind),
  );
  // After a failure, an export only says what was not previewed.
  const main = events ?? preview ?? (exitCode === 0 ? state : undefined);
  const stack = stackOf(inputs);
  const located = (urn: string | undefined): Located => {
    if (urn === undefined) return { position: undefined };
    const last = state?.positions.get(urn);
    const now = preview?.positions.get(urn);
    return { position: now ?? (context.locate ? context.locate(nameOf(urn), last) : last) };
  };
  const isExport = main !== undefined && main === state;
  const steps = main?.steps ?? [];
  const counted = steps.filter(({ type }) => !isInternal(type));
  const ours = counted.filter(({ type }) => typeOf(type) !== undefined);
  // Private IP modes first, because they affect whole projects.
  const changing = oneForEachReplacement(ours.filter(isChange)).sort(
    (a, b) =>
      Number(typeOf(b.type) === "PrivateIpMode") - Number(typeOf(a.type) === "PrivateIpMode"),
  );
  const described = changing.flatMap((step) =>
    changeOf(step, located(step.urn)).map((change) => ({ ...change, step })),
  );
  const drift = [
    ...(main?.drift ?? []).flatMap((step) => changeOf(step, located(step.urn))),
    ...changing.flatMap((step) => driftSeenByCheck(step, located(step.urn))),
  ].map((each) => ({ ...each, cause: "service", position: undefined }) as const);
  const diagnostics = [main, ...(context.repeats ?? [])].flatMap((each) => each?.diagnostics ?? []);
  const { errors, ...messages } = readMessages(diagnostics, context, located);
  const refusals = errors.flatMap(refusalOf);
  const undescribed = main === undefined || isExport ? 0 : undescribedIn(main);
  const others = groupsOf(
    oneForEachReplacement(
      counted.filter((step) => isChange(step) && typeOf(step.type) === undefined),
    ),
  );
  const { result = "succeeded", counts } = main ?? {};
  const hasFailed =
    exitCode !== 0 || errors.length > 0 || result !== "succeeded" || counts === undefined;
  // A preview that fails shows no outputs, as if all were removed.
  const outputs = hasFailed || events === undefined ? none : outputsOf(steps);
  const isChanged = steps.some(isChange) || drift.length + outputs.changed.length + undescribed > 0;
  const success = isChanged ? "changed" : "unchanged";
  const failure = refusals.length > 0 ? "refused" : "failed";
  const report = {
    title: (context.title ?? stack)?.slice(0, maxTitle),
    commit: context.commit,
    job: context.job,
    outcome: hasFailed ? failure : success,
    refusals,
    errors: errors.filter((error) => refusalOf(error).length === 0),
    changes: withReceivers(described, inputs),
    outputs: outputs.changed,
    secretOutputs: outputs.secret,
    drift,
    // A policy, or a change that was not expected, fails a preview at its end.
    isPartial:
      hasFailed && steps.length > 0 && main?.result !== "succeeded" && !isOfPolicies(errors),
    notPreviewed: hasFailed ? notPreviewed(main, state, diagnostics) : undefined,
    warnings: [...messages.warnings, ...exposedOutputs(steps)],
    current: isExport ? ours.flatMap((step) => changeOf(step, located(step.urn))) : [],
    unchanged: unchangedIn(main),
    others,
    undescribed,
    output: messages.output,
  } as const;
  return { ...report, verdict: verdictOf(report, main, exitCode) };
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

/** How many receivers are found; those of further changes are not. */
const maxReceivers = 20_000;

/** Adds who receives each changed string, and what uses the project of a changed mode. */
function withReceivers(
  changes: readonly (Change & { readonly step: Step })[],
  inputs: readonly PreviewInput[],
): Change[] {
  const receivers = createReceivers(inputs);
  let found = 0;
  return changes.map(({ step, ...change }) => {
    const isMode = change.type === "PrivateIpMode";
    const isString = !isMode && change.op !== "create";
    const isFollowed = change.from !== change.to && (isMode ? change.op === "update" : isString);
    if (!isFollowed || found > maxReceivers) return change;
    const of = isMode ? receivers.ofProject(step.new?.["projectId"]) : receivers.ofLookup(step);
    found += [of.lookups, of.direct, of.further, of.outputs].flat().length;
    return { ...change, receivers: of };
  });
}

/** An engine stops at the first error. Only an event log has the resources that do not change. */
function notPreviewed(
  main: PreviewInput | undefined,
  state: PreviewInput | undefined,
  diagnostics: PreviewInput["diagnostics"],
): Report["notPreviewed"] {
  if (main?.kind !== "event log" || state === undefined) return undefined;
  const failed = diagnostics.map(({ urn }) => urn);
  const known = new Set([...main.steps.map(({ urn }) => urn), ...failed]);
  return state.steps
    .filter(({ urn, type }) => !isInternal(type) && !known.has(urn))
    .map(({ urn }) => nameOf(urn));
}

/** The stack itself, and providers, which Pulumi does not count either. */
function isInternal(type: string): boolean {
  return type === stackType || type.startsWith("pulumi:providers:");
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

function groupsOf(steps: readonly Step[]): Report["others"] {
  const groups = new Map<string, { provider: string; op: string; count: number }>();
  for (const { type, op } of steps) {
    const [module = ""] = type.split(":");
    const provider = module === "pulumi-nodejs" ? "dynamic resources" : module;
    const group = groups.get(`${provider} ${op}`) ?? { provider, op, count: 0 };
    groups.set(`${provider} ${op}`, { ...group, count: group.count + 1 });
  }
  return [...groups.values()];
}

/** A preview as JSON counts what a refresh found, but does not describe it. */
function undescribedIn({ counts = {}, steps, drift }: PreviewInput): number {
  const described = new Map<string, number>();
  for (const { op } of [...steps, ...drift]) described.set(op, (described.get(op) ?? 0) + 1);
  return Object.entries(counts)
    .filter(([op]) => isChange({ op }))
    .reduce((sum, [op, count]) => sum + Math.max(0, count - (described.get(op) ?? 0)), 0);
}

/** Without the stack itself and, in an export, the providers. */
function unchangedIn(main: PreviewInput | undefined): number {
  const { counts = {}, steps = [], kind } = main ?? {};
  if (kind === "stack export") return steps.filter(({ type }) => !isInternal(type)).length;
  const isStackChanged = steps.some((step) => step.type === stackType && isChange(step));
  return Math.max(0, (counts["same"] ?? 0) - Number(!isStackChanged));
}
