/** Finds mistakes in text that should be a connection string. */
import { type ConnectionStringErrorCode, connectionStringErrorCodes as codes } from "./errors";
import { type StringOption, optionsIn, percentDecode } from "./options";
import { type ConnectionStringParts, isPercentEncoded, parseOrProblem } from "./parsing";
import { intendedScheme } from "./schemes";

/** A finding of `diagnose`. */
export interface Diagnosis {
  /** What was found. */
  readonly code: DiagnosisCode;
  /**
   * The character, the part of the text (`username`, `password`, `host` or `database`), the scheme that is probably meant,
   * or the name of the option. Absent for an option that drivers do not know, because that may be part of a password, and
   * for a scheme that resembles no other one.
   */
  readonly subject?: string | undefined;
}

/** What `diagnose` can find. */
export type DiagnosisCode =
  /** White space around the text. Only a warning, because some drivers ignore it. */
  | "white-space"
  /** Quotes around the text, which belong to a shell or to a file. */
  | "quotes"
  /** A quote before or after the text. */
  | "quote"
  /** Other text stands before or after the string, such as a command, or the name of a variable. */
  | "other-text"
  /** The text does not begin with `<scheme>://`. */
  | "no-scheme"
  /** The scheme has capital letters, which drivers refuse, although `parse` accepts them. */
  | "scheme-case"
  /** No driver accepts the scheme, which is misspelled, or has a `+` that does not begin `+srv`. */
  | "unknown-scheme"
  /** The text has no host. */
  | "no-host"
  /** A character of the user name or password must be percent-encoded. `%` stands for one without a valid code. */
  | "unencoded-character"
  /** A placeholder, such as `<password>`, was not replaced. */
  | "placeholder"
  /** The text contains an option twice, with different values. */
  | "repeated-option"
  /** An option has a value that it cannot have, for example because the `&` after the value is missing. */
  | "option-value"
  /** The reason for which `parse` rejects the text, if nothing else was found. */
  | ConnectionStringErrorCode;

/**
 * Finds mistakes in a connection string, for example from an environment variable: why `parse` rejects it, white space,
 * quotes and other text around it, a scheme that is misspelled or in capital letters, characters that must be
 * percent-encoded, placeholders, an option twice with different values, and a value that an option cannot have. Drivers
 * can refuse a string for other reasons, such as options that exclude each other.
 *
 * @param text the text, with or without credentials
 * @returns the mistakes; an empty list if none was found. Never throws.
 * @example
 * diagnose("db+srv://app:So@123@orders.ab1cd.db.example"); // [{ code: "unencoded-character", subject: "@" }]
 */
