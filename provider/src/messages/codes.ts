/** The codes that end messages, which docs/reference/errors.md explains, and the log that messages go to. */
/** The codes of errors that a program can catch. A code never changes, because users search for it. */
export const errorCodes = [
  "settings",
  "argument",
  "import-option",
  "other-provider",
  "disabled-provider",
  "not-installed",
  "unknown-settings",
  "service-refused",
  "cluster-not-found",
  "string-not-found",
  "ambiguous-endpoint",
  "ambiguous-cluster",
  "timeout",
  "authentication",
  "access-list",
  "forbidden",
  "not-found",
  "method-not-allowed",
  "media-type",
  "conflict",
  "rate-limited",
  "invalid-field",
  "server-error",
  "cancelled",
  "malformed-response",
  "certificate",
  "connection",
  "incomplete-list",
] as const;

const messageCodes = [
  "plain-text-secret",
  "managed-twice",
  "plugin-version",
  "refused",
  "disabling",
  "enabling",
  "drift",
  "change-unknown",
  "engine-gone",
  "mode-unreadable",
  "wait-ended",
  "deletion-unproven",
  "project-not-found",
  "removed",
  "strings-kept",
  "damaged-state",
  "strings",
  "token",
  "doctor",
  "readiness",
  "report",
  "preview",
  "no-comment",
] as const;

export const codes = [...errorCodes, ...messageCodes] as const;

/**
 * The code of an error that a program can catch, whose property `code` it is.
 *
 * @example "cluster-not-found"
 */
export type ErrorCode = (typeof errorCodes)[number];

export type Code = (typeof codes)[number];

/** `progress` replaces the previous progress line; `warning` is permanent and counted. */
export type Severity = "progress" | "warning";

/** Logs a message and its code; never rejects. The engine's log in a provider process, the SDK's in a program. */
export type Log = (severity: Severity, message: string, code?: Code) => Promise<void>;

/**
 * Ends a message with its code. Append the code only where a message leaves the process, so that one that quotes
 * another has one code.
 *
 * @example withCode("the list is incomplete", "incomplete-list") // "the list is incomplete [clouddb-incomplete-list]"
 */
export function withCode(message: string, code: Code | undefined): string {
  if (code === undefined) return message;
  // A command on the last line can be copied without the code.
  const separator = /\n {2,}[^\n]*$/.test(message) ? "\n" : " ";
  return `${message}${separator}[clouddb-${code}]`;
}

/** Returns the codes in a text, wherever they are, because an engine can add to a message. */
export function codesIn(text: string): string[] {
  return Array.from(text.matchAll(/\[clouddb-([a-z-]+)\]/g), ([, code = ""]) => code);
}

export function withoutCode(message: string): string {
  return message.replace(/\s\[clouddb-[a-z-]+\]$/, "");
}
