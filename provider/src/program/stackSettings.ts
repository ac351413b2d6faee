/** The settings in the stack's configuration. */
import { type SettingKey, credentialPairs, environmentVariable } from "../session/settings";
import type { SettingOutputs } from "./recordedSettings";
import * as pulumi from "./sdk";

/**
 * Returns settings from the stack's configuration. All are secrets, because the SDK declares no function
 * that returns which ones the stack stores as secrets. Settings in the environment are read where the settings are used.
 *
 * @param keys the settings to return
 * @returns the settings that have a value
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
