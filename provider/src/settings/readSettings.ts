/** Reads the settings from the configuration or a provider (`clouddb:baseUrl`), or else from the environment. */
import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import type { Credentials } from "../service/authentication";
import type { CheckedSettings } from "../service/session";
import { escapeText, isUuid } from "../messages/text";
import { outputInText } from "../validation/arguments";
import { invalidProxyVariables, proxyPasswords } from "../service/proxy";
import { ProviderError } from "../messages/errors";
import { nearestName, setVariable } from "../messages/recommendations";
import {
  InvalidSetting,
  type CredentialKey,
  type SettingKey,
  type Settings,
  type SettingsOwner,
  type SettingsSource,
  clusterPathList,
  comparableNames,
  credentialsIn,
  defaultSettings,
  environmentVariable,
  isCredential,
  isSecretKey,
  assertSetting,
  atlasAddress,
  atlasHosts,
  profiles,
  secretKeys,
  serviceAccountPair,
  settingKeys,
  settingReaders,
} from "./settings";
import {
  type KnownSecret,
  doubtAboutSecret,
  knownSecrets,
  minSecretLength,
  misplacedCredential,
} from "./misplacedCredentials";

/**
 * Returns the settings of the client, with warnings. Throws a ProviderError that contains every problem and its remedy,
 * but no value except for the path of a file.
 */
export function readSettings(
  source: SettingsSource,
  variables: NodeJS.ProcessEnv,
): CheckedSettings {
  const { owner } = source;
  const environment = comparableNames(variables);
  const misspelled = misspelledNames([...source.keys(), ...Object.keys(environment)]);
  const { configured, values, invalid } = readValues(source, environment);
  const isEmpty = source.get("baseUrl") === "" || environment["CLOUDDB_BASE_URL"] === "";
  const isMisspelled = misspelled.some(({ key }) => key === "baseUrl");
  const { caFile } = values;
  const { pem, problem } = caFile === undefined ? {} : readCertificates(caFile);
  const problems = [
    addressProblems(configured, values, { owner, isEmpty, isMisspelled }),
    credentialProblems(configured, owner, environment),
    invalid,
    proxyProblems(environment),
    problem === undefined ? [] : `${sourcesOf(owner, "caFile")}: ${problem}`,
  ].flat();
  const settings = clientSettings(values);
  if (settings === undefined || problems.length > 0) {
    const all = [...problems, ...misspelled.map(({ text }) => text)];
    const [first = ""] = all;
    throw new ProviderError(
      all.length === 1
        ? `a setting is missing or invalid: ${first}`
        : [`the settings have ${all.length} problems:`, ...all].join("\n  "),
      { code: "settings" },
    );
  }
  const client = { ...settings, extraCertificates: pem, caFile };
  const names = misspelled.map(({ text }) => text);
  return { client, misspelled: names, doubts: doubtsAbout(configured, owner) };
}

/** Returns what is wrong with the values that are set, even if others are missing. */
export function invalidSettings(source: SettingsSource, variables: NodeJS.ProcessEnv): string[] {
  return readValues(source, comparableNames(variables)).invalid;
}

export interface ReportedSetting {
  readonly key: SettingKey;
  readonly variable: string;
  /** Undefined if the value is invalid. It may be a secret, so print only {@link printedValue}. */
  readonly value: Settings[SettingKey] | undefined;
  readonly source: "stack" | "environment";
}

/** Returns the settings that are set. */
export function reportedSettings(
  source: SettingsSource,
  variables: NodeJS.ProcessEnv,
): ReportedSetting[] {
  const { configured, values } = readValues(source, comparableNames(variables));
  return settingKeys
    .filter((key) => configured[key] !== undefined)
    .map((key) => ({
      key,
      variable: environmentVariable(key),
      value: values[key],
      source: source.get(key) ? "stack" : "environment",
    }));
}

/** Returns what may be printed of a setting: `set` for a secret, `invalid` for an invalid value. */
export function printedValue({ key, value }: ReportedSetting): string {
  // A public key that is a UUID may be a private key of Atlas whose profile is not set. With the profile, it is invalid.
  if (isSecretKey(key) || (key === "publicKey" && isUuid(String(value)))) return "set";
  return value === undefined ? "invalid" : escapeText(String(value));
}

