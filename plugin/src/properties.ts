/** Property values as the engine's gRPC protocol encodes them. */
import { type JavaScriptValue, Struct } from "google-protobuf/google/protobuf/struct_pb";
import type { PropertyBag } from "../../provider/src/runtimeHost";

/** The key that marks an object with a special meaning, and its value for a secret. */
const signatureKey = "4dabf18193072939515e22adb298388d";
const secretSignature = "1b47061264138c4ac30d75fd1eb44270";

/**
 * Returns the properties in a message. Secrets become plain values, because the engine marks the secrets in a
 * provider's settings even if the provider does not accept secrets.
 */
export function fromStruct(struct: Struct | undefined): PropertyBag {
  if (struct === undefined) return {};
  return mapValues(struct.toJavaScript(), withoutMarks);
}

/** Returns the arguments of a program, without null at any depth. Python passes None in a dictionary as null. */
export function argumentsFrom(struct: Struct | undefined): PropertyBag {
  return withoutNulls(fromStruct(struct));
}

function withoutNulls(object: PropertyBag): PropertyBag {
  const given = Object.entries(object).filter(([, value]) => value !== null);
  return Object.fromEntries(
    given.map(([name, value]) => [name, isObject(value) ? withoutNulls(value) : value]),
  );
}

export function secretNames(struct: Struct | undefined): string[] {
  const properties: PropertyBag = struct?.toJavaScript() ?? {};
  return Object.keys(properties).filter((name) => isSecret(properties[name]));
}

export function toStruct(properties: PropertyBag): Struct {
  return Struct.fromJavaScript(mapValues(properties, javaScriptValue));
}

export function secret(value: unknown): PropertyBag {
  return { [signatureKey]: secretSignature, value };
}

function withoutMarks(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutMarks);
  if (!isObject(value)) return value;
  return isSecret(value) ? withoutMarks(value["value"]) : mapValues(value, withoutMarks);
}

function isSecret(value: unknown): boolean {
  return isObject(value) && value[signatureKey] === secretSignature;
}

/** Omits undefined properties. Throws for a value that cannot be represented in JSON. */
function javaScriptValue(value: unknown): JavaScriptValue {
  if (Array.isArray(value)) return value.map(javaScriptValue);
  if (isObject(value)) return mapValues(value, javaScriptValue);
  if (value === null || typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "number") return value;
  throw new TypeError(`a ${typeof value} cannot be a property`);
}

function mapValues<T>(object: PropertyBag, map: (value: unknown) => T): Record<string, T> {
  // An assignment to `__proto__` would change the prototype, whose properties the message would contain.
  return Object.fromEntries(
    Object.entries(object).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, map(value)]],
    ),
  );
}

function isObject(value: unknown): value is PropertyBag {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
