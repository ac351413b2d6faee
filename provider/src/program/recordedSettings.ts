/**
 * Records the settings of a `clouddb.Provider` on the resource itself. A table in this module would not
 * work: npm may install several copies of this package, and each copy must find the settings of a
 * provider that another copy created.
 */
import * as pulumi from "./sdk";
import { type SettingKey, isSettingKey } from "../session/settings";

/** Settings in a program. Secret settings are secret outputs. */
export type SettingOutputs = Readonly<Partial<Record<SettingKey, pulumi.Output<string>>>>;

/** The record on a `clouddb.Provider`, for every copy of this package. A change needs a new version. */
export interface RecordedSettings {
  /** The version of this record. */
  readonly version: 1;
  /** The name of the provider resource. */
  readonly name: string;
  /** The explicit and the inherited settings. */
  readonly settings: SettingOutputs;
  /** The base URL as the program passed it; undefined if the provider inherits the stack's. */
  readonly baseUrl: pulumi.Input<string> | undefined;
}

const key = Symbol.for("pulumi-clouddb.settings");

/**
 * Records the settings of a provider. The property is not enumerable, so that nothing prints or copies
 * it with the resource.
 *
 * @param provider the provider resource
 * @param recorded the record, which is frozen
 */
export function recordSettings(provider: pulumi.ProviderResource, recorded: RecordedSettings) {
  Object.defineProperty(provider, key, { value: Object.freeze(recorded) });
}

/**
 * Returns the settings recorded on a provider.
 *
 * @param provider any provider resource
 * @returns `none` if it is not a `clouddb.Provider`, `unreadable` if it was created by a version of this
 *   package that records settings differently
 */
export function recordedSettings(
  provider: pulumi.ProviderResource,
): RecordedSettings | "none" | "unreadable" {
  const recorded: unknown = Reflect.get(provider, key);
  if (recorded === undefined) return "none";
  return isRecorded(recorded) ? recorded : "unreadable";
}

function isRecorded(value: unknown): value is RecordedSettings {
  if (typeof value !== "object" || value === null) return false;
  if (!("version" in value) || value.version !== 1) return false;
  if (!("name" in value) || typeof value.name !== "string") return false;
  if (!("settings" in value) || typeof value.settings !== "object") return false;
  // This copy would ignore a setting that it does not know.
  return Object.entries(value.settings ?? {}).every(
    ([name, output]) => isSettingKey(name) && pulumi.Output.isInstance(output),
  );
}
