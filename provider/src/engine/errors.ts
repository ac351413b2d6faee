/** Errors for the person at the terminal: the message is all there is to say, a stack would only hide it. */
import { ApiError } from "../api/errors";

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
export function isForPeople(error: unknown): error is ProviderError | ApiError {
  return error instanceof ProviderError || error instanceof ApiError;
}

/**
 * The error as the provider process should throw it. That process prints `${error}: ${error.stack}`
 * besides reporting the message, so the stack is replaced by the message.
 */
export function withoutStack(error: unknown): unknown {
  if (!isForPeople(error)) return error;
  const shown = new Error(error.message);
  shown.name = "pulumi-clouddb";
  shown.stack = error.message;
  shown.toString = () => "pulumi-clouddb";
  return shown;
}
