/**
 * Escapes external text for messages: one line, of limited length, without characters that control a
 * terminal or reorder text. All text from the service, a file or the environment is escaped here before
 * it becomes part of a message.
 */
import type { core } from "./zod";

/** The default maximum length of external text in a message, in characters. */
const defaultLimit = 500;

/**
 * The characters to escape: control characters including line breaks, format characters (bidirectional
 * controls, zero-width characters), lone surrogates, line and paragraph separators.
 */
export const unsafeCharacters = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/**
 * Escapes external text for a message.
 *
 * @example escapeText("a\u001b[31mb\nc") // "a\\u{1b}[31mb\\nc"
 */
export function escapeText(text: string, limit: number = defaultLimit): string {
  const truncated = text.length > limit ? `${wholeCharacters(text.slice(0, limit))}…` : text;
  return truncated.replace(unsafeCharacters, escapeCharacter);
}

/** Drops the first half of a surrogate pair that was cut in two. */
function wholeCharacters(text: string): string {
  return /[\ud800-\udbff]$/.test(text) ? text.slice(0, -1) : text;
}

/**
 * Escapes unsafe characters in a whole message, except for line breaks. This is a safety net in
 * addition to {@link escapeText}, for the places where messages leave the process.
 *
 * @example escapeMessage("a\rb\nc") // "a\\rb\nc"
 */
export function escapeMessage(message: string): string {
  return message.replace(unsafeCharacters, (character) =>
    character === "\n" ? character : escapeCharacter(character),
  );
}

/**
 * Formats a value as JSON on several lines. Unlike `JSON.stringify`, escapes all unsafe characters in its texts.
 *
 * @example jsonText("a\u202e") // "\"a\\u202e\""
 */
export function jsonText(value: unknown): string {
  const escaped = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
  // JSON.stringify has escaped the line breaks in texts.
  return JSON.stringify(value, null, 2).replace(unsafeCharacters, (character) =>
    character === "\n" ? character : character.split("").map(escaped).join(""),
  );
}

function escapeCharacter(character: string): string {
  if (character === "\n") return "\\n";
  if (character === "\r") return "\\r";
  if (character === "\t") return "\\t";
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}

/** How many problems are listed; more do not help to find the cause. */
const maxProblems = 5;

const maxPath = 200;
const maxMessage = 300;

/**
 * Lists the first five problems that a schema reports, each with the path of the invalid value. Escapes and
 * truncates paths and messages, which may contain keys of the value.
 */
export function problemsOf(error: Pick<core.$ZodError, "issues">): string {
  const described = error.issues.slice(0, maxProblems).map(({ path, message }) => {
    const problem = escapeText(message, maxMessage);
    if (path.length === 0) return problem;
    return `${escapeText(path.join("."), maxPath)}: ${problem}`;
  });
  const more = error.issues.length - described.length;
  return [...described, ...(more > 0 ? [`and ${more} more`] : [])].join("; ");
}
