/**
 * Says what a preview means for a reviewer: what changes, what the guard refused and why, and what changed
 * outside of the stack. The result holds no secrets. Its text comes from outside: each format escapes it.
 */
import { parse } from "clouddb-connection-strings";
import { isDeepStrictEqual, stripVTControlCharacters } from "node:util";
import { escapeText } from "../messages/text";
import { isUnknown } from "../service/values";
import { ProviderError } from "../messages/errors";
import {
  type PreviewInput,
  type Position,
  type Properties,
  type ResourceName,
  type Step,
  nameOf,
  secret,
} from "./input";

export interface Report {
  /** Which stack it is about, such as `infra/production`; undefined if the input does not say. */
  readonly title: string | undefined;
  /** `refused`: the guard refused disabling. `failed`: any other failure. */
  readonly outcome: "unchanged" | "changed" | "refused" | "failed";
  /** The outcome in one sentence, without text from outside. */
  readonly verdict: string;
  readonly refusals: readonly Refusal[];
  readonly errors: readonly Message[];
  /** The changes of this provider's resources. */
  readonly changes: readonly Change[];
  /** What differs between the state and the service. */
  readonly drift: readonly Change[];
  /** Each warning once. */
  readonly warnings: readonly Message[];
  /** The resources in a stack export. */
  readonly current: readonly Change[];
  /** How many resources do not change. Without meaning after a failure, which ends a preview early. */
  readonly unchanged: number;
  /** How many resources of other providers each operation concerns. */
  readonly others: readonly {
    readonly provider: string;
    readonly op: string;
    readonly count: number;
  }[];
  /** Operations that the input counts, but does not describe. */
  readonly undescribed: readonly { readonly op: string; readonly count: number }[];
  /** What programs and the engine printed, or a log. */
  readonly output: readonly string[];
}

export interface Change extends Located {
  readonly op: string;
  readonly type: "PrivateIpMode" | "ClusterConnectionStrings";
  readonly name: string;
  /** The project ID; for a lookup, followed by a slash and the name of the cluster. */
  readonly subject: string;
  /** On or off; the kind and host of a string; undefined if there is none. */
  readonly from: string | undefined;
  /** The same after the change; undefined if there is none. */
  readonly to: string | undefined;
  readonly properties: readonly {
    readonly name: string;
    readonly old: string | undefined;
    readonly new: string | undefined;
  }[];
}

export interface Refusal extends Message {
  /** The clusters that prevent it. */
  readonly clusters: readonly {
    readonly name: string;
    readonly version: string;
    readonly why: string;
  }[];
  /** How many more clusters prevent it, which the message does not name. */
  readonly more: number;
  /** The project whose mode stays on. */
  readonly projectId: string;
}

export interface Message extends Located {
  /** The type and name of the resource, such as `PrivateIpMode orders`. */
  readonly resource: string | undefined;
  /** The message, without secrets. */
  readonly text: string;
}

/** Something with a place in the program. */
interface Located {
  readonly position: Position | undefined;
}

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

/** The limits for a title and for a value of a resource, in characters: both can appear many times. */
const [maxTitle, maxValue] = [300, 16_384];

