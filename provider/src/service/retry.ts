/**
 * Retries requests if that is safe: always after a 429, because the service did nothing, and after a failure of
 * the service or the network if the caller allows it. Deadlines and cancellations end retries and waits.
 */
import { setTimeout as sleep } from "node:timers/promises";
import {
  type ErrorCode,
  NoResponseError,
  ResponseError,
  failedRequest,
  isTransient,
} from "./errors";
import type { Exchange, ServiceResponse } from "./exchange";

/** How failed requests are retried, and how long a call may take. */
export interface RetryPolicy {
  readonly retries: number;
  /** Delay before the first retry; doubles with each retry, multiplied by a random factor from 1 to 2. */
  readonly firstDelaySeconds: number;
  /** Time limit for one call of the client, including its retries and waits. */
  readonly callTimeoutSeconds: number;
  /**
   * Ends waits, retries and pending requests when it aborts; no further request is sent, except to revoke the
   * access token. A pending change is not interrupted. Default: never.
   */
  readonly cancelled?: AbortSignal | undefined;
  /** Called before every wait longer than two seconds. */
  readonly onWait: (message: string) => void;
  /** Waits for a number of seconds that the service requests. Rejects when the signal aborts. */
  readonly wait: (seconds: number, signal: AbortSignal) => Promise<void>;
}

/** Three retries, which start after 0.5 s, within 10 minutes. Waits are not logged. */
export const defaultRetryPolicy: RetryPolicy = {
  retries: 3,
  firstDelaySeconds: 0.5,
  callTimeoutSeconds: 600,
  onWait: () => undefined,
  wait: async (seconds, signal) => {
    await sleep(seconds * 1000, undefined, { signal });
  },
};

/**
 * Runs `send` until it succeeds, `mayRetry` forbids retrying a transient failure, or no retries are left. Waiting
 * for a limit, after a 429 or, if `mayRetry` allows it, a 403 with `Retry-After`, does not count as a retry. After
 * `Retry-After`, retries no earlier than it says, and not at all if that is after the deadline. Throws the failure
 * of the last attempt.
 */
export async function retry<T>(
  policy: RetryPolicy,
  deadline: Deadline,
  send: (attempt: number) => Promise<T>,
  mayRetry: (error: unknown) => boolean = isTransient,
): Promise<T> {
  const { default: pRetry } = await import("p-retry");
  let attempts = 0;
  const sendWithinLimit = async (): Promise<T> => {
    for (;;) {
      attempts += 1;
      try {
        return await send(attempts);
      } catch (error) {
        if (!isRateLimited(error) || policy.cancelled?.aborted) throw error;
        // Unlike a 429, a 403 does not say that the service did nothing.
        if (error.code !== "rate-limited" && !mayRetry(error)) throw error;
        // The limit resets with the next minute (service document 8 rule 2).
        const seconds = error.retryAfterSeconds ?? 61 - new Date().getUTCSeconds();
        await waitAsRequested(policy, deadline, error, seconds);
      }
    }
  };
  return await pRetry(sendWithinLimit, {
    retries: policy.retries,
    minTimeout: policy.firstDelaySeconds * 1000,
    randomize: true,
    signal: deadline.signal,
    shouldRetry: async ({ error, attemptNumber }) => {
      if (policy.cancelled?.aborted || !mayRetry(error)) return false;
      const isRequested = error instanceof ResponseError && error.retryAfterSeconds !== undefined;
      if (isRequested) await waitAsRequested(policy, deadline, error, error.retryAfterSeconds);
      if (!isRequested && policy.firstDelaySeconds * 2 ** (attemptNumber - 1) >= 2) {
        policy.onWait(`retrying in a few seconds: ${error.message}`);
      }
      return true;
    },
  });
}

/** The deadline of one call, including its retries and waits. */
export interface Deadline {
  /** Aborts at the deadline, or when the caller aborts the call. */
  readonly signal: AbortSignal;
  /** The time of the deadline, in milliseconds since 1970. */
  readonly at: number;
}

const cancelledMessage = "cancelled. Try again.";

/** Creates an exchange that sends nothing after a cancellation. */
export function unlessCancelled(exchange: Exchange, cancelled?: AbortSignal): Exchange {
  return async (request) => {
    if (!cancelled?.aborted) return await exchange(request);
    throw new NoResponseError("cancelled", failedRequest(request), cancelledMessage, {
      wasSent: false,
    });
  };
}

/** What ends a call before its deadline, and what its message suggests. */
export interface AbortOptions {
  /** Aborts pending work; the call rejects as the work does. Default: never. */
  readonly signal?: AbortSignal | undefined;
  /** Aborts pending work; the call rejects immediately. Default: never. */
  readonly cancelled?: AbortSignal | undefined;
  /** What to do about a timeout. Default: to try again later. */
  readonly advice?: string | undefined;
  /** How much of the time has already passed. Default: 0 */
  readonly spentSeconds?: number | undefined;
}

/**
 * Runs `work` with a deadline. Throws a NoResponseError with code `timeout` after the deadline, or with code
 * `cancelled`.
 */
