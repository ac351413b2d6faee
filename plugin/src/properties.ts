/** Property values as the engine's gRPC protocol encodes them. */
import { Struct } from "google-protobuf/google/protobuf/struct_pb";
import * as z from "zod/mini";
import type { PropertyBag } from "../../provider/src/providerProcess/lifecycle";

/** The key that marks an object with a special meaning, and its value for a secret. */
const signatureKey = "4dabf18193072939515e22adb298388d";
const secretSignature = "1b47061264138c4ac30d75fd1eb44270";

const envelope = z.object({ [signatureKey]: z.literal(secretSignature), value: z.unknown() });
const bag = z.record(z.string(), z.unknown());
const jsonObject = z.record(z.string(), z.json());

/**
 * Returns the properties in a message. Secrets are plain values: the engine sends the settings of a
 * provider with their secrets marked, even to a provider that does not accept secrets.
 *
 * @param struct the properties; undefined if the message has none
 * @returns the properties, without marks
 */
export function fromStruct(struct: Struct | undefined): PropertyBag {
  if (struct === undefined) return {};
  const properties: PropertyBag = struct.toJavaScript();
  return bag.parse(withoutMarks(properties));
}

/**
 * Returns the names of the properties that are marked as secrets.
 *
 * @param struct the properties; undefined if the message has none
 * @returns the names
 */
export function secretNames(struct: Struct | undefined): string[] {
  const properties: PropertyBag = struct?.toJavaScript() ?? {};
  return Object.keys(properties).filter((name) => envelope.safeParse(properties[name]).success);
}

/**
 * Returns properties for a message.
 *
 * @param properties values that can be represented in JSON; undefined ones are omitted
 * @returns the message
 */
export function toStruct(properties: PropertyBag): Struct {
  return Struct.fromJavaScript(jsonObject.parse(JSON.parse(JSON.stringify(properties))));
}

/**
 * Marks a value as a secret, so that the engine encrypts it in the state and hides it in its output.
 *
 * @param value the secret value
 * @returns the marked value, for {@link toStruct}
 */
export function secret(value: unknown): PropertyBag {
  return { [signatureKey]: secretSignature, value };
}

function withoutMarks(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutMarks);
  if (typeof value !== "object" || value === null) return value;
  const marked = envelope.safeParse(value);
  if (marked.success) return withoutMarks(marked.data.value);
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, withoutMarks(inner)]),
  );
}
