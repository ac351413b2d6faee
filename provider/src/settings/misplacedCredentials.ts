/**
 * Recognizes credentials by their value: in a setting that is not secret, in the wrong one of two settings, or still in
 * what another tool wraps them in, such as the JSON of a secret manager. Problems contain no value.
 */
import { isUuid, minRedactedLength } from "../messages/text";
import {
  type CredentialKey,
  type SettingKey,
  credentialKinds,
  environmentVariable,
  isSecretKey,
  secretKeys,
} from "./settings";

/** The settings that are set, as text. */
export type ConfiguredSettings = Readonly<Partial<Record<SettingKey, string>>>;

/** A secret that is configured, even if other credentials replace it. */
export interface KnownSecret {
  readonly key: SettingKey;
  readonly value: string;
}

/** Returns the secrets of both sources, without the white space that often surrounds a value from a file. */
export function knownSecrets(
  get: (key: SettingKey) => string | undefined,
  environment: NodeJS.ProcessEnv,
): KnownSecret[] {
  return secretKeys.flatMap((key) =>
    [get(key), environment[environmentVariable(key)]].flatMap((text) => {
      const value = text?.trim();
      return value ? [{ key, value }] : [];
    }),
  );
}

/**
 * The shortest secret that is recognized in a value. Shorter ones are also parts of ordinary values, such as `test`.
 */
const minRecognizedLength = 8;

/**
 * Returns what is wrong with a setting that is not secret, as the end of a sentence, if it is a credential or contains
 * one. The value must then be neither sent nor printed.
 */
export function misplacedCredential(
  key: SettingKey,
  text: string,
  secrets: readonly KnownSecret[],
): string | undefined {
  if (isSecretKey(key)) return undefined;
  return wrappingProblem(key, text) ?? credentialIn(text, secrets);
}

/** Returns what is wrong with a public key or client ID that is still in what another tool wraps it in. */
function wrappingProblem(key: SettingKey, text: string): string | undefined {
  const [id, secret] = credentialKinds.find(([first]) => first === key) ?? [];
  switch (id === undefined ? undefined : wrappingOf(text)) {
    case "JSON":
      return `is JSON. Pass its fields as clouddb:${id} and clouddb:${secret}`;
    case "quotes":
      return "begins and ends with a quote, which is part of the value. Remove both quotes";
    case "colon":
      return `contains a colon, which separates it from the secret in the request. Pass what is before the colon as clouddb:${id}, and what is after it as clouddb:${secret}`;
    case undefined:
      return undefined;
  }
}

/** Returns what is wrong with a value that is a credential or contains one; undefined if nothing shows it. */
function credentialIn(text: string, secrets: readonly KnownSecret[]): string | undefined {
  // Ignores case, because the host of a URL is printed in lower case.
  const searched = text.toLowerCase();
  for (const { key, value } of secrets) {
    if (text.trim() === value)
      return `is the value of clouddb:${key}, which is a secret. Remove it from this setting`;
    if (value.length >= minRecognizedLength && searched.includes(value.toLowerCase()))
      return `contains the value of clouddb:${key}, which is a secret. Remove it from this setting`;
  }
  if (searched.includes("mdb_sa_sk_"))
    return "contains the secret of a service account (mdb_sa_sk_…). Pass it as clouddb:clientSecret";
  if (webToken.test(text))
    return "contains an access token (eyJ….….…). Pass it as clouddb:accessToken";
  return undefined;
}

/** Matches a JSON Web Token: three parts in base64url, of which the first one encodes `{"`. */
const webToken = /(?<![\w-])eyJ[\w-]+\.[\w-]+\.[\w-]+/;

/** Two settings that have each other's value. */
export interface SwappedPair {
  readonly keys: readonly CredentialKey[];
  /** How to tell them apart, as a sentence. */
  readonly reason: string;
}

/** Returns the pairs that are swapped. Both values must show it, because other services have other keys. */
export function swappedPairs(settings: ConfiguredSettings): SwappedPair[] {
  const { publicKey = "", privateKey = "", clientId = "", clientSecret = "" } = settings;
  const pairs: SwappedPair[] = [];
  if (settings.profile === "v2" && isUuid(publicKey) && /^[a-z]{8}$/.test(privateKey.trim())) {
    const reason = "A public key has eight letters, and a private key is a UUID";
    pairs.push({ keys: ["publicKey", "privateKey"], reason });
  }
  const isSecret = clientId.trimStart().startsWith("mdb_sa_sk_");
  if (isSecret && clientSecret.trimStart().startsWith("mdb_sa_id_")) {
    const reason = "A client ID begins with mdb_sa_id_, and a client secret with mdb_sa_sk_";
    pairs.push({ keys: ["clientId", "clientSecret"], reason });
  }
  return pairs;
}

/** Returns the possible mistakes in a secret setting, as ends of sentences. A random secret can look like them. */
export function doubtsAboutSecret(text: string): string[] {
  return [doubtAboutWrapping(text), doubtAboutLength(text)].filter((doubt) => doubt !== undefined);
}

/** Returns the possible mistake that a secret is still in what another tool wraps it in. */
function doubtAboutWrapping(text: string): string | undefined {
  switch (wrappingOf(text)) {
    case "JSON":
      return "is JSON. Unless the secret itself is JSON, pass only the field with the secret";
    case "quotes":
      return "begins and ends with a quote. Unless they are part of the secret, remove both";
    case "colon":
      return "contains a colon. If it joins two values, pass only the secret";
    case undefined:
      return undefined;
  }
}

/** Returns the possible mistake that a secret is short. */
function doubtAboutLength(text: string): string | undefined {
  if (text.length >= minRecognizedLength) return undefined;
  const effect =
    text.length < minRedactedLength
      ? `${minRedactedLength} characters, so messages do not leave it out`
      : `${minRecognizedLength} characters, so messages leave out every text of the service that contains it`;
  return `has fewer than ${effect}. Use a longer secret`;
}

/** Returns what a value is wrapped in: the JSON of a secret manager, the quotes of a file, or a pair as in curl -u. */
function wrappingOf(text: string): "JSON" | "quotes" | "colon" | undefined {
  const value = text.trim();
  if (isJson(value)) return "JSON";
  if (/^(["'`])[^]*\1$/.test(value)) return "quotes";
  return value.includes(":") ? "colon" : undefined;
}

/** Returns whether a text is a JSON object or list. A number or a word in quotes can be a plain value. */
function isJson(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null;
  } catch {
    return false;
  }
}
