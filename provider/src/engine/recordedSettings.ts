/**
 * The settings of a `clouddb.Provider`, recorded on the resource itself. A table in this module would
 * not do: npm may install several copies of this package, and a provider made by one of them must
 * not lose its credentials in another.
 */
import * as pulumi from "./sdk";
import { type SettingKey, isSettingKey } from "./settingNames";

/** Settings as a program has them: the secret ones are secret outputs. */
export type SettingOutputs = Readonly<Partial<Record<SettingKey, pulumi.Output<string>>>>;

/** What every copy of this package finds on a `clouddb.Provider`. A change needs another version. */
export interface RecordedSettings {
  readonly version: 1;
  /** The name of the provider resource. */
  readonly name: string;
  readonly settings: SettingOutputs;
  /** The base URL as the program gave it; undefined if the provider takes the stack's. */
  readonly baseUrl: pulumi.Input<string> | undefined;
}

const key = Symbol.for("pulumi-clouddb.settings");

/**
 * Records the settings of a provider. They are not enumerable: nothing that prints or copies the
 * resource meets them.
 */
export function recordSettings(provider: pulumi.ProviderResource, recorded: RecordedSettings) {
  Object.defineProperty(provider, key, { value: Object.freeze(recorded) });
}

/**
 * Returns the settings recorded on a provider.
 *
 * @returns `none` if it is no `clouddb.Provider`, `unreadable` if a version of this package made it
 *   that records settings in another way
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
  // A setting that this copy does not know would be left out of its requests.
  return Object.entries(value.settings ?? {}).every(
    ([name, output]) => isSettingKey(name) && pulumi.Output.isInstance(output),
  );
}
