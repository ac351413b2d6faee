/** The settings by name, for those who read them and for those who pass them on. */

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

export type SettingKey = (typeof settingKeys)[number];

/** An API key and a service account: exactly one of the pairs is given, whole (service document 5 rule 1). */
export const credentialPairs = [
  ["publicKey", "privateKey"],
  ["clientId", "clientSecret"],
] as const satisfies readonly (readonly [SettingKey, SettingKey])[];

/** The second of each pair is what nobody else may see. */
export function isSecret(key: string): boolean {
  return credentialPairs.some(([, secret]) => secret === key);
}

/** `baseUrl` is `CLOUDDB_BASE_URL`. */
export function environmentVariable(key: string): string {
  return `CLOUDDB_${key.replace(/[A-Z]/g, "_$&").toUpperCase()}`;
}
