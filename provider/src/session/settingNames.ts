/** The names of the settings. */

/** All settings; the environment variable of `baseUrl` is `CLOUDDB_BASE_URL`. */
export const settingKeys = [
  "baseUrl",
  "publicKey",
  "privateKey",
  "clientId",
  "clientSecret",
  "tokenPath",
  "apiPath",
  "fieldPrefix",
  "mediaType",
  "caFile",
  "requestsPerMinute",
  "requestTimeoutSeconds",
] as const;

/** The name of a setting. */
export type SettingKey = (typeof settingKeys)[number];

/** The pairs for an API key and a service account. Exactly one is required (service document 5 rule 1). */
export const credentialPairs = [
  ["publicKey", "privateKey"],
  ["clientId", "clientSecret"],
] as const satisfies readonly (readonly [SettingKey, SettingKey])[];

/** The secret settings: the second of each pair. */
export const secretKeys = credentialPairs.map(([, secret]) => secret);

/**
 * Returns whether a setting with this name exists.
 *
 * @param key the name, case-sensitive
 * @returns true if the setting exists
 */
export function isSettingKey(key: string): key is SettingKey {
  return settingKeys.some((each) => each === key);
}

/**
 * Returns whether the value of a setting is secret.
 *
 * @param key the name of the setting
 * @returns true for `privateKey` and `clientSecret`
 */
export function isSecret(key: string): boolean {
  return secretKeys.some((secret) => secret === key);
}

/**
 * Returns the environment variable of a setting.
 *
 * @param key the name of the setting
 * @returns the name of the variable
 * @example environmentVariable("baseUrl") // "CLOUDDB_BASE_URL"
 */
export function environmentVariable(key: SettingKey): string {
  return `CLOUDDB_${key.replace(/[A-Z]/g, "_$&").toUpperCase()}`;
}
