/** Shows values from events and states as text, without secrets. */
import { withoutSecretOptions } from "../databaseUrl/secretOptions";
import { isSecret, isUnknown, secretSignature } from "../host/inputs";
import { clientSecretForm, tokenForm } from "../settings/misplacedCredentials";

/** The properties of a resource: its inputs and outputs under their own names. */
export type Properties = Readonly<Record<string, unknown>>;

/** What a report shows in place of a secret. */
export const hiddenText = "[secret]";

/** What a report shows in place of a value that the preview does not know yet. */
export const unknownText = "(known after the update)";

/** What a report shows in place of a value that was a secret, or becomes one. */
export const plainText = "plain text";

/** Decodes a part of an address; unchanged if it is not percent-encoded correctly. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Returns whether a value, or a part of it, is marked as a secret. */
export function containsSecret(value: unknown): boolean {
  if (isSecret(value)) return true;
  return typeof value === "object" && value !== null && Object.values(value).some(containsSecret);
}

/** Shows a value as text without secrets. */
export function shownText(value: unknown): string {
  if (value === undefined || value === null) return "(none)";
  if (isUnknown(value)) return unknownText;
  if (containsSecret(value)) return hiddenText;
  if (typeof value === "string") return withoutSecrets(value);
  const text = JSON.stringify(value, (_, part: unknown) => (isUnknown(part) ? unknownText : part));
  return withoutSecrets(text);
}

/** The forms of credentials that show what they are. */
const credentials = new RegExp(`${clientSecretForm.source}|${tokenForm.source}`, "gi");

/**
 * Replaces secrets as Pulumi serializes them, access tokens, client secrets of Atlas, secret options in connection
 * strings, and credentials in URLs: in each word, everything between the first `://` and the last `@`, because a password
 * that is not encoded can contain any character. Does not recognize the rest of a password after white space, or secrets
 * of other forms.
 */
export function withoutSecrets(text: string): string {
  const unmarked = withoutSecretOptions(withoutSerializedSecrets(text), hiddenText);
  return unmarked
    .replace(/\b(Bearer)\s+[\w.~+/-]+=*/gi, `$1 ${hiddenText}`)
    .replace(credentials, hiddenText)
    .replace(/\S+/g, (word) => {
      const start = word.indexOf("://") + 3;
      const end = word.lastIndexOf("@");
      return start < 3 || end < start
        ? word
        : `${word.slice(0, start)}${hiddenText}${word.slice(end)}`;
    });
}

/** Replaces JSON from the brace before Pulumi's mark of a secret to the last brace, as a secret can contain braces. */
function withoutSerializedSecrets(text: string): string {
  const mark = text.indexOf(secretSignature);
  if (mark === -1) return text;
  const start = text.lastIndexOf("{", mark);
  const end = text.lastIndexOf("}");
  const rest = end < mark ? "" : text.slice(end + 1);
  return `${text.slice(0, Math.max(start, 0))}${hiddenText}${rest}`;
}
