/**
 * The sources of settings in addition to the environment. The source determines how an error names a
 * setting and which remedies it suggests.
 */
import * as z from "../api/zod";
import { escapeText } from "../api/text";
import { type SettingKey, environmentVariable, isSecret } from "./settingNames";

/** The owner of the settings. */
export type SettingsOwner =
  /** The stack's configuration, then the environment. */
  | { readonly kind: "stack" }
  /** The stack's configuration or an explicit provider (the process cannot tell), then the environment. */
  | { readonly kind: "process" }
  /** An explicit `clouddb.Provider`, then the environment. */
  | { readonly kind: "provider"; readonly name: string }
  /** The environment alone. */
  | { readonly kind: "environment" };

/** Reads settings from a source other than the environment. */
export interface SettingsSource {
  /** Determines how errors name a setting and its remedies. */
  readonly owner: SettingsOwner;
  /** Returns the value of a setting; undefined or empty if it is not set. */
  readonly get: (key: SettingKey) => string | undefined;
  /** Returns all configured keys, as `namespace:key`. */
  readonly keys: () => readonly string[];
}

/** No configuration: for commands, which run without a stack. */
export const environmentOnly: SettingsSource = {
  owner: { kind: "environment" },
  get: () => undefined,
  keys: () => [],
};

/** The argument of `configure`. Its keys are in a private property of Pulumi, which may change. */
const withRecord = z.object({ rawConfig: z.record(z.string(), z.unknown()) });

/**
 * Reads the configuration of a provider process: the stack's, or the properties of an explicit
 * provider. The process cannot tell which of the two it received.
 *
 * @param config the configuration of the process
 * @returns the source
 */
export function processSettings(config: { get(key: string): string | undefined }): SettingsSource {
  return {
    owner: { kind: "process" },
    get: (key) => config.get(`clouddb:${key}`),
    keys: () => {
      const parsed = withRecord.safeParse(config);
      return parsed.success ? Object.keys(parsed.data.rawConfig) : [];
    },
  };
}

/**
 * Returns the name of a setting for an error, with every source that it is read from.
 *
 * @param owner the owner of the settings
 * @param key the name of the setting
 * @returns the name
 * @example settingName({ kind: "stack" }, "baseUrl") // "clouddb:baseUrl (or CLOUDDB_BASE_URL)"
 */
export function settingName(owner: SettingsOwner, key: SettingKey): string {
  const variable = environmentVariable(key);
  switch (owner.kind) {
    case "stack":
    case "process":
      return `clouddb:${key} (or ${variable})`;
    case "provider":
      return `${key} of clouddb.Provider "${escapeText(owner.name)}" (or ${variable})`;
    case "environment":
      return variable;
  }
}

/**
 * Returns the short name of a setting, for a sentence that names several.
 *
 * @param owner the owner of the settings
 * @param key the name of the setting
 * @returns the name
 * @example shortSettingName({ kind: "environment" }, "publicKey") // "CLOUDDB_PUBLIC_KEY"
 */
export function shortSettingName(owner: SettingsOwner, key: SettingKey): string {
  return owner.kind === "environment" ? environmentVariable(key) : key;
}

/**
 * Returns the sentence for a missing setting, with each way to set it for this owner.
 *
 * @param owner the owner of the settings
 * @param key the name of the setting
 * @param example a value for the suggested commands
 * @returns such as `CLOUDDB_BASE_URL is not set: export CLOUDDB_BASE_URL=https://...`
 */
export function notSet(owner: SettingsOwner, key: SettingKey, example: string): string {
  // Pulumi prompts for a secret, so that it does not end up in the shell's history.
  const config = `pulumi config set ${isSecret(key) ? `--secret clouddb:${key}` : `clouddb:${key} ${example}`}`;
  const variable = `export ${environmentVariable(key)}=${example}`;
  const remedies = {
    stack: `${config}, or ${variable}`,
    process: `${config}, or ${variable}; for a resource with a clouddb.Provider, pass it to the provider`,
    // The provider inherits missing settings from the stack's configuration.
    provider: `pass it to the provider, or ${config}, or ${variable}`,
    environment: variable,
  };
  return `${settingName(owner, key)} is not set: ${remedies[owner.kind]}`;
}
