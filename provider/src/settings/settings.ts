/**
 * The settings: their names, types, defaults, how each is read from text, and where from. A new setting starts here, in
 * `Settings`, `settingReaders` and, if it has a default, `defaultSettings`; CONTRIBUTING.md lists the rest. Programs
 * load this file, so it does not use zod (docs/internals/decisions.md#0014-measured-optimizations).
 */
import { UserError } from "../messages/errors";
import { unsafeCharacters } from "../messages/text";
import type { ListNames } from "../service/paging";
import { defaultRetryPolicy } from "../service/retry";

/** The settings of a stack or a `clouddb.Provider`, as the configuration names them. */
export interface Settings {
  /**
   * The origin of the service: https only, without a path. Required, unless `profile` is `atlas`, with which the default
   * is `https://cloud.mongodb.com`.
   *
   * @example "https://cloud.example.com"
   */
  readonly baseUrl: string;
  /**
   * The public part of an API key, the legacy alternative to a service account.
   *
   * @example "demo"
   */
  readonly publicKey: string;
  /**
   * The private part of an API key. Only a digest of it is ever sent.
   *
   * @secret
   */
  readonly privateKey: string;
  /**
   * The ID of a service account.
   *
   * @example "svc_demo"
   */
  readonly clientId: string;
  /**
   * The secret of a service account, sent only to the token endpoint.
   *
   * @secret
   */
  readonly clientSecret: string;
  /**
   * An access token of a service account that was requested beforehand, such as with `npx --no pulumi-clouddb token`, so
   * that many processes share it. Never renewed or revoked.
   *
   * @secret
   */
  readonly accessToken: string;
  /**
   * The family of the service: `default`, or `atlas` for MongoDB Atlas and services with its paths and dated media types.
   * Sets the defaults of `baseUrl` and of the settings from `tokenPath` to `countField`. A setting that you set yourself
   * takes precedence.
   *
   * @default "default"
   * @example "atlas"
   */
  readonly profile: ProfileName;
  /**
   * The path of the token endpoint for service accounts. When a process ends, it revokes its token with a request to
   * `revoke`, beside this path (RFC 7009), if the service has that path. If the service hands out the same token to
   * several requests, revoking it cuts off all of them; use accessToken instead.
   *
   * @default "/api/oauth/token"
   * @example "/oauth2/token"
   */
  readonly tokenPath: string;
  /**
   * The path of the API.
   *
   * @default "/api/service/v1.0"
   * @example "/api/service/v2"
   */
  readonly apiPath: string;
  /**
   * The prefix of a cluster's two version fields.
   *
   * @default "db"
   * @example "cloudDB"
   */
  readonly fieldPrefix: string;
  /**
   * The `Accept` header, a media type. With the profile `atlas`, also the `Content-Type` of changes.
   *
   * @default "application/json"
   * @example "application/vnd.example.2025-03-12+json"
   */
  readonly mediaType: string;
  /**
   * The paths below a project that list its clusters, separated by commas, such as `clusters,flexClusters`. If clusters
   * can move between these lists, put the list that they move to first. Disabling the mode checks only the clusters in
   * these lists.
   *
   * @default "clusters"
   * @example "clusters,flexClusters"
   */
  readonly clusterPaths: string;
  /**
   * The parameter with the number of a page, from 1, in requests for lists.
   *
   * @default "pageNum"
   * @example "page"
   */
  readonly pageParameter: string;
  /**
   * The parameter with the number of items on a page.
   *
   * @default "itemsPerPage"
   * @example "limit"
   */
  readonly pageSizeParameter: string;
  /**
   * The parameter that requests the count of all items.
   *
   * @default "includeCount"
   * @example "count"
   */
  readonly countParameter: string;
  /**
   * The field of a list with the count of all its items, which is required to disable private IP mode.
   *
   * @default "totalCount"
   * @example "total"
   */
  readonly countField: string;
  /**
   * A PEM file with certificates to trust in addition to the default ones. A relative path is resolved from the working
   * directory of the process. In a stack, this is the program's folder.
   *
   * @default none
   * @example "certificates/internal-ca.pem"
   */
  readonly caFile: string;
  /**
   * The timeout of one request, in seconds, which may be a fraction: 0.1 to 600.
   *
   * @default 30
   * @example 60
   */
  readonly requestTimeoutSeconds: number;
}

/** The family of the service, which sets the defaults of its paths, media types and field names. */
export type ProfileName =
  /** A service with the names of the [service document](https://github.com/pulumi-clouddb/pulumi-clouddb/blob/main/docs/internals/service.md). */
  | "default"
  /** MongoDB Atlas, and services with the paths and the dated media types of `/api/atlas/v2`, and Flex clusters. */
  | "atlas";

