/** Says what happens to a resource of this package: its value before and after, and who changed it. */
import { isDeepStrictEqual } from "node:util";
import { argsSchema, querySchema } from "../clusterConnectionStrings/args";
import { isChangedOutside, notKnown, onOrOff } from "../privateIpMode/args";
import { changedParts, urlValue } from "./databaseUrls";
import { differences, valueIn } from "./differences";
import type { Step } from "./eventLog";
import type { Change, Difference, Value } from "./model";
import {
  type OwnType,
  type Properties,
  containsSecret,
  networkName,
  secret,
  shownText,
  typeOf,
  unknownText,
} from "./resources";

/**
 * Describes a step on a resource of this package. Returns an empty list for other resources.
 *
 * @param step what the engine does
 * @param isDrift whether a refresh found that the service differs from the state
 * @param codes the codes of the warnings about it
 */
export function changeOf(step: Step, isDrift: boolean, codes: readonly string[]): Change[] {
  const type = typeOf(step.type);
  if (type === undefined) return [];
  const { op, name, old, new: changed } = step;
  const to = changed && values[type](changed);
  const found = type === "PrivateIpMode" ? foundMode(step, codes) : undefined;
  const from = found ?? (old && values[type](old));
  const [before, after] = [old, changed].map((properties) => properties && subjectOf(properties));
  const isMoved = before !== undefined && after !== undefined && before !== after;
  return [
    {
      op,
      isRefused: false,
      type,
      name,
      subject: after ?? before ?? "",
      from: from && isMoved ? { ...from, of: before } : from,
      to: to && isMoved ? { ...to, of: after } : to,
      cause: isDrift ? "service" : causeOf(step, codes),
      receivers: undefined,
      urlParts: type === "DatabaseUrl" ? changedParts(step) : undefined,
      properties: otherDifferences(step),
    },
  ];
}

function causeOf(step: Step, codes: readonly string[]): Change["cause"] {
  if (isUnconfirmed(step)) return "unconfirmed";
  const isDrift = step.op === "update" && codes.includes("drift");
  const isOutside = isDrift || isChangedOutside(step.new?.["changesFrom"]);
  return isOutside || isChangedInService(step) ? "service" : "program";
}

/** Returns whether the value is another one, as a secret string may be. A URL also has secret parts. */
export function isOtherValue({ type, from, to }: Pick<Change, "type" | "from" | "to">): boolean {
  const isSecret = type === "DatabaseUrl" || to?.string === secret;
  return isSecret || from?.kind !== to?.kind || from?.string !== to?.string;
}

function subjectOf(properties: Properties): string {
  const names = ["projectId", "clusterName"].filter((name) => name in properties);
  return names.map((name) => shownText(properties[name])).join("/");
}

const values: Readonly<Record<OwnType, (properties: Properties) => Value>> = {
  PrivateIpMode: modeValue,
  ClusterConnectionStrings: stringValue,
  DatabaseUrl: urlValue,
};

/** Returns the mode that `check` found; undefined if it is the recorded one. */
function foundMode(step: Step, codes: readonly string[]): Value | undefined {
  const { op, old, new: changed } = step;
  if (op !== "create" && op !== "update") return undefined;
  const changesFrom = changed?.["changesFrom"];
  if (typeof changesFrom === "string" && changesFrom !== notKnown)
    return { kind: changesFrom.split(",", 1).join() };
  // The plugin has no such input, but its warnings name the resource.
  const enabled = (old ?? changed)?.["enabled"];
  const warnings = op === "create" ? ["enabling", "disabling"] : ["drift"];
  if (typeof enabled === "boolean" && codes.some((code) => warnings.includes(code)))
    return { kind: onOrOff(!enabled) };
  const isNotKnown = old === undefined ? changesFrom === notKnown : isUnconfirmed(step);
  return isNotKnown ? { kind: notKnown } : undefined;
}

/** Returns whether the last change had no answer, after which the recorded outputs lack the mode. */
function isUnconfirmed({ type, op, oldOutputs }: Step): boolean {
  if (typeOf(type) !== "PrivateIpMode" || op !== "update") return false;
  return oldOutputs !== undefined && !("enabled" in oldOutputs);
}

function modeValue({ enabled }: Properties): Value {
  if (typeof enabled === "boolean") return { kind: onOrOff(enabled) };
  return { kind: enabled === undefined ? notKnown : shownText(enabled) };
}

function stringValue({ recommended, recommendedKind, network }: Properties): Value {
  // A lookup whose arguments are not known or that waits.
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

function isChangedInService({ type, op, old = {}, new: changed = {} }: Step): boolean {
  if (typeOf(type) !== "ClusterConnectionStrings" || op !== "update") return false;
  return Object.keys(querySchema.shape).every((name) => {
    const value = valueIn(changed, name);
    return !containsSecret(value) && isDeepStrictEqual(valueIn(old, name), value);
  });
}

/** Shown elsewhere, or of no interest to a reader. */
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
    // Also hides other properties with the same string.
    return texts.includes(secret) || !isDeepStrictEqual(texts, strings);
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