/** Returns the secrets of the environment, which are those of the settings and the passwords of proxies. */
export function environmentSecrets(variables: NodeJS.ProcessEnv): string[] {
  const environment = comparableNames(variables);
  const invalid = invalidProxyVariables(environment);
  const valid = Object.entries(environment).filter(([name]) => !invalid.includes(name));
  const ofSettings = knownSecrets(() => undefined, environment).map(({ value }) => value);
  const ofProxies = proxyPasswords(Object.fromEntries(valid));
  return [...ofSettings, ...ofProxies.filter(({ length }) => length >= minSecretLength)];
}

/** The settings that are set, as text. */
type ConfiguredSettings = Readonly<Partial<Record<SettingKey, string>>>;

/** Returns the settings that are set. Those of the configuration take precedence over the environment. */
function configuredSettings(
  { get }: SettingsSource,
  environment: NodeJS.ProcessEnv,
): ConfiguredSettings {
  return Object.fromEntries(
    settingKeys.flatMap((key) => {
      // An empty value counts as unset, because shells and CI systems often leave variables empty.
      const value =
        get(key) || (isReplaced(key, get) ? undefined : environment[environmentVariable(key)]);
      return value ? [[key, value]] : [];
    }),
  );
}

/** Returns the settings that are set, as text and as values, and what is wrong with them. */
function readValues(source: SettingsSource, environment: NodeJS.ProcessEnv) {
  const configured = configuredSettings(source, environment);
  const secrets = knownSecrets(source.get, environment);
  return { configured, ...valuesOf(configured, secrets, source.owner) };
}

/** The values of the settings that are set and valid. */
type SettingValues = { -readonly [Key in SettingKey]?: Settings[Key] };

/** Reads each setting. Returns the values, and what is wrong with the texts that have none. */
function valuesOf(
  configured: ConfiguredSettings,
  secrets: readonly KnownSecret[],
  owner: SettingsOwner,
) {
  const values: SettingValues = {};
  const invalid: string[] = [];
  for (const key of settingKeys) {
    const text = configured[key];
    if (text === undefined) continue;
    const name = sourcesOf(owner, key);
    const credential = misplacedCredential(key, text, { secrets, profile: configured.profile });
    const problem =
      outputInText(text, [name]) ??
      (credential === undefined ? undefined : `${name} ${credential}`);
    if (problem !== undefined) {
      invalid.push(problem);
      continue;
    }
    try {
      readInto(values, key, text);
    } catch (error) {
      if (!(error instanceof InvalidSetting)) throw error;
      invalid.push(`${name} ${error.message}`);
    }
  }
  return { values, invalid };
}

