/**
 * clouddb.Provider: settings of its own for some resources of a stack, such as the credentials of a
 * second organization. To the engine it is a provider like any other; its process is configured with
 * the properties of this resource and not with the stack's configuration
 * (docs/decisions/0006-explicit-providers.md).
 */
import * as pulumi from "./sdk";
import { runError } from "./runError";
import {
  type SettingKey,
  credentialPairs,
  environmentVariable,
  isSecret,
  settingKeys,
} from "./settingNames";

/** An API key, or a service account; neither means the stack's credentials. */
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
 * Settings by the names that they have in the stack's configuration; what is not given is as the
 * stack has it. Credentials are a whole: a pair that is given replaces the stack's.
 */
export type ProviderArgs = CredentialArgs & {
  readonly [K in Exclude<SettingKey, CredentialKey>]?:
    | pulumi.Input<K extends NumberKey ? number : string>
    | undefined;
};

/** Settings as a program has them: the secret ones are secret outputs. */
export type ProgramSettings = Readonly<Settings>;

type Settings = Partial<Record<SettingKey, pulumi.Output<string>>>;

/**
 * Settings for the resources that name it: `new clouddb.PrivateIpMode(..., { provider })`.
 *
 * Throws a `RunError` where both an API key and a service account are given, half of one, or none
 * while the stack and the environment have none either.
 */
export class Provider extends pulumi.ProviderResource {
  constructor(name: string, args: ProviderArgs = {}, options?: pulumi.ResourceOptions) {
    const settings = explicitSettings(name, args);
    const properties: pulumi.Inputs = {};
    for (const [key, value] of Object.entries(settings)) properties[`clouddb:${key}`] = value;
    super("pulumi-nodejs", name, properties, options);
    settingsByProvider.set(this, settings);
    if (args.baseUrl !== undefined) ownServices.set(this, args.baseUrl);
  }
}

/** The provider that a resource or call names, or inherits from its parent; undefined: the stack's. */
export function explicitProvider(
  options: Pick<pulumi.CustomResourceOptions, "provider" | "parent"> | undefined,
): pulumi.ProviderResource | undefined {
  const type = "pulumi-nodejs:dynamic/clouddb:Any";
  return options?.provider ?? options?.parent?.getProvider(type);
}

/**
 * Which service a provider talks to, as far as a program can tell: the text of its base URL, or the
 * output that it comes from.
 */
export function serviceOf(provider: pulumi.ProviderResource | undefined): unknown {
  const own = provider === undefined ? undefined : ownServices.get(provider);
  const inherited = () =>
    new pulumi.Config("clouddb").get("baseUrl") || process.env[environmentVariable("baseUrl")];
  const service = own ?? inherited();
  return typeof service === "string" && URL.canParse(service) ? new URL(service).origin : service;
}

const ownServices = new WeakMap<pulumi.ProviderResource, pulumi.Input<string>>();

const settingsByProvider = new WeakMap<pulumi.ProviderResource, ProgramSettings>();

/** The settings of an explicit provider, else of the stack: for functions that a program calls. */
export function programSettings(provider: pulumi.ProviderResource | undefined): ProgramSettings {
  const explicit = provider === undefined ? undefined : settingsByProvider.get(provider);
  return explicit ?? stackSettings(settingKeys);
}

function explicitSettings(name: string, args: ProviderArgs): ProgramSettings {
  const given = Object.entries<pulumi.Input<string | number> | undefined>(args).filter(
    ([, value]) => value !== undefined,
  );
  const keys = given.map(([key]) => key);
  const refuse = (problem: string) => runError(`clouddb.Provider "${name}": ${problem}`);

  const misspelled = keys.filter((key) => !isSettingKey(key));
  if (misspelled.length > 0) {
    throw refuse(
      `there is no setting ${misspelled.join(", ")}. Settings: ${settingKeys.join(", ")}`,
    );
  }
  const begun = credentialPairs.filter((pair) => pair.some((key) => keys.includes(key)));
  const [pair] = begun;
  if (begun.length > 1) {
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

  const inherited = settingKeys.filter(
    (key) => !keys.includes(key) && (pair === undefined || !isCredential(key)),
  );
  const settings: Settings = stackSettings(inherited);
  for (const [key, value] of given) {
    if (!isSettingKey(key)) continue;
    // An empty value would let the environment's take its place: another organization's, perhaps.
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

/**
 * From the stack's configuration. All are secrets: a program cannot tell which ones the stack keeps
 * as secrets. What the environment has is left to whoever uses the settings, which sees it as well.
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

function isSettingKey(key: string): key is SettingKey {
  return settingKeys.some((each) => each === key);
}

function isCredential(key: string): boolean {
  return credentialPairs.flat().some((each) => each === key);
}
