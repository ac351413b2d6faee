/** Says what happens to a resource of this package: its value before and after, and who changed it. */
import { isDeepStrictEqual } from "node:util";
import { classify, format, parse } from "clouddb-connection-strings";
import { argsSchema, querySchema } from "../clusterConnectionStrings/args";
import { type HiddenInputs, onOrOff } from "../privateIpMode/args";
import type { Step } from "./eventLog";
import type { Change, Difference, Value } from "./model";
import { type OwnType, type Properties, secret, shownText, typeOf, unknownText } from "./resources";

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
      type,
      name,
      subject: after ?? before ?? "",
      from: from && isMoved ? { ...from, of: before } : from,
      to: to && isMoved ? { ...to, of: after } : to,
      cause: isDrift || (found && old) || isChangedInService(step) ? "service" : "program",
      receivers: undefined,
      properties: otherDifferences(old, changed),
    },
  ];
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

/** Where the npm package says that `check` found another mode than the recorded one, and the plugin's codes for it. */
const foundBy: Readonly<Record<string, readonly [keyof HiddenInputs, readonly string[]]>> = {
  create: ["changesFrom", ["enabling", "disabling"]],
  update: ["changedOutsideStackTo", ["drift"]],
};

function foundMode({ op, old, new: changed }: Step, codes: readonly string[]): Value | undefined {
  const [name = "", warnings = []] = foundBy[op] ?? [];
  const found = changed?.[name];
  if (found !== undefined) return { kind: shownText(found) };
  const enabled = (old ?? changed)?.["enabled"];
  const isOther = typeof enabled === "boolean" && codes.some((code) => warnings.includes(code));
  return isOther ? { kind: onOrOff(!enabled) } : undefined;
}

function modeValue({ enabled }: Properties): Value {
  if (typeof enabled === "boolean") return { kind: onOrOff(enabled) };
  // After an update without an answer, the state does not contain the mode.
  return { kind: enabled === undefined ? "not known" : shownText(enabled) };
}

function stringValue({ recommended, recommendedKind, network }: Properties): Value {
  // A lookup whose arguments are not known or that waits.
  if (recommended === undefined) return unknownString;
  const kind = shownText(recommendedKind);
  const selecting = Object.entries(network instanceof Object ? network : {})
    .filter(([name]) => name !== "kind")
    .map(([name, value]) => `${name} ${shownText(value)}`);
  return {
    kind: kinds[kind] ?? kind,
    string: shownText(recommended),
    endpoint: selecting.join(", "),
  };
}

const unknownString: Value = { kind: "", string: unknownText };

/** The URL that an application gets, without its password and options. */
function urlValue({ connectionString, username, database }: Properties): Value {
  const texts = [connectionString, username ?? "", database ?? ""].map(shownText);
  if (texts.includes(unknownText)) return unknownString;
  const [string = "", user = "", path = ""] = texts;
  const found = classify(string);
  const key = "form" in found && found.form === "srv" ? `${found.kind}Srv` : found.kind;
  const kind = kinds[key] ?? key;
  try {
    const parts = parse(string);
    const userInfo = user === "" ? undefined : encodeURIComponent(user);
    const shown = { ...parts, userInfo, database: encodeURIComponent(path) || parts.database };
    return { kind, string: format(shown).replaceAll(encodeURIComponent(secret), secret) };
  } catch {
    return { kind, string };
  }
}

/** The kinds of `recommendedKind` and, with their form, of `classify`, as a program selects them. */
const kinds: Readonly<Record<string, string>> = {
  standardSrv: "internet",
  standard: "internet (hosts)",
  privateSrv: "peering",
  peeringPrivateSrv: "peering",
  private: "peering (hosts)",
  peeringPrivate: "peering (hosts)",
  privateEndpointSrv: "privateEndpoint",
  privateEndpoint: "privateEndpoint (hosts)",
  privateEndpointOptimizedSrv: "privateEndpoint (optimized)",
  optimizedPrivateEndpointSrv: "privateEndpoint (optimized)",
};

function isChangedInService({ type, op, old = {}, new: changed = {} }: Step): boolean {
  if (typeOf(type) !== "ClusterConnectionStrings" || op !== "update") return false;
  return Object.keys(querySchema.shape).every((name) => {
    const value = valueIn(changed, name);
    return value !== secret && isDeepStrictEqual(valueIn(old, name), value);
  });
}

function otherDifferences(
  old: Properties | undefined,
  changed: Properties | undefined,
): Difference[] {
  if (old === undefined || changed === undefined) return [];
  const hidden = [
    "enabled",
    "recommendedKind",
    "projectId",
    "clusterName",
    "url",
    "changedOutsideStackTo",
    "changesFrom",
  ];
  const [from, to] = [old, changed].map(({ recommended, connectionString }) =>
    shownText(recommended ?? connectionString),
  );
  const isWaiting = changed["recommended"] === undefined;
  return differences(old, changed).filter(({ name, old: before, new: after }) => {
    if (isWaiting && "recommended" in old && !(name in argsSchema.shape)) return false;
    if (name === "network") return !isOnlyKind(old[name], changed[name]);
    const isShown = hidden.includes(name) || (before === from && after === to);
    return !isShown && !name.startsWith("__");
  });
}

/** Returns whether a network has no other properties than its kind, which the string shows. */
function isOnlyKind(...networks: readonly unknown[]): boolean {
  return networks.every(
    (network) => network instanceof Object && Object.keys(network).every((name) => name === "kind"),
  );
}

/** Returns the properties that differ, sorted by name, and no secrets. */
export function differences(old: Properties = {}, changed: Properties = {}): Difference[] {
  const names = [...new Set([...Object.keys(old), ...Object.keys(changed)])].sort();
  return names.flatMap((name) => {
    const values = [old, changed].map((properties) => valueIn(properties, name));
    if (isDeepStrictEqual(values[0], values[1])) return [];
    const texts = values.map((value) => (value === undefined ? undefined : shownText(value)));
    const hide = (text?: string) => (text === undefined || text === unknownText ? text : secret);
    const [before, after] = texts.includes(secret) ? texts.map(hide) : texts;
    return [{ name, old: before, new: after }];
  });
}

/** The state has null for an output that a cluster lacks. */
function valueIn(properties: Properties, name: string): unknown {
  return properties[name] ?? undefined;
}