function readInto<Key extends SettingKey>(
  values: { [Name in Key]?: Settings[Name] },
  key: Key,
  text: string,
): void {
  assertSetting(
    isSecretKey(key) || !/^["'`‘’“”]|["'`‘’“”]$/.test(text),
    "contains the quotes around it, which belong to the value. Remove them",
  );
  values[key] = settingReaders[key](text);
}

/** Returns warnings about secrets that may be a mistake. */
function doubtsAbout(configured: ConfiguredSettings, owner: SettingsOwner): string[] {
  return secretKeys.flatMap((key) => {
    const doubt = doubtAboutSecret(configured[key] ?? "");
    return doubt === undefined ? [] : `${sourcesOf(owner, key)} ${doubt}`;
  });
}

/** Returns the problem if the address is missing, or if it is that of Atlas without its profile. */
function addressProblems(
  configured: ConfiguredSettings,
  { profile, apiPath = profiles.default.apiPath }: SettingValues,
  { owner, isEmpty, isMisspelled }: AddressSources,
): string[] {
  // An invalid profile is a problem of its own.
  if (configured.profile !== undefined && profile === undefined) return [];
  const setProfile = `:\n      ${settingCommand(owner, "profile", "atlas")}`;
  const { baseUrl } = configured;
  if (baseUrl === undefined) {
    // Whoever meant another address must not reach the default one.
    const hasDefault = !isEmpty && !isMisspelled;
    const isAtlas = profile === "atlas";
    if (isAtlas && hasDefault) return [];
    const example = isAtlas ? atlasAddress : "https://...";
    const problem = notSet(owner, "baseUrl", example, isEmpty ? "is empty" : "is not set");
    return [hasDefault ? `${problem}\n      For MongoDB Atlas, run only${setProfile}` : problem];
  }
  // An address with a path is invalid, but shows which profile is meant.
  const host = URL.canParse(baseUrl) ? new URL(baseUrl).hostname : "";
  const isComplete = profile === "atlas" || apiPath !== profiles.default.apiPath;
  if (isComplete || !atlasHosts.includes(host)) return [];
  return [
    `${host} is MongoDB Atlas, which needs the profile atlas. Run this${orProvider(owner)}${setProfile}`,
  ];
}

/** Where an address was looked for, and what was found instead. */
interface AddressSources {
  readonly owner: SettingsOwner;
  readonly isEmpty: boolean;
  readonly isMisspelled: boolean;
}

/** Returns the settings for the client, with defaults; undefined without an address or complete credentials. */
function clientSettings(values: SettingValues) {
  const settings = {
    ...defaultSettings,
    ...(values.profile === "atlas" ? { baseUrl: atlasAddress } : {}),
    ...profiles[values.profile ?? defaultSettings.profile],
    ...values,
  };
  const credentials = completeCredentials(settings);
  const { publicKey, privateKey, clientId, clientSecret, accessToken, ...plain } = settings;
  const { profile, baseUrl, mediaType, clusterPaths } = plain;
  if (baseUrl === undefined || credentials === undefined) return undefined;
  return {
    ...plain,
    baseUrl: new URL(baseUrl),
    contentType: profile === "atlas" ? mediaType : "application/json",
    clusterPaths: clusterPathList(clusterPaths),
    credentials,
  };
}

/** Returns the credentials of the first kind that is complete. */
function completeCredentials(
  values: SettingValues & Pick<Settings, "tokenPath">,
): Credentials | undefined {
  const { publicKey, privateKey, clientId, clientSecret, accessToken, tokenPath } = values;
  if (publicKey !== undefined && privateKey !== undefined) {
    return { kind: "apiKey", publicKey, privateKey };
  }
  if (clientId !== undefined && clientSecret !== undefined) {
    const revokePath = tokenPath.replace(/[^/]+$/, "revoke");
    return { kind: "serviceAccount", clientId, clientSecret, tokenPath, revokePath };
  }
  return accessToken === undefined ? undefined : { kind: "accessToken", accessToken };
}

/** Returns the problem with invalid proxy addresses. It does not quote them, because they may contain passwords. */
function proxyProblems(environment: NodeJS.ProcessEnv): string[] {
  const invalid = invalidProxyVariables(environment).join(", ");
  if (invalid === "") return [];
  return [
    `the environment variable ${invalid} is not a proxy URL, such as http://<host>:<port>; encode special characters in a user name or password, such as % as %25`,
  ];
}

/** Returns the problems if the settings have several kinds of credentials, or no complete one. */
function credentialProblems(
  settings: ConfiguredSettings,
  owner: SettingsOwner,
  environment: NodeJS.ProcessEnv,
): string[] {
  const kindsInUse = credentialsIn((key) => settings[key] !== undefined);
  if (kindsInUse.length > 1) {
    const nameOf = owner.kind === "environment" ? environmentVariable : String;
    const kinds = kindsInUse.map((kind) => kind.map((key) => nameOf(key)).join(" and "));
    return [`several kinds of credentials are set; keep only ${kinds.join(", or ")}`];
  }
  const variablesOf = (key: CredentialKey) =>
    variablesOfOtherTools[key].filter((name) => environment[name]);
  const [ofOtherTools] = credentialsIn((key) => variablesOf(key).length > 0);
  const expected = kindsInUse[0] ?? ofOtherTools ?? serviceAccountPair;
  const missing = expected.filter((key) => settings[key] === undefined);
  return missing.map((key) => {
    const unread = variablesOf(key).map((name) => `${name} is set but is not read, and `);
    return `${unread.join("")}${notSet(owner, key, "...")}`;
  });
}

/** The variables of other tools for the same credentials. Not read, because they may be of another organization. */
const variablesOfOtherTools: Readonly<Record<CredentialKey, readonly string[]>> = {
  publicKey: ["MONGODB_ATLAS_PUBLIC_API_KEY", "MONGODB_ATLAS_PUBLIC_KEY", "MCLI_PUBLIC_API_KEY"],
  privateKey: [
    "MONGODB_ATLAS_PRIVATE_API_KEY",
    "MONGODB_ATLAS_PRIVATE_KEY",
    "MCLI_PRIVATE_API_KEY",
  ],
  clientId: ["MONGODB_ATLAS_CLIENT_ID"],
  clientSecret: ["MONGODB_ATLAS_CLIENT_SECRET"],
  accessToken: ["MONGODB_ATLAS_ACCESS_TOKEN"],
};

/** Returns whether the configuration has other credentials, which replace those of the environment. */
function isReplaced(key: SettingKey, get: SettingsSource["get"]): boolean {
  const configured = credentialsIn((credential) => Boolean(get(credential)));
  const isIn = (kind: readonly SettingKey[]) => kind.includes(key);
  return configured.length > 0 && isCredential(key) && !configured.some(isIn);
}

/** Returns the name of a setting for an error, with every source that it is read from. */
function sourcesOf({ kind }: SettingsOwner, key: SettingKey): string {
  const variable = environmentVariable(key);
  return kind === "environment" ? variable : `clouddb:${key} (or ${variable})`;
}

/** Returns the command that sets a setting, where its owner has its settings. */
export function settingCommand(owner: SettingsOwner, key: SettingKey, value: string): string {
  if (owner.kind === "environment") return setVariable(environmentVariable(key), value);
  // Pulumi prompts for a secret, so that it does not end up in the shell's history.
  const setting = isSecretKey(key) ? `--secret clouddb:${key}` : `clouddb:${key} ${value}`;
  return `pulumi config set ${stackOption(owner)}${setting}`;
}

/** Returns the command that removes a setting from the configuration of a stack. */
export function removalCommand(owner: SettingsOwner, key: SettingKey): string {
  return `pulumi config rm ${stackOption(owner)}clouddb:${key}`;
}

/** Returns the option for a stack that need not be the selected one. Pulumi accepts only names that need no quotes. */
function stackOption(owner: SettingsOwner): string {
  return owner.kind === "stack" && owner.name ? `--stack ${owner.name} ` : "";
}

/** Returns the sentence for a missing setting, with each way to set it for this owner. */
function notSet(
  owner: SettingsOwner,
  key: SettingKey,
  example: string,
  state: string = "is not set",
): string {
  const variable = settingCommand({ kind: "environment" }, key, example);
  const [remedy, ...commands] =
    owner.kind === "environment"
      ? ["Run:", variable]
      : [`Run one of these${orProvider(owner)}:`, settingCommand(owner, key, example), variable];
  return [`${sourcesOf(owner, key)} ${state}. ${remedy}`, ...commands].join("\n      ");
}

/** Returns the other remedy for settings that may be those of a provider. */
function orProvider(owner: SettingsOwner): string {
  const isStack = owner.kind === "environment" || owner.name !== undefined;
  return isStack ? "" : ", or pass it to the clouddb.Provider";
}

/**
 * Returns each name that is near to that of a setting, and so is probably misspelled. Other names may belong to other
 * programs that use the same stack or environment.
 */
function misspelledNames(names: readonly string[]) {
  const valid = new Map(
    settingKeys.flatMap((key) => [
      [`clouddb:${key}`, key],
      [environmentVariable(key), key],
    ]),
  );
  return names.flatMap((name) => {
    const nearest = valid.has(name) ? undefined : nearestName(name, [...valid.keys()]);
    if (nearest === undefined) return [];
    const text = `${escapeText(name)} is not a setting; did you mean ${nearest}?`;
    return [{ key: valid.get(nearest), text }];
  });
}

/**
 * Returns the certificates in a file, or what is wrong with it. Parses each block, because Node.js ignores a damaged
 * one and those after it.
 */
function readCertificates(caFile: string): { readonly pem?: string; readonly problem?: string } {
  try {
    const lines = readFileSync(caFile, "utf8").split("\n");
    const certificates = lines
      // OpenSSL does not accept indented blocks.
      .map((line) => line.trimStart())
      .join("\n")
      .split(/^(?=-----BEGIN CERTIFICATE-----)/m)
      .filter((block) => block.startsWith("-----BEGIN CERTIFICATE-----"))
      .map((block) => new X509Certificate(block).toString());
    assertSetting(certificates.length > 0, "no certificate");
    return { pem: certificates.join("") };
  } catch (error) {
    const isUnread = error instanceof Error && "errno" in error && "code" in error;
    const problem = isUnread
      ? `cannot be read (${String(error.code)})`
      : "is not a valid PEM certificate file: it contains no block -----BEGIN CERTIFICATE-----, or an incomplete one";
    return { problem: `${escapeText(caFile)} ${problem}` };
  }
}
