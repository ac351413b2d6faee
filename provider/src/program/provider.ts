/**
 * clouddb.Provider: separate settings for some resources of a stack, such as the credentials of a second
 * organization. To the engine it is an ordinary provider, whose process is configured with the
 * properties of this resource instead of the stack's configuration
 * (docs/decisions/0006-explicit-providers.md).
 */
import { escapeText } from "../api/escapeText";
import { suggestion } from "../session/nearest";
import { warnOfPlainSecrets } from "./plainSecrets";
import { type SettingOutputs, recordSettings, recordedSettings } from "./recordedSettings";
import { runError } from "./runError";
import * as pulumi from "./sdk";
import {
  type SettingKey,
  credentialPairs,
  environmentVariable,
  isSecret,
  isSettingKey,
  settingKeys,
} from "../session/settingNames";
import type { SettingsOwner } from "../session/settingsSource";

/** An API key or a service account. If neither is given, the stack's credentials are used. */
type CredentialArgs =
  | Given<"publicKey" | "privateKey", "clientId" | "clientSecret">
  | Given<"clientId" | "clientSecret", "publicKey" | "privateKey">
  | Given<never, CredentialKey>;

type Given<Present extends SettingKey, Absent extends SettingKey> = {
  readonly [K in Present]: pulumi.Input<string>;
} & { readonly [K in Absent]?: undefined };

type CredentialKey = (typeof credentialPairs)[number][number];

type NumberKey = Extract<SettingKey, "requestTimeoutSeconds" | "requestsPerMinute">;

/**
 * Settings, named as in the stack's configuration. Settings that are not given are inherited from the
 * stack. A given pair of credentials replaces the stack's credentials.
 */
export type ProviderArgs = CredentialArgs & {
  readonly [K in Exclude<SettingKey, CredentialKey>]?:
    | pulumi.Input<K extends NumberKey ? number : string>
    | undefined;
};

type Settings = Partial<Record<SettingKey, pulumi.Output<string>>>;

/**
 * Settings for the resources and calls that use this provider, such as the credentials of a second
 * organization.
 *
 * @example
 * const partner = new clouddb.Provider("partner", { publicKey, privateKey });
 * new clouddb.PrivateIpMode("reports", { projectId, enabled: false }, { provider: partner });
 */
export class Provider extends pulumi.ProviderResource {
  /**
   * @param name the name of the provider resource
   * @param args settings; those that are not given are inherited from the stack. Default: none.
   * @param options Pulumi's options of a resource
   * @throws `RunError` if a setting is misspelled or empty, if both an API key and a service account
   *   are given, if one of them is incomplete, or if there are no credentials in the arguments, the
   *   stack and the environment
   */
  constructor(name: string, args: ProviderArgs = {}, options?: pulumi.ResourceOptions) {
    warnOfPlainSecrets();
    const settings = explicitSettings(name, args);
    const properties: pulumi.Inputs = {};
    for (const [key, value] of Object.entries(settings)) properties[`clouddb:${key}`] = value;
    super("pulumi-nodejs", name, properties, options);
    recordSettings(this, { version: 1, name, settings, baseUrl: args.baseUrl });
  }
}

/** The options that determine the provider of a resource or a call. */
type ProviderOptions = Pick<pulumi.InvokeOptions, "provider" | "parent">;

/**
 * Returns the provider of a resource or call, which may be inherited from its parent.
 *
 * @returns undefined for the stack's default provider
 */
export function explicitProvider(
  options: ProviderOptions | undefined,
): pulumi.ProviderResource | undefined {
  const type = "pulumi-nodejs:dynamic/clouddb:Any";
  return options?.provider ?? options?.parent?.getProvider(type);
}

/**
 * Returns a value that is only equal for two providers if they are certain to use the same service: the
 * origin of the base URL, the output that the URL comes from, or, for a provider whose base URL is not
 * accessible because it is not a `clouddb.Provider`, the provider itself.
 *
 * @param provider undefined for the stack's default provider
 */
export function serviceOf(provider: pulumi.ProviderResource | undefined): unknown {
  const recorded = provider === undefined ? undefined : recordedSettings(provider);
  if (recorded === "none" || recorded === "unreadable") return provider;
  const inherited = () =>
    new pulumi.Config("clouddb").get("baseUrl") || process.env[environmentVariable("baseUrl")];
  const service = recorded?.baseUrl ?? inherited();
  return typeof service === "string" && URL.canParse(service) ? new URL(service).origin : service;
}

/** Settings for a call of a program, and their owner. */
export interface ProgramSettings {
  readonly owner: SettingsOwner;
  readonly settings: SettingOutputs;
}

