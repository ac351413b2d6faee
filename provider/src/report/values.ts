/** Says in text what a value is, without its secrets: a mode, a connection string as its kind and host, or any other. */
import { type Classification, classify, parse } from "clouddb-connection-strings";
import { onOrOff } from "../messages/text";
import { isUnknown } from "../engine/inputs";
import type { Value } from "./model";
import { type Properties, secret } from "./resources";

export function modeIn({ enabled }: Properties): Value {
  if (typeof enabled === "boolean") return { kind: onOrOff(enabled) };
  // After an update without an answer, the state does not contain the mode.
  return { kind: enabled === undefined ? "not known" : textOf(enabled) };
}

export function stringIn({ recommended, recommendedKind }: Properties): Value {
  const kind = textOf(recommendedKind);
  return {
    kind: kindsOfOutputs[kind] ?? kind,
    host: isShown(recommended) ? hostOf(recommended) : textOf(recommended),
  };
}

/** The kinds of `recommendedKind`, as a program selects them with `network` and `form`. */
const kindsOfOutputs: Readonly<Record<string, string>> = {
  standardSrv: "internet",
  standard: "internet (hosts)",
  privateSrv: "peering",
  private: "peering (hosts)",
  privateEndpointSrv: "privateEndpoint",
  privateEndpoint: "privateEndpoint (hosts)",
  privateEndpointOptimizedSrv: "privateEndpoint (optimized)",
};

/** The same names for the kinds of `classify`. */
const kindsOfStrings: Readonly<Record<Classification["kind"], string>> = {
  standard: "internet",
  peeringPrivate: "peering",
  privateEndpoint: "privateEndpoint",
  optimizedPrivateEndpoint: "privateEndpoint (optimized)",
  legacy: "legacy",
  unknown: "unknown",
};

/** Text of a stack output: of a connection string, its kind and host. */
export function outputText(value: unknown): string {
  if (!isShown(value) || parsed(value) === undefined) return textOf(value);
  return `${kindsOfStrings[classify(value).kind]} ${hostOf(value)}`;
}

/** Returns the hosts of all connection strings in a value. */
export function hostsIn(value: unknown): string[] {
  if (typeof value === "object" && value !== null) return Object.values(value).flatMap(hostsIn);
  return typeof value === "string" ? (parsed(value)?.hosts ?? []).map(({ name }) => name) : [];
}

/** Only the hosts: a user could have added credentials. */
function hostOf(connectionString: string): string {
  const hosts = parsed(connectionString)?.hosts;
  if (hosts === undefined) return "(not a connection string)";
  return `${hosts[0]?.name ?? ""}${hosts.length > 1 ? ` and ${hosts.length - 1} more` : ""}`;
}

/** Returns the options of a string, which can be the only difference between two. */
export function optionsIn({ recommended }: Properties): string {
  const options = isShown(recommended) ? parsed(recommended)?.options : undefined;
  return options === undefined ? "" : ` ?${options}`;
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
export function textOf(value: unknown): string {
  if (value === undefined || value === null) return "(none)";
  if (isUnknown(value) || value === "[unknown]") return "(known after the update)";
  const text = typeof value === "string" ? value : JSON.stringify(value);
  // How exports and previews write a secret.
  return /\[secret\]|1b47061264138c4ac30d75fd1eb44270/.test(text) ? secret : withoutSecrets(text);
}

/**
 * Replaces access tokens after `Bearer`, and credentials in URLs: in each word, everything between the first
 * `://` and the last `@`, because a password that is not encoded can contain any character. Does not recognize
 * the rest of a password after white space, or secrets of other forms.
 */
export function withoutSecrets(text: string): string {
  return text.replace(/\b(Bearer)\s+[\w.~+/-]+=*/gi, `$1 ${secret}`).replace(/\S+/g, (word) => {
    const start = word.indexOf("://") + 3;
    const end = word.lastIndexOf("@");
    return start < 3 || end < start ? word : `${word.slice(0, start)}${secret}${word.slice(end)}`;
  });
}

export function hasCredentials(value: unknown): boolean {
  if (typeof value === "object" && value !== null) return Object.values(value).some(hasCredentials);
  return typeof value === "string" && parsed(value)?.userInfo !== undefined;
}

/** Returns undefined for null, and for what every object inherits, such as `constructor`. */
export function ownValue(properties: Properties, name: string): unknown {
  return Object.hasOwn(properties, name) ? (properties[name] ?? undefined) : undefined;
}
