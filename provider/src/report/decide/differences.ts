/** Compares properties and stack outputs. Never returns a secret, or what was one or becomes one. */
import { isDeepStrictEqual } from "node:util";
import { containsUnknown, isSecret, isUnknown } from "../../host/inputs";
import type { Difference } from "../model";
import {
  type Properties,
  containsSecret,
  plainText,
  hiddenText,
  shownText,
  unknownText,
} from "../values";

/** A property before and after; undefined if there is none. */
export interface PropertyPair {
  readonly name: string;
  readonly old: unknown;
  readonly new: unknown;
}

/** Returns each property before and after, sorted by name. */
export function pairsIn(old: Properties, changed: Properties): PropertyPair[] {
  const names = Object.keys({ ...old, ...changed }).sort();
  return names.map((name) => ({ name, old: valueIn(old, name), new: valueIn(changed, name) }));
}

/** Returns a property, which no object inherits. The state has null for an output that a cluster lacks. */
export function valueIn(properties: Properties, name: string): unknown {
  return Object.hasOwn(properties, name) ? (properties[name] ?? undefined) : undefined;
}

/** Returns the texts that are new, or differ from what was at the same place. Omits those in secrets. */
export function newTexts(old: unknown, changed: unknown): string[] {
  if (typeof changed === "string") return changed === old ? [] : [changed];
  if (!isComposite(changed) || isSecret(changed)) return [];
  return Object.entries(changed).flatMap(([key, part]) => newTexts(partOf(old, key), part));
}

/**
 * Returns the differences between two values. Compares them part by part if a part is hidden, so that the report can show
 * the others. Of a value that is a secret as a whole, no part is known, so only the parts of the other value count.
 */
export function differencesIn({ name, old, new: changed }: PropertyPair): Difference[] {
  if (isDeepStrictEqual(old, changed) || (isSecret(old) && isSecret(changed))) return [];
  const visible = [old, changed].filter(isComposite).filter((value) => !isSecret(value));
  const haveParts = isComposite(old) && isComposite(changed);
  if (!haveParts || !visible.some(isOpaque)) return [differenceOf(name, old, changed)];
  const keys = new Set(visible.flatMap((value) => Object.keys(value)));
  const isList = visible.every(Array.isArray);
  return [...keys].flatMap((key) => {
    const path = isList ? `${name}[${key}]` : `${name}.${key}`;
    return differencesIn({ name: path, old: partOf(old, key), new: partOf(changed, key) });
  });
}

/** Returns whether a part of a value is a secret, or is unknown, which can be a secret. */
function isOpaque(value: unknown): boolean {
  return containsSecret(value) || containsUnknown(value);
}

/** Returns whether a value is an object or a list. */
function isComposite(value: unknown): value is Properties {
  return typeof value === "object" && value !== null;
}

/** Returns a part of a value. Each part of a secret is that secret. */
function partOf(value: unknown, key: string): unknown {
  if (isSecret(value)) return value;
  return isComposite(value) ? valueIn(value, key) : undefined;
}

/**
 * Shows a difference. If one of the values is a secret, the other one is not shown, either. A text is in quotes if it is
 * empty, or if it replaces a number that is written the same, or is replaced by one.
 */
function differenceOf(name: string, old: unknown, changed: unknown): Difference {
  const isHidden = containsSecret(old) || containsSecret(changed);
  const isOfOtherType = typeof old !== typeof changed && shownText(old) === shownText(changed);
  const shownPart = (value: unknown) => {
    if (value === undefined) return undefined;
    if (isUnknown(value)) return unknownText;
    if (isHidden) return containsSecret(value) ? hiddenText : plainText;
    const isQuoted = typeof value === "string" && (value === "" || isOfOtherType);
    return isQuoted ? `"${shownText(value)}"` : shownText(value);
  };
  return { name, old: shownPart(old), new: shownPart(changed) };
}
