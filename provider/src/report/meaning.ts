/**
 * Says what a preview means for a reviewer: what changes, what the guard refused and why, and what changed
 * outside of the stack. The result holds no secrets. Its text comes from outside: each format escapes it.
 */
import { isDeepStrictEqual, stripVTControlCharacters } from "node:util";
import { escapeText } from "../messages/text";
import { ProviderError } from "../messages/errors";
import { readRefusal } from "../privateIpMode/guard";
import {
  type PreviewInput,
  type Position,
  type Properties,
  type ResourceName,
  type Step,
  nameOf,
  secret,
} from "./input";
import type { Change, Located, Message, Refusal, Report } from "./model";
import {
  hasCredentials,
  modeIn,
  onOrOff,
  optionsIn,
  ownValue,
  stringIn,
  textOf,
  withoutSecrets,
} from "./values";
import { verdictOf } from "./verdict";

/** What the caller knows in addition to the input. */
export interface Context {
  /** Default: the project and stack in the URNs */
  readonly title?: string | undefined;
  /** The exit code of `pulumi preview`. Any but 0 makes the outcome a failure. */
  readonly exitCode?: number | undefined;
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
  const order = ["event log", "preview", "stack export"];
  const [main] = [...inputs].sort((a, b) => order.indexOf(a.kind) - order.indexOf(b.kind));
  const { exitCode = 0, log } = context;
  const stack = stackOf(inputs);
  const located = (urn: string | undefined): Located => {
    if (urn === undefined) return { position: undefined };
    const [now, last] = ["preview", "stack export"].map((kind) =>
      inputs.find((each) => each.kind === kind)?.positions.get(urn),
    );
    return { position: now ?? (context.locate ? context.locate(nameOf(urn), last) : last) };
  };
  const isExport = main?.kind === "stack export";
  const steps = main?.steps ?? [];
  const counted = steps.filter(({ type }) => !isInternal(type));
  const ours = counted.filter(({ type }) => typeOf(type) !== undefined);
  // Private IP modes first: they affect whole projects.
  const changing = oneForEachReplacement(ours.filter(isChange)).sort(
    (a, b) =>
      Number(typeOf(b.type) === "PrivateIpMode") - Number(typeOf(a.type) === "PrivateIpMode"),
  );
  const changes = changing.flatMap((step) => changeOf(step, located(step.urn)));
  const drift = [
    ...(main?.drift ?? []).flatMap((step) => changeOf(step, located(step.urn))),
    ...changing.flatMap((step) => driftSeenByCheck(step, located(step.urn))),
  ];
  const messages = (severity: string) => {
    const found = new Map<string, Message>();
    for (const { urn, ...each } of main?.diagnostics ?? []) {
      const text = withoutSecrets(briefly(each.text));
      if (each.severity !== severity || found.has(text)) continue;
      found.set(text, { resource: urn && resourceOf(nameOf(urn)), text, ...located(urn) });
    }
    return [...found.values()];
  };
  const printed = withoutSecrets(stripVTControlCharacters(log ?? "").trim());
  const early = main === undefined && printed !== "" ? [printed.replace(/^error: /, "")] : [];
  const errors = [
    ...messages("error"),
    ...early.map((text) => ({ resource: undefined, text, ...located(undefined) })),
  ];
  const refusals = errors.flatMap(refusalOf);
  const undescribed = isExport ? [] : undescribedIn(main);
  const others = groupsOf(
    oneForEachReplacement(
      counted.filter((step) => isChange(step) && typeOf(step.type) === undefined),
    ),
  );
  const hasFailed =
    exitCode !== 0 || errors.length > 0 || main?.hasFailed === true || main?.counts === undefined;
  const isChanged = steps.some(isChange) || [drift, undescribed].some((each) => each.length > 0);
  const success = isChanged ? "changed" : "unchanged";
  const failure = refusals.length > 0 ? "refused" : "failed";
  const report = {
    title: (context.title ?? stack)?.slice(0, maxTitle),
    outcome: hasFailed ? failure : success,
    refusals,
    errors: errors.filter((error) => refusalOf(error).length === 0),
    changes,
    drift,
    warnings: [...messages("warning"), ...exposedOutputs(steps)],
    current: isExport ? ours.flatMap((step) => changeOf(step, located(step.urn))) : [],
    unchanged: unchangedIn(main),
    others,
    undescribed,
    output: [
      ...messages("info").map(({ text }) => text),
      ...(printed === "" || early.length > 0 ? [] : [printed]),
    ],
  } as const;
  return { ...report, verdict: verdictOf(report, main, exitCode) };
}

/** Returns a version of this package's type token in either kind of provider, without its module. */
function typeOf(token: string): Change["type"] | undefined {
  const [, type] = /^(?:pulumi-nodejs:dynamic\/clouddb:|clouddb:index:)(\w+)$/.exec(token) ?? [];
  return type === "PrivateIpMode" || type === "ClusterConnectionStrings" ? type : undefined;
}

/** The stack itself, and providers, which Pulumi does not count either. */
function isInternal(type: string): boolean {
  return type === "pulumi:pulumi:Stack" || type.startsWith("pulumi:providers:");
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
    `The files are about two stacks, ${escapeText(first ?? "")} and ${escapeText(second)}. Create one report for each stack.`,
  );
}

