/**
 * Asks again where that is safe: after a refusal for the rate limit always, since the service did
 * nothing, and after a failure of the service or the network where the caller allows it.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { NoAnswerError, ResponseError, errorCodes, isTransient } from "./errors";

export interface RetryPolicy {
  /** How often a failed request is sent again. */
  readonly retries: number;
  /** Before the first retry; doubled for each further one, and up to doubled again at random. */
  readonly firstDelaySeconds: number;
  /** Told of every wait of over two seconds. */
  readonly onWait: (message: string) => void;
  /** Waits; a test puts a clock of its own here. */
  readonly wait: (seconds: number, signal: AbortSignal) => Promise<void>;
}

export const defaultRetries = {
  retries: 3,
  firstDelaySeconds: 0.5,
  wait: async (seconds: number, signal: AbortSignal) => {
    await sleep(seconds * 1000, undefined, { signal });
  },
};

/**
 * Runs `send` until it succeeds, `mayRepeat` forbids another try of a transient failure, or the
 * retries are used up. Waiting for the rate limit uses up none: it ends with the deadline.
 */
export async function retrying<T>(
  policy: RetryPolicy,
  deadline: Deadline,
  send: (attempt: number) => Promise<T>,
  mayRepeat: () => boolean | Promise<boolean>,
): Promise<T> {
  const { default: pRetry } = await import("p-retry");
  let sent = 0;
  const sendWithinLimit = async (): Promise<T> => {
    for (;;) {
      try {
        return await send((sent += 1));
      } catch (error) {
        if (!isRateLimited(error)) throw error;
        await waitForLimit(policy, deadline, error);
      }
    }
  };
  return await pRetry(sendWithinLimit, {
    retries: policy.retries,
    minTimeout: policy.firstDelaySeconds * 1000,
    randomize: true,
    signal: deadline.signal,
    shouldRetry: async ({ error }) => isTransient(error) && (await mayRepeat()),
    onFailedAttempt: ({ error, attemptNumber, retriesLeft }) => {
      if (retriesLeft === 0 || !isTransient(error)) return;
      const least = policy.firstDelaySeconds * 2 ** (attemptNumber - 1);
      if (least >= 2) policy.onWait(`trying again in some seconds: ${error.message}`);
    },
  });
}

/** The time that one call may take in all, its retries and waits included. */
export interface Deadline {
  readonly signal: AbortSignal;
  /** In milliseconds since 1970. */
  readonly at: number;
}

/**
 * Runs `work` with a deadline.
 *
 * @param seconds limit of the whole call, retries and waits included
 * @param outer ends the call earlier
 * @throws NoAnswerError with code `timeout` when the time is over
 */
export async function withDeadline<T>(
  seconds: number,
  { method, path }: { readonly method: string; readonly path: string },
  work: (deadline: Deadline) => Promise<T>,
  outer?: AbortSignal,
): Promise<T> {
  const controller = new AbortController();
  const signal =
    outer === undefined ? controller.signal : AbortSignal.any([outer, controller.signal]);
  let timer: NodeJS.Timeout | undefined;
  const passed = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      const message = `timed out after ${seconds} s in total, including retries and waits. Try again later.`;
      reject(new NoAnswerError(errorCodes.timeout, { method, path, attempts: 1 }, message));
      controller.abort();
    }, seconds * 1000);
  });
  try {
    return await Promise.race([passed, work({ signal, at: Date.now() + seconds * 1000 })]);
  } finally {
    clearTimeout(timer);
  }
}

function isRateLimited(error: unknown): error is ResponseError {
  return error instanceof ResponseError && error.code === errorCodes.rateLimited;
}

/** The service's counter is reset each minute (service document 8 rule 2); some say when. */
async function waitForLimit(
  { wait, onWait }: RetryPolicy,
  { at, signal }: Deadline,
  error: ResponseError,
): Promise<void> {
  const seconds = error.retryAfterSeconds ?? secondsToNextMinute();
  // No use waiting for what comes after the deadline: the refusal says more than a timeout would.
  if (Date.now() + seconds * 1000 > at) throw error;
  if (seconds > 2) onWait(`waiting ${seconds} s: ${error.message}`);
  await wait(seconds, signal);
}

function secondsToNextMinute(): number {
  return 61 - new Date().getUTCSeconds();
}
