/** Escapes text from files and arguments for messages, which a terminal shows. */

/** Control characters, format characters such as bidirectional controls, lone surrogates and separators. */
const unsafeCharacters = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/** The maximum length of text in a message, in characters. */
const maxLength = 500;

/**
 * Escapes and truncates one piece of text.
 *
 * @param text the text
 * @returns one line of at most 500 characters before escaping
 * @example escapeText("a\u001b[31mb") // "a\\u{1b}[31mb"
 */
export function escapeText(text: string): string {
  const truncated = text.length > maxLength ? `${text.slice(0, maxLength)}…` : text;
  return truncated.replace(unsafeCharacters, escapeCharacter);
}

/**
 * Escapes a whole message, except for its line breaks.
 *
 * @param message the message
 * @returns the message without characters that control a terminal or reorder text
 */
export function escapeMessage(message: string): string {
  return message.replace(unsafeCharacters, (character) =>
    character === "\n" ? character : escapeCharacter(character),
  );
}

function escapeCharacter(character: string): string {
  return character === "\n" ? "\\n" : `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}