function changeOf(step: Step, located: Located): Change[] {
  const type = typeOf(step.type);
  if (type === undefined) return [];
  const { op, name, old, new: changed } = step;
  const show = type === "PrivateIpMode" ? modeIn : stringIn;
  const subject = (each: Properties = {}) =>
    [each["projectId"], ...(type === "PrivateIpMode" ? [] : [each["clusterName"]])]
      .map(textOf)
      .join("/");
  const isMoved = old && changed && subject(old) !== subject(changed);
  const place = (each: Properties) => (isMoved ? ` (${subject(each)})` : "");
  const [from, to] = [old, changed].map((each) => each && `${show(each)}${place(each)}`);
  return [
    {
      op,
      type,
      name,
      subject: subject(changed ?? old),
      from: old === undefined ? adoptedMode(type, changed) : (seenByCheck(old, changed) ?? from),
      to:
        changed === undefined
          ? modeAfterDelete(type, old)
          : to === from
            ? optionsIn(changed, to)
            : to,
      properties: differences(old, changed),
      ...located,
    },
  ];
}

/** Before a resource is created, its project already has the mode on or off. */
function adoptedMode(type: Change["type"], created: Properties = {}): string | undefined {
  const mode = created["enabledAtAdoption"];
  return type === "PrivateIpMode" && typeof mode === "boolean" ? onOrOff(mode) : undefined;
}

/** Deleting the resource keeps the mode, or restores what it was before. */
function modeAfterDelete(type: Change["type"], deleted: Properties = {}): string | undefined {
  if (type !== "PrivateIpMode") return undefined;
  const { onDelete, enabled, enabledAtAdoption, __setByStack = enabled } = deleted;
  const isSetByStack = enabled === __setByStack;
  const isRestored =
    onDelete === "restore" && isSetByStack && typeof enabledAtAdoption === "boolean";
  return `${isRestored ? onOrOff(enabledAtAdoption) : modeIn(deleted)} (no longer managed)`;
}

/** If `check` found that the mode was changed outside of the stack, the state has the same value as the program. */
function seenByCheck(old: Properties, changed: Properties = {}): string | undefined {
  const { enabled, changedOutside } = changed;
  if (typeof enabled !== "boolean" || typeof changedOutside !== "string") return undefined;
  return old["enabled"] === enabled ? onOrOff(!enabled) : undefined;
}

function driftSeenByCheck(step: Step, located: Located): Change[] {
  const found = step.old && seenByCheck(step.old, step.new);
  if (found === undefined) return [];
  return changeOf({ ...step, new: step.old }, located).map((change) => {
    return { ...change, op: "update", to: found };
  });
}

/** Warns about stack outputs in plain text. A preview as JSON does not contain outputs; an event log does. */
function exposedOutputs(steps: readonly Step[]): Message[] {
  const stacks = steps.filter(({ type }) => type === "pulumi:pulumi:Stack");
  return stacks
    .flatMap((stack) => Object.entries(stack.new ?? {}))
    .filter(([, value]) => hasCredentials(value))
    .map(([name]) => ({
      resource: undefined,
      text: `the stack output ${name} contains credentials in plain text: export it with pulumi.secret`,
      position: undefined,
    }));
}

function differences(old: Properties = {}, changed: Properties = {}): Change["properties"] {
  const names = [...new Set([...Object.keys(old), ...Object.keys(changed)])].sort();
  return (
    names
      // The warning has the text of `changedOutside`.
      .filter((name) => !name.startsWith("__") && name !== "changedOutside")
      .map((name) => ({ name, values: [old, changed].map((each) => ownValue(each, name)) }))
      .filter(({ values }) => !isDeepStrictEqual(values[0], values[1]))
      .map(({ name, values }) => {
        const [before, after] = values.map((value) =>
          value === undefined ? undefined : textOf(value),
        );
        const isSecret = before === secret || after === secret;
        const shown = (text: string | undefined) =>
          isSecret && text !== undefined ? secret : text;
        return { name, old: shown(before), new: shown(after) };
      })
  );
}

function resourceOf({ type, name }: ResourceName): string {
  return `${typeOf(type) ?? type} ${name}`;
}

/** Removes what the engine puts before a check failure: the resource is shown beside it. */
function briefly(text: string): string {
  const [start = ""] = /^\S+ resource '/.exec(text) ?? [];
  const [end = ""] = start === "" ? [] : (/['}] has a problem: /.exec(text) ?? []);
  return end === "" ? text : text.slice(text.indexOf(end) + end.length);
}

function refusalOf(error: Message): Refusal[] {
  const refusal = readRefusal(error.text);
  return refusal === undefined ? [] : [{ ...error, ...refusal }];
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
function undescribedIn(main: PreviewInput | undefined): Report["undescribed"] {
  if (main?.counts === undefined) return [];
  const described = new Map<string, number>();
  for (const { op } of [...main.steps, ...main.drift])
    described.set(op, (described.get(op) ?? 0) + 1);
  return Object.entries(main.counts).flatMap(([op, count]) => {
    const missing = count - (described.get(op) ?? 0);
    return missing > 0 && isChange({ op }) ? [{ op, count: missing }] : [];
  });
}

/** Without the stack itself and, in an export, the providers. */
function unchangedIn(main: PreviewInput | undefined): number {
  const { counts = {}, steps = [], kind } = main ?? {};
  if (kind === "stack export") return steps.filter(({ type }) => !isInternal(type)).length;
  const isStackChanged = steps.some(
    (step) => step.type === "pulumi:pulumi:Stack" && isChange(step),
  );
  return Math.max(0, (counts["same"] ?? 0) - Number(!isStackChanged));
}
