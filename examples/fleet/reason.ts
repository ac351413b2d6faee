/** Formats the reason of a failure as one line that is safe to print. */
import { stripVTControlCharacters } from "node:util";

const maxLength = 240;

/**
 * Returns why a stack failed.
 *
 * @param errors the error messages that the engine reported
 * @param error the error that the operation threw; used if there are no messages
 */
export function reasonOf(errors: readonly string[], error: unknown): string {
  // The engine's last errors only say that the update failed.
  const specific = errors.find(
    (message) => !/^(error: )?(update|preview) failed/.test(plain(message)),
  );
  return oneLine(specific ?? errors[0] ?? printedError(error));
}

/** Returns external text as a single line without control characters, truncated. */
export function oneLine(text: string): string {
  const line = plain(text)
    .replace(/[\p{C}\p{Z}]+/gu, " ")
    .trim();
  return line.length > maxLength ? `${line.slice(0, maxLength)}...` : line;
}

/** Removes the engine's color markers and escape sequences. */
function plain(text: string): string {
  return stripVTControlCharacters(text.replace(/<\{%[a-z ]+%\}>/g, ""));
}

/** Returns the first error in the output of the CLI. */
function printedError(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return /^.*\berror: (.*)$/m.exec(text)?.[1] ?? text;
}
