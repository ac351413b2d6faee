/** Errors for the person at the terminal: the message is all there is to say, a stack would only hide it. */
import { ApiError } from "../api/errors";
import { escapeMessage } from "../api/escapeText";

/** A mistake or a condition that the message explains, with what to do next. */
export class ProviderError extends Error {
  override readonly name = "ProviderError";
  /** The input that is wrong, where it is one. The engine prints its value: never name a secret. */
  readonly property: string;

  constructor(message: string, property = "", options?: ErrorOptions) {
    super(message, options);
    this.property = property;
  }
}

/** True where the message explains itself; false for a defect of this package. */
export function isUserError(error: unknown): error is ProviderError | ApiError {
  return error instanceof ProviderError || error instanceof ApiError;
}

/**
 * Prepares an error for the provider process, which reports the message and prints
 * `${error}: ${error.stack}` besides. Nothing in either steers the terminal.
 *
 * @param error anything that was thrown
 * @returns for an error whose message explains itself: a copy without a stack trace and without its
 * cause; for a defect: the error itself, or a copy with its text escaped if that makes a difference
 */
export function errorWithoutStackTrace(error: unknown): unknown {
  if (isUserError(error)) {
    const message = escapeMessage(error.message);
    const shown = copyOf("pulumi-clouddb", message, message);
    shown.toString = () => "pulumi-clouddb";
    return shown;
  }
  if (typeof error === "string") return escapeMessage(error);
  if (!(error instanceof Error)) return error;
  const [message, stack] = [error.message, error.stack ?? error.message].map(escapeMessage);
  if (message === error.message && (error.stack === undefined || stack === error.stack))
    return error;
  return copyOf(escapeMessage(error.name), message, stack);
}

function copyOf(name: string, message = "", stack = message): Error {
  const copy = new Error(message);
  copy.name = name;
  copy.stack = stack;
  return copy;
}