/** Creates a report from inputs about one stack: the event log knows most, then the preview. */
export function createReport(inputs: readonly PreviewInput[], context: Context = {}): Report {
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
  const refusals = errors.flatMap((error) => refusalOf(error) ?? []);
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
    errors: errors.filter((error) => refusalOf(error) === undefined),
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

function modeIn({ enabled }: Properties): string {
  return typeof enabled === "boolean" ? onOrOff(enabled) : textOf(enabled);
}

function onOrOff(enabled: boolean): string {
  return enabled ? "on" : "off";
}

function stringIn({ recommended, recommendedKind }: Properties): string {
  const shown = isShown(recommended) ? hostOf(recommended) : textOf(recommended);
  return `${textOf(recommendedKind)} ${shown}`;
}

/** Only the hosts: a user could have added credentials. */
function hostOf(connectionString: string): string {
  const hosts = parsed(connectionString)?.hosts;
  if (hosts === undefined) return "(not a connection string)";
  return `${hosts[0]?.name ?? ""}${hosts.length > 1 ? ` and ${hosts.length - 1} more` : ""}`;
}

/** Shows why a string differs from one of the same kind and host. */
function optionsIn({ recommended }: Properties, shown: string | undefined): string | undefined {
  const options = isShown(recommended) ? parsed(recommended)?.options : undefined;
  return options === undefined ? shown : `${shown ?? ""} ?${options}`;
}

function parsed(connectionString: string): ReturnType<typeof parse> | undefined {
  try {
    return parse(connectionString);
  } catch {
    return undefined;
  }
}

/** Returns whether a value is text without a secret. */
function isShown(value: unknown): value is string {
  return typeof value === "string" && value !== secret && textOf(value) === value;
}

/** Text of a value; never that of a secret. */
function textOf(value: unknown): string {
  if (value === undefined || value === null) return "(none)";
  if (isUnknown(value) || value === "[unknown]") return "(known after the update)";
  const text = typeof value === "string" ? value : JSON.stringify(value);
  // How exports and previews write a secret.
  if (/\[secret\]|1b47061264138c4ac30d75fd1eb44270/.test(text)) return secret;
  const safe = withoutSecrets(text);
  return safe.length > maxValue ? `${safe.slice(0, maxValue)}…` : safe;
}

/**
 * Replaces access tokens after `Bearer`, and credentials in URLs: in each word, everything between the first
 * `://` and the last `@`, because a password that is not encoded can contain any character. Does not recognize
 * the rest of a password after white space, or secrets of other forms.
 */
function withoutSecrets(text: string): string {
  return text.replace(/\b(Bearer)\s+[\w.~+/-]+=*/gi, `$1 ${secret}`).replace(/\S+/g, (word) => {
    const start = word.indexOf("://") + 3;
    const end = word.lastIndexOf("@");
    return start < 3 || end < start ? word : `${word.slice(0, start)}${secret}${word.slice(end)}`;
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

function hasCredentials(value: unknown): boolean {
  if (typeof value === "object" && value !== null) return Object.values(value).some(hasCredentials);
  return typeof value === "string" && parsed(value)?.userInfo !== undefined;
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

/** Returns undefined for null, and for what every object inherits, such as `constructor`. */
function ownValue(properties: Properties, name: string): unknown {
  return Object.hasOwn(properties, name) ? (properties[name] ?? undefined) : undefined;
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

/** Why a cluster prevents disabling if the message only has its version. */
export const tooLow = "below 7.0";

/** Reads the clusters in the guard's message (privateIpMode/guard.ts). */
function refusalOf(error: Message): Refusal | undefined {
  const [, projectId] =
    /^private IP mode of project (\S+) cannot be disabled: /.exec(error.text) ?? [];
  if (projectId === undefined) return undefined;
  const lines = error.text.split("\n");
  const more = lines.map((line) => /^ {2}and (\d{1,9}) more$/.exec(line)?.[1]).find(Boolean);
  const clusters = lines.flatMap((line) => {
    const [, name = "", ...rest] = line.split(/ {2,}/);
    const version = rest.join("  ");
    if (!/^ {2}\S/.test(line) || version === "") return [];
    const reason = version.endsWith(")") ? version.indexOf("(") : -1;
    if (reason === -1) return [{ name, version, why: tooLow }];
    return [
      { name, version: version.slice(0, reason).trimEnd(), why: version.slice(reason + 1, -1) },
    ];
  });
  return { ...error, clusters, more: Number(more ?? 0), projectId };
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

function verdictOf(
  report: Omit<Report, "verdict">,
  main: PreviewInput | undefined,
  exitCode: number,
): string {
  const { outcome, refusals, errors, changes, drift, current } = report;
  if (outcome === "refused") {
    const count = refusals.reduce((all, { clusters, more }) => all + clusters.length + more, 0);
    const because =
      count === 0 ? "" : `; ${counted("# {cluster prevents|clusters prevent} it", count)}`;
    return `Refused: private IP mode cannot be disabled${because}.`;
  }
  if (outcome === "failed") {
    if (main === undefined) return "Failed before the preview began.";
    if (errors.length > 0) return `Failed with ${counted("# {error|errors}", errors.length)}.`;
    if (main.counts === undefined) return "Failed: the preview did not finish.";
    return `Failed: pulumi ${exitCode === 0 ? "reports a failure" : `ended with exit code ${exitCode}`}, but its output has no error.`;
  }
  if (main?.kind === "stack export") {
    const modes = current.filter(({ type }) => type === "PrivateIpMode").length;
    const lookups = counted("# {lookup|lookups}", current.length - modes);
    return `The stack has ${counted("# private IP {mode|modes}", modes)} and ${lookups} of connection strings.`;
  }
  if (outcome === "unchanged") return "No changes.";
  const sum = (counts: readonly { count: number }[]) =>
    counts.reduce((all, { count }) => all + count, 0);
  const parts = [
    ...Object.entries(phrases).map(
      ([meaning, phrase]) =>
        [phrase, changes.filter((each) => meaningOf(each) === meaning).length] as const,
    ),
    ["# {difference was|differences were} made outside of the stack", drift.length] as const,
    [
      "# {resource of other providers changes|resources of other providers change}",
      sum(report.others),
    ] as const,
    ["# {change is|changes are} not described", sum(report.undescribed)] as const,
  ].flatMap(([phrase, count]) => (count === 0 ? [] : [counted(phrase, count)]));
  return parts.length === 0
    ? "Changes: only of the stack itself."
    : `Changes: ${parts.join(", ")}.`;
}

/** What changes mean, in the order of the verdict. */
const phrases = {
  off: "private IP mode is turned off in # {project|projects}",
  on: "private IP mode is turned on in # {project|projects}",
  adopted: "private IP mode is adopted in # {project|projects}",
  unmanaged: "private IP mode is no longer managed in # {project|projects}",
  modeReplaced: "# {resource for private IP mode is|resources for private IP mode are} replaced",
  modeChanged: "the resource for private IP mode changes in # {project|projects}",
  stringChanged: "# {connection string changes|connection strings change}",
  lookupChanged: "# {lookup changes|lookups change}",
  added: "# {lookup is|lookups are} added",
  deleted: "# {lookup is|lookups are} deleted",
  replaced: "# {lookup is|lookups are} replaced",
};

function meaningOf({ type, op, from, to }: Change): keyof typeof phrases {
  if (type === "PrivateIpMode") {
    if (op === "delete") return "unmanaged";
    if (op === "replace") return "modeReplaced";
    if (from !== to && (to === "on" || to === "off")) return to;
    return op === "create" ? "adopted" : "modeChanged";
  }
  if (op === "update") return from === to ? "lookupChanged" : "stringChanged";
  if (op === "create") return "added";
  return op === "delete" ? "deleted" : "replaced";
}

/** Puts a number into a phrase, and chooses between `{one|many}`. */
function counted(phrase: string, count: number): string {
  const chosen = phrase.replace(/\{(.*)\|(.*)\}/, count === 1 ? "$1" : "$2");
  return chosen.replace("#", String(count));
}