/** The names of the service document's examples, which it does not specify (4.3). */
export const defaultListNames: ListNames = {
  pageParameter: "pageNum",
  pageSizeParameter: "itemsPerPage",
  countParameter: "includeCount",
  countField: "totalCount",
};

/** Families of services that share paths, media types and field names. `default` has the defaults of all settings. */
export const profiles = {
  default: {
    apiPath: "/api/service/v1.0",
    tokenPath: "/api/oauth/token",
    mediaType: "application/json",
    fieldPrefix: "db",
    clusterPaths: "clusters",
    ...defaultListNames,
  },
  atlas: {
    apiPath: "/api/atlas/v2",
    tokenPath: "/api/oauth/token",
    // The first version with Flex clusters. A service of this family answers with the latest version of each resource
    // that is not newer, so that one date serves all requests.
    mediaType: "application/vnd.atlas.2024-11-13+json",
    fieldPrefix: "mongoDB",
    clusterPaths: "clusters,flexClusters",
    ...defaultListNames,
  },
} as const satisfies Record<ProfileName, Partial<Settings>>;

/**
 * The address of the profile `atlas` if none is set. Not in `profiles`, because doctor tries each profile there with the
 * credentials of the service that it checks.
 */
export const atlasAddress = "https://cloud.mongodb.com";

/** The hosts of MongoDB Atlas, which has no service of another profile. */
export const atlasHosts: readonly string[] = ["cloud.mongodb.com", "cloud.mongodbgov.com"];

export function isProfileName(name: string): name is ProfileName {
  return Object.hasOwn(profiles, name);
}

export type SettingKey = keyof Settings;

/**
 * Thrown for an invalid value. The message continues a sentence that begins with the setting's name, and has no value.
 */
export class InvalidSetting extends UserError {
  override readonly code = "settings";
}

const parameter = textMatching(
  /^[\w.$[\]-]+$/,
  "must be the name of a query parameter, such as pageNum",
);

const word = textMatching(/^\w+$/, "must be letters, digits or _");

/** Reads each setting from text. Throws an {@link InvalidSetting} for a value that it cannot have. */
export const settingReaders: { readonly [Key in SettingKey]: (text: string) => Settings[Key] } = {
  baseUrl: origin,
  // The header of digest authentication cannot contain other characters.
  publicKey: textMatching(/^[ -~]*$/, "contains a character that is not printable ASCII"),
  privateKey: visibleText,
  clientId: visibleText,
  clientSecret: visibleText,
  // Otherwise, the token does not fit into a header, and each request would fail like a network error.
  accessToken: textMatching(
    /^[\x21-\x7e]{1,8192}$/,
    "must contain only the token, which has at most 8192 printable ASCII characters and no spaces",
  ),
  profile: profileName,
  tokenPath: path,
  apiPath: path,
  fieldPrefix: word,
  mediaType: textMatching(/^[\w.+-]+\/[\w.+-]+$/, "must be a media type, such as application/json"),
  clusterPaths: (text) => {
    clusterPathList(text);
    return text;
  },
  pageParameter: parameter,
  pageSizeParameter: parameter,
  countParameter: parameter,
  countField: word,
  caFile: (text) => {
    assertSetting(!text.includes("-----BEGIN"), "must be the path of a PEM file, not its content");
    return visibleText(text);
  },
  requestTimeoutSeconds: seconds,
};

export const defaultSettings = {
  profile: "default",
  ...profiles.default,
  requestTimeoutSeconds: 30,
} satisfies Partial<Settings>;

/** The names of all settings, in the order of the documentation. */
export const settingKeys: readonly SettingKey[] = Object.keys(settingReaders).filter(isSettingKey);

/** The credentials of a service account, which messages ask for unless others are set. */
export const serviceAccountPair = ["clientId", "clientSecret"] as const;

/** The settings of each kind of credentials, of which exactly one is required (service document 5 rule 1). */
const credentialKinds = [
  ["publicKey", "privateKey"],
  serviceAccountPair,
  ["accessToken"],
] as const satisfies readonly (readonly SettingKey[])[];

/** The name of a setting that is a part of credentials. */
export type CredentialKey = (typeof credentialKinds)[number][number];

/** The secret settings: the last one of each kind. */
export const secretKeys = [
  "privateKey",
  "clientSecret",
  "accessToken",
] as const satisfies readonly CredentialKey[];

