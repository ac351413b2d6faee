/** The settings in the stack's configuration. */
import { type SettingKey, credentialPairs, environmentVariable } from "../session/settingNames";
import * as pulumi from "./sdk";

/** Settings by name; secret settings are secret outputs. */
export type Settings = Partial<Record<SettingKey, pulumi.Output<string>>>;

/**
 * Returns settings from the stack's configuration. All are secrets, because the SDK declares no function
 * that returns which ones the stack stores as secrets. Settings in the environment are read where the settings are used.
 *
 * @param keys the settings to return
 * @returns the settings that have a value
 */
export function stackSettings(keys: readonly SettingKey[]): Settings {
  const config = new pulumi.Config("clouddb");
  const settings: Settings = {};
  for (const key of keys) {
    const value = config.getSecret(key);
    if (value !== undefined) settings[key] = value;
  }
  return settings;
}

/**
 * Returns whether the stack's configuration or the environment has any credential.
 *
 * @returns true also if the credentials are incomplete
 */
export function stackHasCredentials(): boolean {
  const config = new pulumi.Config("clouddb");
  return credentialPairs
    .flat()
    .some((key) => config.get(key) || process.env[environmentVariable(key)]);
}
