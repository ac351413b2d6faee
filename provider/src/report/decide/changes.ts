/** Says what happens to a resource of this package: its value before and after, and who changed it. */
import { isDeepStrictEqual } from "node:util";
import { argsSchema, querySchema } from "../../clusterConnectionStrings/args";
import { isChangedOutside, modeIn, notKnown, onOrOff } from "../../privateIpMode/args";
import { changedParts, urlValue } from "./databaseUrls";
import { differences, valueIn } from "./differences";
import type { Step } from "../read/eventLog";
import type { Change, Difference, Value } from "../model";
import { type OwnType, typeOf } from "../resourceNames";
import { type Properties, containsSecret, hiddenText, shownText, unknownText } from "../values";
import { networkName } from "./connectionStrings";

/** A change before it is compared with the errors of the preview and with the state. */
export type DescribedChange = Omit<Change, "hasError" | "receivers">;

/**
 * Describes a step on a resource of this package. Returns an empty list for other resources.
 *
 * @param step what the engine does
 * @param isDrift whether a refresh found that the service differs from the state
 * @param codes the codes of the warnings about it
 */
export function changeOf(
  step: Step,
  isDrift: boolean,
  codes: readonly string[],
): DescribedChange[] {
  const type = typeOf(step.type);
  if (type === undefined) return [];
  const { op, name, old, new: changed } = step;
  const from = foundMode(step, codes) ?? (old && values[type](old));
  const to = changed && values[type](changed);
  return [
    {
      op,
      type,
      name,
      subject: subjectOf(changed ?? old ?? {}),
      ...withSubjects(step, from, to),
      cause: isDrift ? "service" : causeOfChange(step, codes),
      urlParts: type === "DatabaseUrl" ? changedParts(step) : undefined,
      properties: otherDifferences(step),
    },
  ];
}

/** Adds the project or the cluster to both values if the step moves the resource to another one. */
function withSubjects(
  { old, new: changed }: Step,
  from: Value | undefined,
  to: Value | undefined,
): Pick<Change, "from" | "to"> {
  if (old === undefined || changed === undefined) return { from, to };
  const [before, after] = [subjectOf(old), subjectOf(changed)];
  if (before === after) return { from, to };
  return { from: from && { ...from, of: before }, to: to && { ...to, of: after } };
}

/** Returns what causes an update, as far as the checked inputs and the provider's warnings say. */
function causeOfChange(step: Step, codes: readonly string[]): Change["cause"] {
  if (isUnconfirmed(step)) return "unconfirmed";
  const isDrift = step.op === "update" && codes.includes("drift");
  const isOutside = isDrift || isChangedOutside(step.new?.["changesFrom"]);
  return isOutside || isChangedInService(step) ? "service" : "program";
}

/** Returns whether the value changes, or may change because it is a secret or, in a URL, has secret parts. */
export function isOtherValue({ type, from, to }: Pick<Change, "type" | "from" | "to">): boolean {
  const isSecret = type === "DatabaseUrl" || to?.string === hiddenText;
  return isSecret || from?.kind !== to?.kind || from?.string !== to?.string;
}

/** Returns the project ID, and for a lookup, a slash and the name of the cluster. A DatabaseUrl has neither. */
function subjectOf(properties: Properties): string {
  const names = ["projectId", "clusterName"].filter((name) => name in properties);
  return names.map((name) => shownText(properties[name])).join("/");
}

/** By type, reads the value that a report compares. */
const values: Readonly<Record<OwnType, (properties: Properties) => Value>> = {
  PrivateIpMode: modeValue,
  ClusterConnectionStrings: stringValue,
  DatabaseUrl: urlValue,
};

/** Returns the mode that `check` found, or that it is not known; undefined if it is the recorded one. */
function foundMode(step: Step, codes: readonly string[]): Value | undefined {
  const { type, op, old, new: changed } = step;
  if (typeOf(type) !== "PrivateIpMode" || (op !== "create" && op !== "update")) return undefined;
  const changesFrom = changed?.["changesFrom"];
  const mode = modeIn(changesFrom) ?? warnedMode(step, codes);
  if (mode !== undefined) return { kind: mode };
  const isNotKnown = old === undefined ? changesFrom === notKnown : isUnconfirmed(step);
  return isNotKnown ? { kind: notKnown } : undefined;
}