/** Returns the kinds of credentials of which at least one part is set. */
export function credentialsIn(isSet: (key: CredentialKey) => boolean) {
  return credentialKinds.filter((kind) => kind.some(isSet));
}

export function isSettingKey(key: string): key is SettingKey {
  return Object.hasOwn(settingReaders, key);
}

export function isCredential(key: string): boolean {
  return credentialKinds.flat().some((credential) => credential === key);
}

export function isSecretKey(key: string): boolean {
  return secretKeys.some((secret) => secret === key);
}

/**
 * Returns the environment variable of a setting.
 *
 * @example environmentVariable("baseUrl") // "CLOUDDB_BASE_URL"
 */
export function environmentVariable(key: SettingKey): string {
  return `CLOUDDB_${key.replace(/[A-Z]/g, "_$&").toUpperCase()}`;
}

/** Returns the variables with names in upper case on Windows, where they match regardless of case. */
export function comparableNames(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  if (process.platform !== "win32") return environment;
  return Object.fromEntries(
    Object.entries(environment).map(([name, value]) => [name.toUpperCase(), value]),
  );
}

/** Where the settings are, for messages that say how to change them. */
export type SettingsOwner =
  /**
   * The stack's configuration or an explicit `clouddb.Provider`, then the environment. A provider process cannot tell
   * the first two apart. A command reads the configuration of the stack that it names.
   */
  | { readonly kind: "stack"; readonly name?: string }
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

/** No configuration, for commands that run without a stack. */
export const environmentOnly: SettingsSource = {
  owner: { kind: "environment" },
  get: () => undefined,
  keys: () => [],
};

/**
 * Reads a text. Throws for white space around it and invisible characters, which values from a file or the clipboard
 * often contain.
 */
function visibleText(text: string): string {
  assertSetting(text.trim() === text, "begins or ends with white space, such as a line break");
  const isVisible = text.search(unsafeCharacters) === -1;
  assertSetting(isVisible, "contains a line break, or another control or invisible character");
  return text;
}

/** Creates the reader of a text that matches a pattern. Its problem ends a sentence. */
function textMatching(pattern: RegExp, problem: string): (text: string) => string {
  return (text) => {
    assertSetting(pattern.test(visibleText(text)), problem);
    return text;
  };
}

/** Reads a path below the origin. Empty segments, . and .. would lead to another path, or to another server. */
function path(text: string): string {
  const [start, ...segments] = visibleText(text).split("/");
  const isSegment = (part: string) => /^[\w.-]+$/.test(part) && part !== "." && part !== "..";
  assertSetting(
    start === "" && segments.length > 0 && segments.every(isSegment),
    "must be a path such as /api/v1.0, which starts with / but does not end with it, without empty parts, . or ..",
  );
  return text;
}

/** Reads the origin of the service. */
function origin(text: string): string {
  const url = URL.canParse(visibleText(text)) ? new URL(text) : undefined;
  assertSetting(
    url,
    "is not a URL; set it to the service's origin, such as https://api.example.com",
  );
  const isHttps = text.toLowerCase().startsWith("https://");
  assertSetting(isHttps, "must start with https://, because the provider only connects over TLS");
  assertSetting(
    url.href === `${url.origin}/`,
    "must be an origin without a path; set the path with clouddb:apiPath",
  );
  return url.origin;
}

function profileName(text: string): ProfileName {
  assertSetting(
    isProfileName(text),
    "is not the name of a profile; expected default, or atlas for MongoDB Atlas",
  );
  return text;
}

/** Reads the paths in `clusterPaths`. Throws an {@link InvalidSetting}. */
export function clusterPathList(text: string): string[] {
  const paths = text.split(",").map((part) => part.trim());
  assertSetting(
    paths.every((path) => /^[\w-]+$/.test(path)),
    "must be names of paths, separated by commas, such as clusters,flexClusters",
  );
  assertSetting(new Set(paths).size === paths.length, "contains a path twice");
  return paths;
}

/** Reads the timeout of one request, which cannot exceed that of the call that sends it. */
function seconds(text: string): number {
  assertSetting(
    /^\d+(?:\.\d+)?$/.test(visibleText(text)),
    "must be a number of seconds, such as 30 or 0.5",
  );
  const value = Number(text);
  const { callTimeoutSeconds } = defaultRetryPolicy;
  assertSetting(value >= 0.1, "must be at least 0.1");
  assertSetting(value <= callTimeoutSeconds, `must be at most ${callTimeoutSeconds}`);
  return value;
}

/** Throws an {@link InvalidSetting} unless a condition is true. */
export function assertSetting(condition: unknown, problem: string): asserts condition {
  if (!condition) throw new InvalidSetting(problem);
}
