/** The page of errors: which messages it quotes for each code, in the code's row and below its heading. */
import { readFileSync } from "node:fs";
import { join } from "node:path";

export const errorsPage = readFileSync(join(__dirname, "../../docs/reference/errors.md"), "utf8");

/** Returns the messages at the beginning of table rows, after a code or a line break in them. */
export function messagesIn(markdown: string): string[] {
  const quoted = /(?<=^\| (?:[^|`]*clouddb-[^|`]+ \| )?|<br>)(`+)((?:(?!\n\n)[^])+?)\1(?!`)/gm;
  return [...markdown.matchAll(quoted)].map(([, , message = ""]) => message.replace(/\s+/g, " "));
}

/** Returns a pattern for a message whose variable parts are `…`. */
export function patternOf(message: string, variable = ".{0,80}?"): RegExp {
  const parts = message.split("…").map((part) => part.trim());
  const constant = parts.filter(Boolean).map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(constant.join(variable), "s");
}

/** The codes in the order of the table, with the row of each and the entry below its heading. */
export const documentedCodes = new Map(
  [...errorsPage.matchAll(/^\| \[?clouddb-([a-z-]+)\b.*$/gm)].map(([row, code = ""]) => {
    const [, entry = ""] = errorsPage.split(`\n## clouddb-${code}\n`);
    return [code, `${row}\n${entry.split(/^## /m)[0] ?? ""}`] as const;
  }),
);

const patterns = new Map(
  [...documentedCodes].map(([code, text]) => [
    code,
    messagesIn(text).map((quoted) => patternOf(quoted, ".*?")),
  ]),
);

/** Checks the code at the end of a reported message as {@link checkCode} does. */
export function checkReported(message: string): void {
  checkCode(message, /\[clouddb-(\S+)\]$/.exec(message)?.[1]);
}

/** Checks that the page quotes a message for its code, and does not quote a message without a code. */
export function checkCode(message: string, code: string | undefined): void {
  const quoting = [...patterns].filter(([, all]) => all.some((pattern) => pattern.test(message)));
  const names = quoting.map(([name]) => name);
  const isRight = code === undefined ? names.length === 0 : names.includes(code);
  // Without the message, which a test could expect.
  const problem = `no entry of ${String(code)} quotes the message, but ${names.join(", ") || "none"}`;
  if (!isRight) throw new Error(problem, { cause: message });
}
