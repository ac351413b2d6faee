/**
 * Recognizes credentials in settings that are not secret: the values of the secret settings, and values whose form shows
 * what they are. Problems contain no value.
 */
import { isUuid } from "../messages/text";
import { type SettingKey, environmentVariable, isSecretKey, secretKeys } from "./settings";

/** A secret that is configured, even if other credentials replace it. */
export interface KnownSecret {
  readonly key: SettingKey;
  readonly value: string;
}

/** What a setting is compared with, as far as it is known. */
interface OtherSettings {
  readonly secrets?: readonly KnownSecret[];
  readonly profile?: string | undefined;
}

/** The shortest secret that is recognized. Shorter ones are also parts of ordinary values, such as `test`. */
export const minSecretLength = 8;

/** Returns the secrets of both sources, without the white space that often surrounds a value from a file. */
export function knownSecrets(
  get: (key: SettingKey) => string | undefined,
  environment: NodeJS.ProcessEnv,
): KnownSecret[] {
  return secretKeys.flatMap((key) =>
    [get(key), environment[environmentVariable(key)]].flatMap((text = "") => {
      const value = text.trim();
      return value.length < minSecretLength ? [] : [{ key, value }];
    }),
  );
}

/**
 * Returns what is wrong with a setting that is not secret, as the end of a sentence, if it may contain a credential. The
 * value must then be neither sent nor printed.
 */
export function misplacedCredential(
  key: SettingKey,
  text: string,
  { secrets = [], profile }: OtherSettings = {},
): string | undefined {
  if (isSecretKey(key)) return undefined;
  return problemOfId(key, text, profile) ?? credentialIn(text, secrets);
}

/** The characters of values that contain more than an ID, such as JSON, a quoted value, or an ID and a secret. */
const charactersOutsideIds: readonly [pattern: RegExp, name: string][] = [
  [/[{}]/, "a brace"],
  [/["'`‘’“”]/, "a quote"],
  [/:/, "a colon"],
];

/** Returns what is wrong with a public key or client ID that may contain its secret, or be that secret. */
function problemOfId(key: SettingKey, text: string, profile?: string): string | undefined {
  if (key !== "publicKey" && key !== "clientId") return undefined;
  const [id, secret] =
    key === "publicKey" ? ["public key", "privateKey"] : ["client ID", "clientSecret"];
  const found = charactersOutsideIds.filter(([pattern]) => pattern.test(text));
  if (found.length > 0)
    return `contains ${found.map(([, name]) => name).join(" and ")}, so it may be more than the ${id}. Set it to the ${id} alone, and clouddb:${secret} to the secret`;
  // Other services may have such public keys.
  if (key === "publicKey" && profile === "atlas" && isUuid(text))
    return "is a UUID, as the private keys of Atlas are. Pass it as clouddb:privateKey, if it is one";
  return undefined;
}

/** The secret of a service account of Atlas. */
export const clientSecretForm = /mdb_sa_sk_[\w-]*/i;

/** A JSON Web Token, which has three parts in base64url, of which the first one encodes `{"`. */
export const tokenForm = /(?<![\w-])eyJ[\w-]+\.[\w-]+\.[\w-]+/;

/** The forms of credentials, and what is wrong with a setting that contains one. */
const credentialForms: readonly [form: RegExp, problem: string][] = [
  [
    clientSecretForm,
    "contains the secret of a service account (mdb_sa_sk_…). Pass it as clouddb:clientSecret",
  ],
  [tokenForm, "contains an access token (eyJ….….…). Pass it as clouddb:accessToken"],
  // U+FFFD stands for bytes that are not text, in what only looks like base64.
  [/[a-z]:\/\/[^\ufffd]*@/i, "contains a URL with a user name or password. Remove them"],
];

/** Returns what is wrong with a value that contains a credential, plain or encoded; undefined if nothing shows it. */
export function credentialIn(text: string, secrets: readonly KnownSecret[]): string | undefined {
  for (const reading of readingsOf(text)) {
    // Ignores case, because the host of a URL is printed in lower case.
    const searched = reading.toLowerCase();
    const secret = secrets.find(({ value }) => searched.includes(value.toLowerCase()));
    if (secret !== undefined)
      return `contains the value of clouddb:${secret.key}, which is a secret, plain or encoded. Remove it`;
    const [, problem] = credentialForms.find(([form]) => form.test(reading)) ?? [];
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** Returns a text as it is, percent-decoded, and with each run of base64 decoded. */
function readingsOf(text: string): string[] {
  // A form has `+` instead of spaces.
  const texts = [text, percentDecoded(text), percentDecoded(text.replaceAll("+", " "))];
  const decoded = texts.flatMap(base64Decoded);
  // The two values of HTTP Basic authentication can be percent-encoded (RFC 6749 2.3.1).
  return [...texts, ...decoded, ...decoded.map(percentDecoded)];
}

function percentDecoded(text: string): string {
  return text.replace(/(?:%[\da-f]{2})+/gi, (run) =>
    Buffer.from(run.replaceAll("%", ""), "hex").toString(),
  );
}

/** Decodes each run that is long enough for a secret. It can begin before the encoded text, as `/` in a path does. */
function base64Decoded(text: string): string[] {
  const runs = text.match(/[\w+/-]{11,}/g) ?? [];
  return runs.flatMap((run) =>
    [0, 1, 2, 3].map((start) => Buffer.from(run.slice(start), "base64").toString()),
  );
}

/** Returns the possible mistake in a secret setting, as the end of a sentence. A random secret can look like it. */
export function doubtAboutSecret(text: string): string | undefined {
  return /^(["'`])[^]*\1$/.test(text)
    ? "begins and ends with a quote. Unless they are part of the secret, remove both"
    : undefined;
}
