/**
 * The class `clouddb.Provider` has separate settings for some resources of a stack, such as the credentials of a second
 * organization. To the engine it is an ordinary provider, whose process is configured with the properties of this
 * resource instead of the stack's configuration (docs/internals/decisions.md#0006-explicit-providers).
 */
import { escapeText } from "../messages/text";
import { nearestName, suggestion } from "../messages/recommendations";
import {
  type CredentialKey,
  type Settings,
  credentialsIn,
  isCredential,
  isSettingKey,
  settingKeys,
} from "../settings/settings";
import { misplacedCredential } from "../settings/misplacedCredentials";
import {
  runError,
  type SettingOutputs,
  explicitSettings,
  stackSettings,
  warnOfUnencryptedSecrets,
} from "./run";
import * as pulumi from "./sdk";
import type { InputArgs } from "./sdk";

/**
 * The types of credentials beside those of another kind, which no value has. The compiler quotes the name to whoever
 * mixes them. Texts would not do, because `config.require` returns any text that is asked for.
 */
declare enum Mixed {
  "cannot be combined with publicKey and privateKey",
  "cannot be combined with clientId and clientSecret",
  "cannot be combined with accessToken",
}

/** Credentials of one kind, without those of the others. */
type Only<Present extends CredentialKey, Others> = InputArgs<Pick<Settings, Present>> & {
  readonly [Key in Exclude<CredentialKey, Present>]?: Others | undefined;
};

/** An API key, a service account or an access token. If none is set, the stack's credentials are used. */
type CredentialArgs =
  | Only<
      "publicKey" | "privateKey",
      (typeof Mixed)["cannot be combined with publicKey and privateKey"]
    >
  | Only<
      "clientId" | "clientSecret",
      (typeof Mixed)["cannot be combined with clientId and clientSecret"]
    >
  | Only<"accessToken", (typeof Mixed)["cannot be combined with accessToken"]>
  | Only<never, undefined>;

/**
 * Settings, named as in the stack's configuration. Omitted settings are inherited from the stack. Credentials replace
 * those of the stack, whatever their kind.
 */
export type ProviderArgs = CredentialArgs &
  InputArgs<{ [Key in keyof Omit<Settings, CredentialKey>]?: Settings[Key] | undefined }>;

/**
 * Settings for the resources and calls that use this provider, such as the credentials of a second organization.
 *
 * @example
 * const partner = new clouddb.Provider("partner", { publicKey, privateKey });
 * new clouddb.PrivateIpMode("reports", { projectId, enabled: false }, { provider: partner });
 */
export class Provider extends pulumi.ProviderResource {
  /**
   * Returns whether a value is a `clouddb.Provider` of this copy of the package.
   *
   * @param value any value
   */
  static override isInstance(value: unknown): value is Provider {
    return value instanceof Provider;
  }

  /**
   * Settings for the resources and calls that use this provider, such as the credentials of a second organization.
   *
   * @param name the name of the provider resource
   * @param args the settings; omitted ones are inherited from the stack. Default: none.
   * @param options Pulumi's resource options
   * @throws `RunError` if a setting is misspelled or empty, or if credentials are incomplete
   */
  constructor(name: string, args: ProviderArgs = {}, options?: pulumi.ResourceOptions) {
    warnOfUnencryptedSecrets();
    const settings = settingsOf(name, args);
    const properties: pulumi.Inputs = {};
    for (const [key, value] of Object.entries(settings)) properties[`clouddb:${key}`] = value;
    super("pulumi-nodejs", name, properties, options);
    explicitSettings.set(this, settings);
  }
}

/** Creates the error about a problem with a provider's settings. */
type ProviderErrorOf = (problem: string) => Error;

/** Returns the settings in the arguments, and the stack's settings for those that the arguments lack. */
function settingsOf(name: string, args: ProviderArgs): SettingOutputs {
  const entries = Object.entries<pulumi.Input<string | number | null | undefined>>(args).filter(
    ([, value]) => value !== undefined,
  );
  const keys = entries.map(([key]) => key);
  const providerError = (problem: string) =>
    runError(`clouddb.Provider "${escapeText(name)}": ${problem}`);
  const credentials = validCredentials(keys, providerError);

  const inherited = settingKeys.filter(
    (key) => !keys.includes(key) && (credentials === undefined || !isCredential(key)),
  );
  const explicit = entries.map(
    ([key, value]) => [key, settingOutput(key, value, providerError)] as const,
  );
  const settings = { ...stackSettings(inherited), ...Object.fromEntries(explicit) };
  if (!("baseUrl" in settings)) rejectMisspelledAddress(providerError);
  return settings;
}

/** Throws for a misspelled address of the stack, of which the process of the provider does not learn. */
function rejectMisspelledAddress(providerError: ProviderErrorOf): void {
  if (process.env["CLOUDDB_BASE_URL"]) return;
  for (const name of Object.keys(pulumi.runtimeConfig.allConfig())) {
    const nearest = nearestName(name, ["clouddb:baseUrl"]);
    if (nearest !== undefined)
      throw providerError(`the stack has no setting ${escapeText(name)}; did you mean ${nearest}?`);
  }
}

/**
 * Returns a setting as a secret. Otherwise, previews and the state would show a secret that is passed as another
 * setting.
 */
function settingOutput(
  key: string,
  value: unknown,
  providerError: ProviderErrorOf,
): pulumi.Output<string | undefined> {
  const secretText = (text: unknown) => pulumi.secret(settingText(key, text, providerError));
  if (!pulumi.Output.isInstance(value) && !(value instanceof Promise)) return secretText(value);
  return pulumi.output(value).apply((text: unknown) => {
    // Like an omitted setting, an output of undefined is inherited.
    const isInherited = text === undefined && isSettingKey(key) && !isCredential(key);
    return isInherited ? pulumi.output(stackSettings([key])[key]) : secretText(text);
  });
}

function settingText(key: string, value: unknown, providerError: ProviderErrorOf): string {
  // The environment would replace an empty value, possibly with that of another organization.
  if (value === undefined || value === null || value === "") throw providerError(`${key} is empty`);
  if (typeof value !== "string" && typeof value !== "number")
    throw providerError(`${key} must be text or a number`);
  const text = String(value);
  // Compared with the secrets only where the settings are used, because these may not be known yet.
  const problem = isSettingKey(key) ? misplacedCredential(key, text) : undefined;
  if (problem !== undefined) throw providerError(`${key} ${problem}`);
  return text;
}

/** Validates the names of the settings. Returns those of the credentials, if there are any. */
function validCredentials(
  keys: readonly string[],
  providerError: ProviderErrorOf,
): readonly CredentialKey[] | undefined {
  const misspelled = keys
    .filter((key) => !isSettingKey(key))
    .map((key) => `there is no setting ${escapeText(key)}; ${suggestion(key, settingKeys)}`);
  if (misspelled.length > 0) throw providerError(misspelled.join(" "));
  const [credentials] = credentialsIn((key) => keys.includes(key));
  const missing = credentials?.find((key) => !keys.includes(key));
  if (credentials !== undefined && missing !== undefined) {
    throw providerError(`${missing} is not set. Set both ${credentials.join(" and ")}`);
  }
  return credentials;
}
