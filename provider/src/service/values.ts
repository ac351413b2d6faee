/**
 * The texts on which the engine acts, whatever their origin: it reads the file or URL of a record with the signature key,
 * for example, and treats a marker as an unknown value. They never become outputs.
 */

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

export function isUnknown(value: unknown): boolean {
  return unknownMarkers.has(value);
}

/** Removes the key that makes the engine act on a record. */
export function withoutSignature<T extends object>(record: T): T {
  Reflect.deleteProperty(record, engineSignatureKey);
  return record;
}

/** Returns whether text means nothing but itself to the engine. */
export function isPlainText(text: string): boolean {
  return text !== engineSignatureKey && !isUnknown(text);
}
