/** Finds mistakes in text that should be a connection string. */
import { type ConnectionStringErrorCode, connectionStringErrorCodes as codes } from "./errors";
import { type StringOption, optionsIn, percentDecode } from "./options";
import { type ConnectionStringParts, isPercentEncoded, parseOrProblem } from "./parsing";

/** A finding of `diagnose`. */
export interface Diagnosis {
  /** What was found. */
  readonly code: DiagnosisCode;
  /**
   * The character, the part of the text (`username`, `password`, `host` or `database`), or the name of the option.
   * Absent for an option that drivers do not know, because that may be part of a password.
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
 * quotes and other text around it, a scheme in capital letters, characters that must be percent-encoded, placeholders,
 * an option twice with different values, and a value that an option cannot have. Drivers can refuse a string for other
 * reasons, such as options that exclude each other.
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
  const unquoted = text.replace(/^["'`\s]+|(?<!["'`\s])["'`\s]+$/g, "");
  if (hasOtherText(unquoted)) return [{ code: "other-text" }];
  const isQuoted = /^(["'`])[^]*\1$/.test(text);
  if (unquoted !== text) return [{ code: isQuoted ? "quotes" : "quote" }, ...diagnose(unquoted)];
  const [, scheme, rest = ""] = /^([a-z][a-z0-9+.-]*):\/\/([^]*)$/i.exec(text) ?? [];
  if (scheme === undefined) return [{ code: "no-scheme" }];
  // What is before the last @ can only be a user name and a password.
  const [, userInfo = "", location = ""] = /^(?:([^]*)@)?([^@]*)$/.exec(rest) ?? [];
  const [, hosts = "", database = "", options] =
    /^([^/?]*)(?:\/([^?]*))?(?:\?([^]*))?$/.exec(location) ?? [];
  const found = placeholdersIn({ userInfo, hosts, database, options: optionsIn(options) });
  if (found.length === 0) found.push(...unencodedIn(userInfo));
  if (/^(?:[/?#]|$)/.test(location)) found.push({ code: "no-host" });
  if (found.length === 0) found.push({ code: parsed.code });
  return [...schemeProblems(scheme), ...found];
}

/** Drivers compare the scheme with their own, which is in lower case. */
function schemeProblems(scheme: string): Diagnosis[] {
  return scheme === scheme.toLowerCase() ? [] : [{ code: "scheme-case" }];
}

/** Returns whether text that cannot be parsed contains a string, and before or after it what belongs to no string. */
function hasOtherText(text: string): boolean {
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(text))
    return /[\s"'`=,(<{[][a-z][a-z0-9+.-]*:\/\/[^\s"'`]/i.test(text);
  const [string = ""] = /^\S+/.exec(text) ?? [];
  const isFollowed = /^\s+[-|&>;#\\]/.test(text.slice(string.length));
  return isFollowed && parseOrProblem(string.replace(/(?<!["'`])["'`]+$/, "")).kind === "parsed";
}

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

function problemsOfParts({ userInfo = "", hosts, database = "", options }: ConnectionStringParts) {
  const all = optionsIn(options);
  const names = hosts.map(({ name }) => name).join();
  const found = placeholdersIn({ userInfo, hosts: names, database, options: all });
  const firstByKey = new Map<string, StringOption>();
  const repeated = new Set<StringOption>();
  for (const option of all) {
    const first = firstByKey.get(option.key) ?? option;
    firstByKey.set(option.key, first);
    if (option.key !== "readpreferencetags" && option.value !== first.value) repeated.add(first);
  }
  for (const { knownName } of repeated) found.push({ code: "repeated-option", subject: knownName });
  for (const { isValid, knownName } of all) {
    if (!isValid) found.push({ code: "option-value", subject: knownName });
  }
  return found;
}

/** The parts of a text in which a placeholder can stand. */
interface PlaceholderParts {
  readonly userInfo: string;
  readonly hosts: string;
  readonly database: string;
  readonly options: readonly StringOption[];
}

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
    .filter(({ texts }) => texts.some((text) => placeholder.test(percentDecode(text))))
    .map(({ subject }) => ({ code: "placeholder", subject }));
}

/** Matches `<password>`, `${PASSWORD}` and `{{ password }}`. */
const placeholder = /^(?:<[^]*>|\$\{[^]*\}|\{\{[^]*\}\})$/;
