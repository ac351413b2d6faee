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

/** Returns what differs, sorted by name. The parts of a value with a secret are compared separately. */
export function differences(old: Properties = {}, changed: Properties = {}): Difference[] {
  const names = [...new Set([...Object.keys(old), ...Object.keys(changed)])].sort();
  return names.flatMap((name) => differencesAt(name, valueIn(old, name), valueIn(changed, name)));
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
 * Returns the differences between two values at a path. Compares them part by part if a part is hidden, so that the
 * report can show the others. Of a value that is a secret as a whole, no part is known, so only the parts of the other
 * value count.
 */
export function differencesAt(path: string, old: unknown, changed: unknown): Difference[] {
  if (isDeepStrictEqual(old, changed) || (isSecret(old) && isSecret(changed))) return [];
  const visible = [old, changed].filter(isComposite).filter((value) => !isSecret(value));
  const haveParts = isComposite(old) && isComposite(changed);
  if (!haveParts || !visible.some(isOpaque)) return [differenceOf(path, old, changed)];
  const keys = new Set(visible.flatMap((value) => Object.keys(value)));
  const isList = visible.every(Array.isArray);
  return [...keys].flatMap((key) =>
    differencesAt(
      isList ? `${path}[${key}]` : `${path}.${key}`,
      partOf(old, key),
      partOf(changed, key),
    ),
  );
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
