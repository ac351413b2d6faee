/** The names of the settings. */

/** The settings of a stack or a `clouddb.Provider`, as the configuration names them. */
export interface Settings {
  /** The origin of the service, such as `https://cloud.example.com`; https only. */
  readonly baseUrl: string;
  /** The public part of an API key. */
  readonly publicKey: string;
  /** The private part of an API key. A secret. */
  readonly privateKey: string;
  /** The ID of a service account. */
  readonly clientId: string;
  /** The secret of a service account. A secret. */
  readonly clientSecret: string;
  /**
   * The path that issues tokens to service accounts.
   *
   * @default "/api/oauth/token"
   */
  readonly tokenPath: string;
  /**
   * The path of the API.
   *
   * @default "/api/service/v1.0"
   */
  readonly apiPath: string;
  /**
   * The prefix of a cluster's two version fields (service document 2.2).
   *
   * @default "db"
   */
  readonly fieldPrefix: string;
  /**
   * The media type to request.
   *
   * @default "application/json"
   */
  readonly mediaType: string;
  /**
   * The path of a PEM file with certificates to trust in addition to those of Node.js.
   *
   * @default none
   */
  readonly caFile: string;
  /**
   * The limit of requests for each project, per minute.
   *
   * @default 100
   */
  readonly requestsPerMinute: number;
  /**
   * The timeout of one request, in seconds; at most 600.
   *
   * @default 30
   */
  readonly requestTimeoutSeconds: number;
}

/** The name of a setting. */
export type SettingKey = keyof Settings;

const listed: Readonly<Record<SettingKey, true>> = {
  baseUrl: true,
  publicKey: true,
  privateKey: true,
  clientId: true,
  clientSecret: true,
  tokenPath: true,
  apiPath: true,
  fieldPrefix: true,
  mediaType: true,
  caFile: true,
  requestsPerMinute: true,
  requestTimeoutSeconds: true,
};

/** The names of all settings. */
export const settingKeys: readonly SettingKey[] = Object.keys(listed).filter(isSettingKey);

/** The pair for a service account. */
export const serviceAccountPair = ["clientId", "clientSecret"] as const;

/** The pairs for an API key and a service account. Exactly one is required (service document 5 rule 1). */
export const credentialPairs = [
  ["publicKey", "privateKey"],
  serviceAccountPair,
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
  return Object.hasOwn(listed, key);
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