/**
 * Returns the mode that follows from a warning of `check`, which says that the mode is not the recorded one or, at a
 * creation, not the declared one. The plugin has no input `changesFrom`, but its warnings name the resource.
 */
function warnedMode({ op, old, new: changed }: Step, codes: readonly string[]): string | undefined {
  const enabled = (old ?? changed)?.["enabled"];
  const warnings = op === "create" ? ["enabling", "disabling"] : ["drift"];
  const isWarned = codes.some((code) => warnings.includes(code));
  return typeof enabled === "boolean" && isWarned ? onOrOff(!enabled) : undefined;
}

/** Returns whether the last change had no answer, after which the recorded outputs lack the mode. */
function isUnconfirmed({ type, op, oldOutputs }: Step): boolean {
  if (typeOf(type) !== "PrivateIpMode" || op !== "update") return false;
  return oldOutputs !== undefined && !("enabled" in oldOutputs);
}

/** Reads a mode. The recorded properties lack it after a change whose outcome is not known. */
function modeValue({ enabled }: Properties): Value {
  if (typeof enabled === "boolean") return { kind: onOrOff(enabled) };
  return { kind: enabled === undefined ? notKnown : shownText(enabled) };
}

/** Reads the recommended string of a lookup, its kind of network, and the arguments that select an endpoint. */
function stringValue({ recommended, recommendedKind, network }: Properties): Value {
  // The lookup waits for its string, or for arguments that are not known yet.
  if (recommended === undefined) return { kind: "", string: unknownText };
  const kind = shownText(recommendedKind);
  const selecting = Object.entries(network instanceof Object ? network : {})
    .filter(([name]) => name !== "kind")
    .map(([name, value]) => `${name} ${shownText(value)}`);
  return {
    kind: networkName(kind),
    string: shownText(recommended),
    endpoint: selecting.join(", "),
  };
}

/** Returns whether a lookup changes although all its arguments stay the same, so that the service must have changed. */
function isChangedInService({ type, op, old = {}, new: changed = {} }: Step): boolean {
  if (typeOf(type) !== "ClusterConnectionStrings" || op !== "update") return false;
  return Object.keys(querySchema.shape).every((name) => {
    const value = valueIn(changed, name);
    return !containsSecret(value) && isDeepStrictEqual(valueIn(old, name), value);
  });
}

/**
 * The properties that a report does not list, because it shows them elsewhere, or because they tell a reader nothing.
 */
const hiddenProperties = [
  "enabled",
  "changesFrom",
  "projectId",
  "clusterName",
  "recommended",
  "recommendedKind",
  "connectionString",
  "url",
];

/** Compares the properties whose change the value does not already show. */
function otherDifferences({ old, new: changed }: Step): Difference[] {
  if (old === undefined || changed === undefined) return [];
  const strings = [old, changed].map(({ recommended, connectionString }) =>
    shownText(recommended ?? connectionString),
  );
  const isWaiting = changed["recommended"] === undefined && "recommended" in old;
  const isShown = (name: string) => {
    if (hiddenProperties.includes(name) || name.startsWith("__")) return false;
    if (isWaiting && !(name in argsSchema.shape)) return false;
    if (name === "network") return !isOnlyKind(old[name], changed[name]);
    const texts = [old, changed].map((properties) => shownText(properties[name]));
    // A property that changes as the string does, such as privateSrv, says nothing more.
    return texts.includes(hiddenText) || !isDeepStrictEqual(texts, strings);
  };
  const [before, after] = [old, changed].map((properties) =>
    Object.fromEntries(Object.entries(properties).filter(([name]) => isShown(name))),
  );
  return differences(before, after);
}

/** Returns whether a network has no other properties than its kind, which the string shows. */
function isOnlyKind(...networks: readonly unknown[]): boolean {
  return networks.every(
    (network) => network instanceof Object && Object.keys(network).every((name) => name === "kind"),
  );
}
