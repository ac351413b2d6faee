/**
 * Text from outside as it may be shown: one line, of bounded length, without characters that steer a
 * terminal or reorder what a reader sees. Everything that the service, a file or the environment
 * supplied goes through here before it becomes part of a message.
 */

/** The longest text from outside that a message repeats, in characters. */
const defaultLimit = 500;

/**
 * Characters that are not shown as they are: control characters (line breaks among them), format
 * characters (bidirectional controls, zero-width characters), lone surrogates, line and paragraph
 * separators.
 */
const unsafe = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/**
 * Escapes text from outside for a message.
 *
 * @param text a piece of text from the service, a file or the environment
 * @param limit the most characters to keep; what is longer ends in an ellipsis. Default: 500.
 * @returns the text with every unsafe character written as `\n`, `\t` or `\u{...}`
 * @example escapeText("a\u001b[31mb\nc") // "a\\u{1b}[31mb\\nc"
 */
export function escapeText(text: string, limit: number = defaultLimit): string {
  const kept = text.length > limit ? `${wholeCharacters(text.slice(0, limit))}…` : text;
  return kept.replace(unsafe, escapeCharacter);
}

/** Drops the first half of a surrogate pair that was cut in two. */
function wholeCharacters(text: string): string {
  return /[\ud800-\udbff]$/.test(text) ? text.slice(0, -1) : text;
}

/**
 * Escapes what must never reach a terminal in a whole message, whose own line breaks stay. It is the
 * safety net behind {@link escapeText}, for the edges where messages leave the process.
 *
 * @param message a whole message
 * @returns the message with every unsafe character but the line break written as an escape
 * @example escapeMessage("a\rb\nc") // "a\\rb\nc"
 */
export function escapeMessage(message: string): string {
  return message.replace(unsafe, (character) =>
    character === "\n" ? character : escapeCharacter(character),
  );
}

function escapeCharacter(character: string): string {
  if (character === "\n") return "\\n";
  if (character === "\r") return "\\r";
  if (character === "\t") return "\\t";
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}