/**
 * Returns the settings for a call: those of its explicit or inherited provider, or else the stack's.
 *
 * @throws `RunError` if that provider is not a `clouddb.Provider`: its credentials cannot be read, and
 *   the stack's credentials may be for another organization
 */
export function programSettings(options: ProviderOptions | undefined): ProgramSettings {
  const provider = explicitProvider(options);
  if (provider === undefined) {
    return { owner: { kind: "stack" }, settings: stackSettings(settingKeys) };
  }
  const recorded = recordedSettings(provider);
  const given = options?.provider === undefined ? "inherited from the parent" : "given";
  const subject = `the provider ${quotedName(provider)}, ${given} for this call,`;
  if (recorded === "none") {
    throw runError(
      `${subject} is not a clouddb.Provider, so its credentials are not known here. Pass a clouddb.Provider.`,
    );
  }
  if (recorded === "unreadable") {
    throw runError(
      `${subject} was made by another version of pulumi-clouddb, whose settings this version cannot read. Install one version: npm ls pulumi-clouddb lists all.`,
    );
  }
  return { owner: { kind: "provider", name: recorded.name }, settings: recorded.settings };
}

/** Returns the name of a resource, which Pulumi stores in an undeclared property. */
function quotedName(resource: pulumi.ProviderResource): string {
  const name = "__name" in resource ? resource.__name : undefined;
  return typeof name === "string" ? `"${escapeText(name)}"` : "without a name";
}

function explicitSettings(name: string, args: ProviderArgs): SettingOutputs {
  const given = Object.entries<pulumi.Input<string | number> | undefined>(args).filter(
    ([, value]) => value !== undefined,
  );
  const keys = given.map(([key]) => key);
  const refuse = (problem: string) =>
    runError(`clouddb.Provider "${escapeText(name)}": ${problem}`);
  const pair = refuseWrongKeys(keys, refuse);

  const inherited = settingKeys.filter(
    (key) => !keys.includes(key) && (pair === undefined || !isCredential(key)),
  );
  const settings: Settings = stackSettings(inherited);
  for (const [key, value] of given) {
    if (!isSettingKey(key)) continue;
    // The environment would replace an empty value, possibly with that of another organization.
    const textOf = (known: string | number | undefined) => {
      if (known === undefined || known === "") throw refuse(`${key} is empty`);
      return String(known);
    };
    const isKnown = typeof value === "string" || typeof value === "number";
    const text = isKnown ? pulumi.output(textOf(value)) : pulumi.output(value).apply(textOf);
    settings[key] = isSecret(key) ? pulumi.secret(text) : text;
  }
  return settings;
}

/** Returns the given pair of credentials, if any; throws if the keys are invalid. */
function refuseWrongKeys(
  keys: readonly string[],
  refuse: (problem: string) => Error,
): (typeof credentialPairs)[number] | undefined {
  const misspelled = keys.filter((key) => !isSettingKey(key));
  if (misspelled.length > 0) {
    const problems = misspelled.map(
      (key) => `there is no setting ${escapeText(key)}; ${suggestion(key, settingKeys)}`,
    );
    throw refuse(problems.join(" "));
  }
  const givenPairs = credentialPairs.filter((pair) => pair.some((key) => keys.includes(key)));
  const [pair] = givenPairs;
  if (givenPairs.length > 1) {
    throw refuse(
      "both an API key (publicKey, privateKey) and a service account (clientId, clientSecret) are given. Give one of the two",
    );
  }
  const missing = pair?.find((key) => !keys.includes(key));
  if (missing !== undefined) {
    throw refuse(`${missing} is not given. Give ${String(pair?.join(" and "))}, both`);
  }
  if (pair === undefined && !stackHasCredentials()) {
    throw refuse(
      "no credentials are given, and the stack has none either. Give publicKey and privateKey, or clientId and clientSecret",
    );
  }
  return pair;
}

/**
 * Returns settings from the stack's configuration. All are secrets: a program cannot tell which ones the
 * stack stores as secrets. Settings in the environment are read where the settings are used.
 */
function stackSettings(keys: readonly SettingKey[]): Settings {
  const config = new pulumi.Config("clouddb");
  const settings: Settings = {};
  for (const key of keys) {
    const value = config.getSecret(key);
    if (value !== undefined) settings[key] = value;
  }
  return settings;
}

function stackHasCredentials(): boolean {
  const config = new pulumi.Config("clouddb");
  return credentialPairs
    .flat()
    .some((key) => config.get(key) || process.env[environmentVariable(key)]);
}

function isCredential(key: string): boolean {
  return credentialPairs.flat().some((each) => each === key);
}
