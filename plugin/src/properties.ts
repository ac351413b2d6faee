/** Property values as the engine's gRPC protocol encodes them. */
import { type JavaScriptValue, Struct } from "google-protobuf/google/protobuf/struct_pb";
import { type PropertyBag, isObject, isSecret, withoutNulls } from "../../provider/src/pluginApi";

/**
 * Decodes properties, with plain values instead of secrets. The engine marks the secrets among a provider's settings,
 * although the plugin accepts none.
 */
export function fromStruct(struct: Struct | undefined): PropertyBag {
  if (struct === undefined) return {};
  return mapValues(struct.toJavaScript(), withoutSecretMarks);
}

/** Decodes the arguments of a program, without null at any depth. */
export function argumentsFrom(struct: Struct | undefined): PropertyBag {
  return withoutNulls(fromStruct(struct));
}

/** Returns the names of the properties that are marked as secrets. */
export function secretNames(struct: Struct | undefined): string[] {
  const properties: PropertyBag = struct?.toJavaScript() ?? {};
  return Object.keys(properties).filter((name) => isSecret(properties[name]));
}

/** Encodes properties. Throws for a value that cannot be represented in JSON. */
export function toStruct(properties: PropertyBag): Struct {
  return Struct.fromJavaScript(mapValues(properties, javaScriptValue));
}

function withoutSecretMarks(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutSecretMarks);
  if (!isObject(value)) return value;
  return isSecret(value) ? withoutSecretMarks(value.value) : mapValues(value, withoutSecretMarks);
}

function javaScriptValue(value: unknown): JavaScriptValue {
  if (Array.isArray(value)) return value.map(javaScriptValue);
  if (isObject(value)) return mapValues(value, javaScriptValue);
  if (value === null || typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "number") return value;
  throw new TypeError(`a ${typeof value} cannot be a property`);
}

/** Maps the values of an object, without those that are undefined. */
function mapValues<T>(object: PropertyBag, map: (value: unknown) => T): Record<string, T> {
  // An assignment to `__proto__` would change the prototype, whose properties the message would contain.
  return Object.fromEntries(
    Object.entries(object).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, map(value)]],
    ),
  );
}