export async function withDeadline<T>(
  seconds: number,
  { method, path }: { readonly method: string; readonly path: string },
  work: (deadline: Deadline) => Promise<T>,
  { signal, cancelled, advice = "Try again later.", spentSeconds = 0 }: AbortOptions = {},
): Promise<T> {
  const controller = new AbortController();
  const end = (code: ErrorCode, message: string) => {
    controller.abort(new NoResponseError(code, { method, path, attempts: 1 }, message));
  };
  const cancel = () => {
    end("cancelled", cancelledMessage);
  };
  if (cancelled?.aborted) cancel();
  controller.signal.throwIfAborted();
  cancelled?.addEventListener("abort", cancel);

  const milliseconds = (seconds - spentSeconds) * 1000;
  const timer = setTimeout(() => {
    const rounded = seconds < 10 ? Number(seconds.toFixed(1)) : Math.round(seconds);
    const message = `timed out after ${rounded} s in total, including retries and waits. ${advice}`;
    end("timeout", message);
  }, milliseconds);
  const signals = [controller.signal, ...(signal === undefined ? [] : [signal])];
  try {
    const deadline = { signal: AbortSignal.any(signals), at: Date.now() + milliseconds };
    return await abortable(work(deadline), controller.signal);
  } finally {
    clearTimeout(timer);
    cancelled?.removeEventListener("abort", cancel);
  }
}

/**
 * Waits for a promise until a signal aborts. The work behind the promise continues. Throws the signal's reason
 * as soon as it aborts.
 */
export async function abortable<T>(promise: Promise<T>, signal?: AbortSignal): Promise<T> {
  if (signal === undefined) return await promise;
  const settled = new AbortController();
  const aborted = new Promise<never>((_, reject) => {
    const abort = () => {
      reject(signal.reason instanceof Error ? signal.reason : new Error("the wait was aborted"));
    };
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort, { signal: settled.signal });
  });
  try {
    return await Promise.race([aborted, promise]);
  } finally {
    settled.abort();
  }
}

function isRateLimited(error: unknown): error is ResponseError {
  if (!(error instanceof ResponseError)) return false;
  if (error.code === "rate-limited") return true;
  // The limit of active tokens, for example.
  return error.code === "forbidden" && error.retryAfterSeconds !== undefined;
}

/** Waits before a retry. Throws the error instead if the wait would exceed the deadline. */
async function waitAsRequested(
  { wait, onWait }: RetryPolicy,
  { at, signal }: Deadline,
  error: ResponseError,
  seconds: number,
): Promise<void> {
  // The error of the service is more helpful than a timeout.
  if (Date.now() + seconds * 1000 > at) throw error;
  if (seconds > 2) onWait(`waiting ${seconds} s: ${error.message}`);
  await wait(seconds, signal);
}

/** The maximum plausible wait, in seconds. No limit of this service lasts a day. */
const maxWaitSeconds = 24 * 3600;

/**
 * Returns how long the service asks to wait: `Retry-After` in seconds or as a date, otherwise, in a 429,
 * `RateLimit-Reset` or the `t` of `RateLimit`. Ignores invalid values. Rounds up to whole seconds, from 1 (an
 * immediate retry would be rejected again) to a day.
 *
 * @example retryAfterSeconds({ status: 503, headers: { "retry-after": ["1.5"] } }) // 2
 */
export function retryAfterSeconds(
  { status, headers }: Pick<ServiceResponse, "status" | "headers">,
  now: number = Date.now(),
): number | undefined {
  const retryAfter = headers["retry-after"]?.[0]?.trim() ?? "";
  const seconds = numberOf(retryAfter) ?? secondsUntil(retryAfter, now);
  if (seconds !== undefined) return clamp(seconds);
  // Services also send these in responses that have another reason than the limit.
  if (status !== 429) return undefined;
  const limit = headers["ratelimit"]?.[0] ?? "";
  const reset = headers["ratelimit-reset"]?.[0]?.trim() ?? /;\s*t=([\d.]+)/.exec(limit)?.[1] ?? "";
  // Some services send a Unix timestamp, which is useless without knowing their clock.
  const resetSeconds = numberOf(reset) ?? Infinity;
  return resetSeconds > maxWaitSeconds ? undefined : clamp(resetSeconds);
}

function numberOf(text: string): number | undefined {
  return /^\d+(?:\.\d*)?$/.test(text) ? Number(text) : undefined;
}

/** Parses an HTTP date (RFC 9110 5.6.7). `Date.parse` alone would accept a bare number as a year, and local time. */
function secondsUntil(text: string, now: number): number | undefined {
  if (!/^[A-Z][a-z]{2,8}, .{10,40} GMT$/.test(text)) return undefined;
  const seconds = (Date.parse(text) - now) / 1000;
  return Number.isNaN(seconds) ? undefined : seconds;
}

function clamp(seconds: number): number {
  return Math.min(maxWaitSeconds, Math.max(1, Math.ceil(seconds)));
}
