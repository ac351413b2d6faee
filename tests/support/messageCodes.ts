/** Checks which code a message has. */
import { messagesByCode } from "./messages";

/** Returns a pattern for a message whose variable parts are `…`. */
export function patternOf(message: string, variable = ".{0,80}?"): RegExp {
  const parts = message.split("…").map((part) => part.trim());
  const constant = parts.filter(Boolean).map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(constant.join(variable), "s");
}

const patterns = Object.entries(messagesByCode).map(
  ([code, messages]) => [code, messages.map((message) => patternOf(message, ".*?"))] as const,
);

/** Checks the code at the end of a reported message as {@link checkCode} does. */
export function checkReported(message: string): void {
  checkCode(message, /\[clouddb-(\S+)\]$/.exec(message)?.[1]);
}

/** Checks that a message is listed for its code, and that one without a code is not listed. */
export function checkCode(message: string, code: string | undefined): void {
  const listing = patterns.filter(([, all]) => all.some((pattern) => pattern.test(message)));
  const names = listing.map(([name]) => name);
  const isRight = code === undefined ? names.length === 0 : names.includes(code);
  // Without the message, which a test could expect.
  const problem = `tests/support/messages.ts lists the message for ${names.join(", ") || "no code"}, not for ${String(code)}`;
  if (!isRight) throw new Error(problem, { cause: message });
}
