/** The page of errors: which messages it quotes below the heading of each code. */
import { readFileSync } from "node:fs";
import { join } from "node:path";

export const errorsPage = readFileSync(join(__dirname, "../../docs/reference/errors.md"), "utf8");

/** Returns the messages at the beginning of paragraphs, list items and table rows. */
export function messagesIn(markdown: string): string[] {
  const quoted = /(?<=\n\n|^### .*\n|^- |^\| |<br>)(`+)((?:(?!\n\n)[^])+?)\1(?!`)/gm;
  return [...markdown.matchAll(quoted)].map(([, , message = ""]) => message.replace(/\s+/g, " "));
}

/** Returns a pattern for a message whose variable parts are `…`. */
export function patternOf(message: string, variable = ".{0,80}?"): RegExp {
  const parts = message.split("…").map((part) => part.trim());
  const constant = parts.filter(Boolean).map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(constant.join(variable), "s");
}

const patterns = new Map(
  errorsPage.split(/^##+ /m).flatMap((entry) => {
    const [, code] = /^clouddb-(\S+)\n/.exec(entry) ?? [];
    const messages = messagesIn(entry).map((each) => patternOf(each, ".*?"));
    return code === undefined ? [] : [[code, messages] as const];
  }),
);

/** Checks the code at the end of a reported message as {@link checkCode} does. */
export function checkReported(message: string): void {
  checkCode(message, /\[clouddb-(\S+)\]$/.exec(message)?.[1]);
}

/** Checks that the entry of a message's code quotes it, and that a message without a code has no entry. */
export function checkCode(message: string, code: string | undefined): void {
  const quoting = [...patterns].filter(([, all]) => all.some((each) => each.test(message)));
  const names = quoting.map(([name]) => name);
  const isRight = code === undefined ? names.length === 0 : names.includes(code);
  // Without the message, which a test could expect.
  const problem = `no entry of ${String(code)} quotes the message, but ${names.join(", ") || "none"}`;
  if (!isRight) throw new Error(problem, { cause: message });
}