export function diagnose(text: string): Diagnosis[] {
  if (typeof text !== "string") return [{ code: codes.notAConnectionString }];
  const content = text.trim();
  if (content !== text) return [{ code: "white-space" }, ...diagnose(content)];
  const parsed = parseOrProblem(text);
  if (parsed.kind === "parsed")
    return [...schemeProblems(parsed.parts.scheme), ...problemsOfParts(parsed.parts)];
  const unquoted = withoutQuotes(text);
  if (hasOtherText(unquoted)) return [{ code: "other-text" }];
  const isQuoted = /^(["'`])[^]*\1$/.test(text);
  if (unquoted !== text) return [{ code: isQuoted ? "quotes" : "quote" }, ...diagnose(unquoted)];
  const [, scheme, rest = ""] = schemeAndRest.exec(text) ?? [];
  if (scheme === undefined) return [{ code: "no-scheme" }];
  const parts = partsAfterScheme(rest);
  const mistakes = placeholdersIn(parts);
  if (mistakes.length === 0) mistakes.push(...unencodedIn(parts.userInfo));
  if (parts.hosts === "" || parts.hosts.startsWith("#")) mistakes.push({ code: "no-host" });
  if (mistakes.length === 0) mistakes.push({ code: parsed.code });
  return [...schemeProblems(scheme), ...mistakes];
}

/** Removes quotes and white space from both ends. */
export function withoutQuotes(text: string): string {
  return text.replace(/^["'`\s]+|(?<!["'`\s])["'`\s]+$/g, "");
}

/** Captures the scheme at the start of a string, and the rest. */
const schemeAndRest = /^([a-z][a-z0-9+.-]*):\/\/([^]*)$/i;

/** Splits text that cannot be parsed. What is before the last @ can only be a user name and a password. */
function partsAfterScheme(text: string): PlaceholderParts {
  const at = text.lastIndexOf("@");
  const userInfo = text.slice(0, Math.max(at, 0));
  const [location, options] = cut(text.slice(at + 1), "?");
  const [hosts, database = ""] = cut(location, "/");
  return { userInfo, hosts, database, options: optionsIn(options) };
}

/** Splits text at the first separator. */
function cut(text: string, separator: string): [before: string, after?: string] {
  const index = text.indexOf(separator);
  return index === -1 ? [text] : [text.slice(0, index), text.slice(index + 1)];
}

/**
 * Returns the mistake in a scheme. Drivers compare it with their own, which is in lower case. A service can have a driver
 * with another one, such as `db` and `db+srv`.
 */
function schemeProblems(scheme: string): Diagnosis[] {
  const subject = intendedScheme(scheme.toLowerCase());
  const isMalformed = scheme.replace(/\+srv$/i, "").includes("+");
  if (subject !== undefined || isMalformed) return [{ code: "unknown-scheme", subject }];
  return scheme === scheme.toLowerCase() ? [] : [{ code: "scheme-case" }];
}

/** Returns whether text that cannot be parsed is a string with other text before or after it. */
function hasOtherText(text: string): boolean {
  if (!schemeAndRest.test(text)) return stringInside.test(text);
  const [string = ""] = text.split(/\s/, 1);
  const isFollowed = furtherArguments.test(text.slice(string.length));
  return isFollowed && parseOrProblem(withoutQuotes(string)).kind === "parsed";
}

/** Matches a string after white space, a quote or another character that cannot be in front of a scheme. */
const stringInside = /[\s"'`=,(<{[][a-z][a-z0-9+.-]*:\/\/[^\s"'`]/i;

/** Matches what follows a string in a command, such as an option, a pipe or a comment. */
const furtherArguments = /^\s+[-|&>;#\\]/;

/** Returns the characters of credentials that must be percent-encoded. */
function unencodedIn(userInfo: string): Diagnosis[] {
  const [, , furtherPart] = userInfo.split(":");
  const characters = [
    ...["@", "/", "?", "#", "[", "]", " "].filter((reserved) => userInfo.includes(reserved)),
    ...(furtherPart === undefined ? [] : [":"]),
    ...(isPercentEncoded(userInfo) ? [] : ["%"]),
  ];
  return characters.map((subject) => ({ code: "unencoded-character", subject }));
}

/** Returns the mistakes in a string that can be parsed. */
function problemsOfParts({ userInfo = "", hosts, database = "", options }: ConnectionStringParts) {
  const all = optionsIn(options);
  const names = hosts.map(({ name }) => name).join();
  const mistakes = placeholdersIn({ userInfo, hosts: names, database, options: all });
  const firstByKey = new Map<string, StringOption>();
  const repeated = new Set<StringOption>();
  for (const option of all) {
    const first = firstByKey.get(option.key) ?? option;
    firstByKey.set(option.key, first);
    if (option.key !== "readpreferencetags" && option.value !== first.value) repeated.add(first);
  }
  for (const { knownName } of repeated)
    mistakes.push({ code: "repeated-option", subject: knownName });
  for (const { isValid, knownName } of all) {
    if (!isValid) mistakes.push({ code: "option-value", subject: knownName });
  }
  return mistakes;
}

/** The parts of a text in which a placeholder can stand. */
interface PlaceholderParts {
  readonly userInfo: string;
  readonly hosts: string;
  readonly database: string;
  readonly options: readonly StringOption[];
}

/** Returns the parts that are placeholders. */
function placeholdersIn({ userInfo, hosts, database, options }: PlaceholderParts): Diagnosis[] {
  const [username = "", ...password] = userInfo.split(":");
  const parts = [
    { subject: "username", texts: [username] },
    { subject: "password", texts: [password.join(":")] },
    { subject: "host", texts: hosts.split(/[,.:]/) },
    { subject: "database", texts: [database] },
    ...options.map(({ knownName, text }) => ({ subject: knownName, texts: [text] })),
  ];
  return parts
    .filter(({ subject, texts }) =>
      texts.some((text) => isPlaceholder(percentDecode(text), subject)),
    )
    .map(({ subject }) => ({ code: "placeholder", subject }));
}

/** Matches `<password>`, `${PASSWORD}` and `{{ password }}`. */
const placeholder = /^(?:<[^]*>|\$\{[^]*\}|\{\{[^]*\}\})$/;

/** Matches `****`, which logs print, `{password}` and `YOUR_PASSWORD`. Anything else may be a real password. */
const credentialPlaceholder =
  /^(?:\*{3,}|\{[\w-]*(?:password|username)\}|\[?your[_-](?:\w+[_-])?(?:password|username)\]?)$/i;

function isPlaceholder(text: string, part: string | undefined): boolean {
  const isCredential = part === "username" || part === "password";
  return placeholder.test(text) || (isCredential && credentialPlaceholder.test(text));
}
