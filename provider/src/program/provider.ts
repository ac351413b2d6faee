/**
 * clouddb.Provider: separate settings for some resources of a stack, such as the credentials of a second
 * organization. To the engine it is an ordinary provider, whose process is configured with the
 * properties of this resource instead of the stack's configuration
 * (docs/internals/decisions/0006-explicit-providers.md).
 */
import { escapeText } from "../api/text";
import { suggestion } from "../session/nearest";
import {
  type Settings,
  credentialPairs,
  isSecret,
  isSettingKey,
  settingKeys,
} from "../session/settings";
import { runError } from "./run";
import * as pulumi from "./sdk";
import type { InputArgs } from "./sdk";
import {
  type SettingOutputs,
  recordSettings,
  stackHasCredentials,
  stackSettings,
  warnOfUnencryptedSecrets,
} from "./settings";

type CredentialKey = (typeof credentialPairs)[number][number];

type Pair<Present extends CredentialKey, Absent extends CredentialKey> = InputArgs<
  Pick<Settings, Present>
> & { readonly [Key in Absent]?: undefined };

/** An API key or a service account. If neither is set, the stack's credentials are used. */
type CredentialArgs =
  | Pair<"publicKey" | "privateKey", "clientId" | "clientSecret">
  | Pair<"clientId" | "clientSecret", "publicKey" | "privateKey">
  | Pair<never, CredentialKey>;

/**
 * Settings, named as in the stack's configuration. Omitted settings are inherited from the stack. A
 * pair of credentials replaces the stack's credentials.
 */
export type ProviderArgs = CredentialArgs & InputArgs<Partial<Omit<Settings, CredentialKey>>>;

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
   * Validates the names of the settings. Their values are validated where they are used.
   *
   * @param name the name of the provider resource
   * @param args the settings; omitted ones are inherited from the stack. Default: none.
   * @param options Pulumi's resource options
   * @throws `RunError` if a setting is misspelled or empty, if both an API key and a service account
   *   are set, if one of them is incomplete, or if there are no credentials in the arguments, the
   *   stack and the environment
   */
  constructor(name: string, args: ProviderArgs = {}, options?: pulumi.ResourceOptions) {
    warnOfUnencryptedSecrets();
    const settings = explicitSettings(name, args);
    const properties: pulumi.Inputs = {};
    for (const [key, value] of Object.entries(settings)) properties[`clouddb:${key}`] = value;
    super("pulumi-nodejs", name, properties, options);
    recordSettings(this, { version: 1, name, settings, baseUrl: args.baseUrl });
  }
}

function explicitSettings(name: string, args: ProviderArgs): SettingOutputs {
  const entries = Object.entries<pulumi.Input<string | number | null> | undefined>(args).filter(
    ([, value]) => value !== undefined,
  );
  const keys = entries.map(([key]) => key);
  const invalid = (problem: string) =>
    runError(`clouddb.Provider "${escapeText(name)}": ${problem}`);
  const pair = credentialPairIn(keys, invalid);

  const inherited = settingKeys.filter(
    (key) => !keys.includes(key) && (pair === undefined || !isCredential(key)),
  );
  const explicit = entries.map(([key, value]) => {
    // The environment would replace an empty value, possibly with that of another organization.
    const textOf = (known: string | number | null | undefined) => {
      if (known === undefined || known === null || known === "") throw invalid(`${key} is empty`);
      return String(known);
    };
    const isKnown = value === null || typeof value === "string" || typeof value === "number";
    const text = isKnown ? pulumi.output(textOf(value)) : pulumi.output(value).apply(textOf);
    return [key, isSecret(key) ? pulumi.secret(text) : text] as const;
  });
  return { ...stackSettings(inherited), ...Object.fromEntries(explicit) };
}

/** Validates the names of the settings. Returns the pair of credentials that is set, if any. */
function credentialPairIn(
  keys: readonly string[],
  invalid: (problem: string) => Error,
): (typeof credentialPairs)[number] | undefined {
  const misspelled = keys.filter((key) => !isSettingKey(key));
  if (misspelled.length > 0) {
    const problems = misspelled.map(
      (key) => `there is no setting ${escapeText(key)}; ${suggestion(key, settingKeys)}`,
    );
    throw invalid(problems.join(" "));
  }
  const pairsInUse = credentialPairs.filter((pair) => pair.some((key) => keys.includes(key)));
  const [pair] = pairsInUse;
  if (pairsInUse.length > 1) {
    throw invalid(
      "both an API key (publicKey, privateKey) and a service account (clientId, clientSecret) are set. Set only one of the two",
    );
  }
  if (pair === undefined && !stackHasCredentials()) {
    throw invalid(
      "no credentials are set, and the stack has none either. Set publicKey and privateKey, or clientId and clientSecret",
    );
  }
  const missing = pair?.find((key) => !keys.includes(key));
  if (pair !== undefined && missing !== undefined) {
    throw invalid(`${missing} is not set. Set both ${pair.join(" and ")}`);
  }
  return pair;
}

function isCredential(key: string): boolean {
  return credentialPairs.flat().some((each) => each === key);
}
