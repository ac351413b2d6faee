/** The settings by name, for the code that reads them and the code that passes them on. */

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

/** An API key and a service account: exactly one of the pairs is given, whole (service document 5 rule 1). */
export const credentialPairs = [
  ["publicKey", "privateKey"],
  ["clientId", "clientSecret"],
] as const satisfies readonly (readonly [SettingKey, SettingKey])[];

/** The settings whose values are secret: the second of each pair. */
export const secretKeys = credentialPairs.map(([, secret]) => secret);

/**
 * Tells whether a name is that of a setting.
 *
 * @param key the name, as it is spelled
 */
export function isSettingKey(key: string): key is SettingKey {
  return settingKeys.some((each) => each === key);
}

/**
 * Tells whether the value of a setting is secret.
 *
 * @param key the name of the setting
 */
export function isSecret(key: string): boolean {
  return secretKeys.some((secret) => secret === key);
}

/**
 * Returns the environment variable of a setting.
 *
 * @param key the name of the setting
 * @example environmentVariable("baseUrl") // "CLOUDDB_BASE_URL"
 */
export function environmentVariable(key: SettingKey): string {
  return `CLOUDDB_${key.replace(/[A-Z]/g, "_$&").toUpperCase()}`;
}
