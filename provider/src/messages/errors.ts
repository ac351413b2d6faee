/** User errors. They are reported without a stack trace, which would only hide the message. */
import { type Code, withCode } from "./codes";
import { escapeMessage } from "./text";

/** An error whose message explains the problem and what to do next, as opposed to a bug in this package. */
export abstract class UserError extends Error {
  /** Ends the message wherever it is reported; undefined if the message says all there is to know. */
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
 * A user error after which the resource exists although its creation or update failed. The engine records the
 * properties and repeats the update next time. Pulumi's dynamic provider reads these fields of the error.
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

/** Prepares a user error for the provider process, which also prints `${error}: ${error.stack}`. */
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
