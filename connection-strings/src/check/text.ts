/**
 * Text from outside (DNS, certificates, the string) in what the check prints. The package has no dependencies and shares
 * no code with pulumi-clouddb, which has the same two functions, because an application's container has only this one.
 */

/** Longer texts are cut. No name in DNS is longer. */
const maxLength = 300;

/** Control, format (bidirectional, zero-width) and separator characters, and lone surrogates. */
const unsafeCharacters = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/**
 * Escapes the characters of a text that a terminal would obey.
 *
 * @example escapeText("a\u001b[31mb") // "a\\u{1b}[31mb"
 */
export function escapeText(text: string): string {
  const start = text.length > maxLength ? `${text.slice(0, maxLength)}…` : text;
  return start.replace(
    unsafeCharacters,
    (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  );
}

/** Aligns the columns of a table. */
export function columns(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]?.map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)));
  const lines = rows.map((row) => row.map((text, at) => text.padEnd(widths?.[at] ?? 0)).join("  "));
  return lines.map((line) => line.trimEnd()).join("\n");
}
