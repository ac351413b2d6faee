/**
 * Settings in a program: those of the stack's configuration, and those of a `clouddb.Provider`. Finds
 * the ones that a resource or call uses.
 */
import { escapeText } from "../messages/text";
import {
  type SettingKey,
  type SettingsOwner,
  credentialsIn,
  environmentVariable,
  isSettingKey,
  secretKeys,
  settingKeys,
} from "../settings/settings";
import { programLog, runError } from "./run";
import * as pulumi from "./sdk";

/** The options that determine the provider of a resource or a call. */
type ProviderOptions = Pick<pulumi.InvokeOptions, "provider" | "parent">;

export interface ProgramSettings {
  readonly owner: SettingsOwner;
  readonly settings: SettingOutputs;
}

/**
 * Returns the settings for a call: those of its explicit or inherited provider, or else the stack's. Throws
 * a `RunError` if that provider is not a `clouddb.Provider`: its credentials cannot be read, and the stack's
 * credentials may be for another organization.
 */
export function programSettings(options: ProviderOptions | undefined): ProgramSettings {
  const type = "pulumi-nodejs:dynamic/clouddb:Any";
  const provider = options?.provider ?? options?.parent?.getProvider(type);
  if (provider === undefined) {
    return { owner: { kind: "stack" }, settings: stackSettings(settingKeys) };
  }
  const recorded = recordedSettings(provider);
  const origin =
    options?.provider === undefined ? "inherited from the parent" : "passed to this call";
  const subject = `the provider ${quotedName(provider)}, which is ${origin},`;
  if (recorded === "none") {
    throw runError(
      `${subject} is not a clouddb.Provider, so its credentials cannot be read. Pass a clouddb.Provider.`,
      "other-provider",
    );
  }
  if (recorded === "unreadable") {
    throw runError(
      `${subject} was created by another version of pulumi-clouddb, whose settings this version cannot read. Install only one version; npm ls pulumi-clouddb lists all of them.`,
      "other-provider",
    );
  }
  return { owner: { kind: "provider", name: recorded.name }, settings: recorded.settings };
}

/** Returns the name of a resource, which Pulumi stores in an undeclared property. */
function quotedName(resource: pulumi.ProviderResource): string {
  const name = "__name" in resource ? resource.__name : undefined;
  return typeof name === "string" ? `"${escapeText(name)}"` : "without a name";
}

/**
 * Returns settings from the stack's configuration. All are secrets, because the SDK declares no function
 * that returns which ones the stack stores as secrets. Settings in the environment are read where the settings are used.
 */
export function stackSettings(keys: readonly SettingKey[]): SettingOutputs {
  const config = new pulumi.Config("clouddb");
  return Object.fromEntries(
    keys.flatMap((key) => {
      const value = config.getSecret(key);
      return value === undefined ? [] : [[key, value]];
    }),
  );
}

/** Returns whether the stack's configuration or the environment has any credentials, even incomplete ones. */
export function stackHasCredentials(): boolean {
  const config = new pulumi.Config("clouddb");
  const isSet = (key: SettingKey) =>
    Boolean(config.get(key) || process.env[environmentVariable(key)]);
  return credentialsIn(isSet).length > 0;
}

/** Settings in a program. Secret settings are secret outputs. */
export type SettingOutputs = Readonly<Partial<Record<SettingKey, pulumi.Output<string>>>>;

/** The record on a `clouddb.Provider`, for every copy of this package. A change needs a new version. */
export interface RecordedSettings {
  readonly version: 1;
  readonly name: string;
  /** The explicit and the inherited settings. */
  readonly settings: SettingOutputs;
}

const key = Symbol.for("pulumi-clouddb.settings");

/**
 * Records the settings of a provider on the resource itself: a table in this module would not be found by
 * another copy of this package, which npm may install. The property is not enumerable, so that nothing prints or copies
 * it with the resource.
 */
export function recordSettings(provider: pulumi.ProviderResource, recorded: RecordedSettings) {
  Object.defineProperty(provider, key, { value: Object.freeze(recorded) });
}

/**
 * Returns the settings recorded on a provider: `none` if it is not a `clouddb.Provider`, `unreadable` if it
 * was created by a version of this package that records settings differently.
 */
function recordedSettings(
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

/**
 * Warns about each secret setting that the stack's configuration stores in plain text, once per run as `programLog`
 * does. Only a program can detect this: the provider process is configured with decrypted values. Called for every
 * resource, provider and function call, so that importing the package alone logs nothing.
 */
export function warnOfUnencryptedSecrets(): void {
  const config = new pulumi.Config("clouddb");
  for (const key of secretKeys) {
    const name = `clouddb:${key}`;
    if (!config.get(key) || isStoredAsSecret(name)) continue;
    void programLog(
      "warning",
      `${name} is stored in plain text in the stack's configuration. Run:\n  pulumi config set --secret ${name}`,
      "plain-text-secret",
    );
  }
}

/** Uses an undeclared function of the SDK. If it is missing, assumes a secret and does not warn. */
function isStoredAsSecret(name: string): boolean {
  const module: object = pulumi.runtimeConfig;
  if (!("isConfigSecret" in module) || typeof module.isConfigSecret !== "function") return true;
  return Reflect.apply(module.isConfigSecret, undefined, [name]) !== false;
}
