/** Describes values without their secrets. */
import { parse } from "clouddb-connection-strings";
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
  return { kind: kinds[kind] ?? kind, string: textOf(recommended) };
}

/** The kinds of `recommendedKind`, as a program selects them with `network` and `form`. */
const kinds: Readonly<Record<string, string>> = {
  standardSrv: "internet",
  standard: "internet (hosts)",
  privateSrv: "peering",
  private: "peering (hosts)",
  privateEndpointSrv: "privateEndpoint",
  privateEndpoint: "privateEndpoint (hosts)",
  privateEndpointOptimizedSrv: "privateEndpoint (optimized)",
};

/** Returns the hosts of all connection strings in a value. */
export function hostsIn(value: unknown): string[] {
  if (typeof value === "object" && value !== null) return Object.values(value).flatMap(hostsIn);
  if (typeof value !== "string") return [];
  try {
    return parse(value).hosts.map(({ name }) => name);
  } catch {
    return [];
  }
}

/** The text for a value that is unknown in the preview. */
export const unknownText = "(known after the update)";

/** Text of a value; never that of a secret. */
export function textOf(value: unknown): string {
  if (value === undefined || value === null) return "(none)";
  if (isUnknown(value) || value === "[unknown]") return unknownText;
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

/** Returns undefined for null, and for what every object inherits, such as `constructor`. */
export function ownValue(properties: Properties, name: string): unknown {
  return Object.hasOwn(properties, name) ? (properties[name] ?? undefined) : undefined;
}
