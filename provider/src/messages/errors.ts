/** User errors, the codes that end messages (docs/reference/errors.md), and the log that messages go to. */
import { escapeMessage } from "./text";

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

/** The codes of messages that no program can catch. */
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
  "token",
  "doctor",
  "report",
  "preview",
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

/**
 * Logs a message and its code. Never rejects. In a provider process, the message goes to the engine's log, and in a
 * program to that of the SDK.
 */
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
  const lastLine = message.slice(message.lastIndexOf("\n") + 1);
  const separator = lastLine.startsWith("  ") ? "\n" : " ";
  return `${message}${separator}[clouddb-${code}]`;
}

/** Returns the code at the end of a message; undefined if it has none. */
export function codeOf(message: string): Code | undefined {
  const [, name] = /\[clouddb-([a-z-]+)\]$/.exec(message) ?? [];
  return codes.find((code) => code === name);
}

/** Removes the code at the end of a message. */
export function withoutCode(message: string): string {
  return message.replace(/\s\[clouddb-[a-z-]+\]$/, "");
}

/** An error whose message explains the problem and what to do next, as opposed to a bug in this package. */
export abstract class UserError extends Error {
  /** The code at the end of the reported message; undefined if the message says all there is to know. */
  abstract readonly code: Code | undefined;
}

/** Returns whether an error, or its cause, is one of JavaScript's own, which no server or network causes. */
export function isBug(error: unknown): boolean {
  const isOwn = [TypeError, ReferenceError, RangeError].some((type) => error instanceof type);
  return isOwn || (error instanceof Error && isBug(error.cause));
}

interface ProviderErrorOptions extends ErrorOptions {
  readonly property?: string;
  readonly code?: Code | undefined;
}

/** A problem with what the user passed or with the state of things, not with a request. */
export class ProviderError extends UserError {
  override readonly name = "ProviderError";
  /** The invalid input, or empty. The engine prints its value, so never name a secret. */
  readonly property: string;
  readonly code: Code | undefined;

  constructor(message: string, { property = "", code, ...options }: ProviderErrorOptions = {}) {
    super(message, options);
    this.property = property;
    this.code = code;
  }
}

/**
 * Thrown for a change whose outcome is not known. The engine then records the resource with these outputs, so that the
 * next update repeats the change. Pulumi reads the fields of the error.
 */
export class InitializationError extends ProviderError {
  readonly id: string;
  /** The outputs to record, as far as they are known. Not undefined, because they are sent unchanged. */
  readonly properties: Record<string, unknown>;
  readonly reasons: readonly string[];

  constructor(
    message: string,
    {
      id,
      properties,
      ...options
    }: Pick<InitializationError, "id" | "properties"> & ProviderErrorOptions,
  ) {
    super(message, options);
    this.id = id;
    this.properties = properties;
    this.reasons = [message];
  }
}

/**
 * Ends a user error with its code, and removes its cause and stack trace, because the provider process prints
 * `${error}: ${error.stack}`. Returns other errors as they are, so a second call changes nothing.
 */
export function errorWithoutStackTrace(error: unknown): unknown {
  if (!(error instanceof UserError)) return error;
  const message = withCode(escapeMessage(error.message), error.code);
  const copy =
    error instanceof InitializationError
      ? new InitializationError(message, { id: error.id, properties: error.properties })
      : new Error(message);
  const name = "pulumi-clouddb";
  return Object.assign(copy, { name, stack: message, toString: () => name });
}
