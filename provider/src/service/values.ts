/**
 * Checks values from the service before they become outputs or parts of a message. Only safe text, finite
 * numbers, booleans, lists and records become outputs. The engine acts on some values regardless of their
 * origin (for example, it reads the file or URL of a record that is marked as an asset), and prints some
 * text unchanged.
 */
import { unsafeCharacters } from "../messages/text";

/** The key of Pulumi's records for assets, archives, secrets, outputs and resources. */
const engineSignatureKey = "4dabf18193072939515e22adb298388d";

/** The marker that the engine sends in place of an unknown value of any type. */
export const unknownMarker = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

/** The engine's markers for unknown values: the general one, and one for each type of value. */
const unknownMarkers: ReadonlySet<unknown> = new Set([
  unknownMarker,
  "1c4a061d-8072-4f0a-a4cb-0ff528b18fe7",
  "3eeb2bf0-c639-47a8-9e75-3b44932eb421",
  "6a19a0b0-7e62-4c92-b797-7f8e31da9cc2",
  "030794c1-ac77-496b-92df-f27374a8bd58",
  "e48ece36-62e2-4504-bad9-02848725956a",
  "dd056dcd-154b-4c76-9bd3-c8f88648b5ff",
]);

/** Limits on what the record of one cluster may add to the state. */
const maxTextLength = 16_384;
const maxNesting = 8;
const maxValues = 10_000;

export function isUnknown(value: unknown): boolean {
  return unknownMarkers.has(value);
}

/**
 * Returns whether text may become an output: it is no longer than 16,384 characters, and has neither line
 * breaks nor other characters that messages escape, nor a meaning to the engine.
 */
export function isSafeText(text: string): boolean {
  return (
    text.length <= maxTextLength && text.search(unsafeCharacters) < 0 && !unknownMarkers.has(text)
  );
}

/** Removes all values that may not become an output from parsed JSON, in place and at every depth. */
export function safeValues<T extends object>(record: T): T {
  prune(record, { values: maxValues }, 0);
  return record;
}

/** The budget says how many more values may be kept. */
function prune(container: object, budget: { values: number }, depth: number): void {
  if (Array.isArray(container)) {
    const items: unknown[] = container;
    const kept = items.filter((item) => isKept(item, budget, depth));
    items.splice(0, items.length, ...kept);
    return;
  }
  for (const [key, value] of Object.entries(container)) {
    // Keys that start with two underscores are the engine's own.
    const isSafeKey = key !== engineSignatureKey && !key.startsWith("__") && isSafeText(key);
    if (!isSafeKey || !isKept(value, budget, depth)) Reflect.deleteProperty(container, key);
  }
}

function isKept(value: unknown, budget: { values: number }, depth: number): boolean {
  budget.values -= 1;
  if (budget.values < 0) return false;
  if (typeof value === "string") return isSafeText(value);
  // JSON.parse returns Infinity for 1e400.
  if (typeof value === "number") return Number.isFinite(value);
  if (typeof value !== "object" || value === null) return true;
  if (depth >= maxNesting || engineSignatureKey in value) return false;
  prune(value, budget, depth + 1);
  return true;
}
