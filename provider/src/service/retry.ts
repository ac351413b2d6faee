/**
 * Repeats attempts if that is safe: always after a 429, because the service did nothing, and after a failure of the
 * service or the network if the caller allows it. Deadlines and cancellations end attempts and waits. An attempt is one
 * request for the reads of `client.ts`, and for a change the whole sequence of `modeChange.ts`, with a new list of
 * clusters and a new permission. So repeating it after a 429 is safe, whatever `mayRetry` says. Each request then gets
 * its credentials (authentication.ts).
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { ErrorCode } from "../messages/errors";
import { ApiError, UnusableResponseError, ResponseError, isTransient } from "./requestErrors";
import type { ServiceRequest, ServiceResponse } from "./exchange";

/** How failed requests are retried, and how long a call may take. */
export interface RetryPolicy {
  readonly retries: number;
  /** Delay before the first retry; doubles with each retry, multiplied by a random factor from 1 to 2. */
  readonly firstDelaySeconds: number;
  /** Time limit for one call of the client, including its retries and waits. */
  readonly callTimeoutSeconds: number;
  /**
   * Ends waits, retries and pending requests when it aborts; no further request is sent, except to revoke the access
   * token. A pending change is not interrupted. Default: never.
   */
  readonly cancelled?: AbortSignal | undefined;
  /** Called before every wait longer than two seconds, with a notice for the user. */
  readonly onWait: (notice: string) => void;
  /** Waits for a number of seconds before a retry. Rejects when the signal aborts. */
  readonly wait: (seconds: number, signal: AbortSignal) => Promise<void>;
  /** Returns a random number from 0 to 1. */
  readonly random: () => number;
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
  random: Math.random,
};

/**
 * Repeats `send` while `mayRetry` allows it and retries are left. After a 429, neither asks `mayRetry` nor counts the
 * retry. Fails at once if the wait would exceed the deadline. Throws the failure of the last attempt.
 */
export async function retry<T>(
  policy: RetryPolicy,
  deadline: Deadline,
  send: (attempt: number) => Promise<T>,
  mayRetry: (error: unknown) => boolean = isTransient,
): Promise<T> {
  let retries = 0;
  let limits = 0;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await send(attempt);
    } catch (error) {
      if (!(error instanceof ApiError) || policy.cancelled?.aborted) throw error;
      const isLimit = error.code === "rate-limited";
      if (!isLimit && (retries === policy.retries || !mayRetry(error))) throw error;
      if (isLimit) limits += 1;
      // The minute of a limit (service document 8 rule 2) began at an unknown time, so the waits grow up to 30 to 45 s.
      const delay = isLimit ? 10 * Math.min(limits, 3) : policy.firstDelaySeconds * 2 ** retries;
      const spread = isLimit ? 0.5 : 1;
      await waitToRetry(policy, deadline, error, delay * (1 + spread * policy.random()));
      if (!isLimit) retries += 1;
    }
  }
}

/** Waits as requested, or else for the delay. Throws instead if the deadline is earlier. */
async function waitToRetry(
  { wait, onWait }: RetryPolicy,
  { at, signal }: Deadline,
  error: ApiError,
  ownDelay: number,
): Promise<void> {
  const requested = error instanceof ResponseError ? error.retryAfterSeconds : undefined;
  const seconds = requested ?? ownDelay;
  if (Date.now() + seconds * 1000 > at) throw error;
  if (seconds > 2) onWait(waitNotice(error, seconds));
  await wait(seconds, signal);
}

/** Says what a wait is for. Repeats no advice of the error, which is only for a request that is not retried. */
function waitNotice(error: ApiError, seconds: number): string {
  const failure =
    error instanceof ResponseError
      ? `the service responded with ${error.status}`
      : "no usable response";
  const reason = error.code === "rate-limited" ? "rate limit reached" : failure;
  return `${reason}; retrying in ${Math.ceil(seconds)} s (${error.method} ${error.path})`;
}

/**
 * Starts a stopwatch. It returns the milliseconds since then, by the clock that ran further: that of the system may be
 * set back, and the other one may stop while the machine sleeps.
 */
export function stopwatch(): () => number {
  const date = Date.now();
  const elapsed = performance.now();
  return () => Math.max(Date.now() - date, performance.now() - elapsed);
}

export interface Deadline {
  /** Aborts at the deadline, or when the call is cancelled. */
  readonly signal: AbortSignal;
  /** Throws what `signal` aborts with, even if the process was suspended, so that its timer is late. */
  readonly check: () => void;
  /** The time of the deadline, in milliseconds since 1970. */
  readonly at: number;
}

/**
 * Runs work with a deadline, and aborts it when the deadline passes or the caller cancels. Then throws an
 * UnusableResponseError about the request, with the code `timeout` and the advice, or with the code `cancelled`.
 */
export async function withDeadline<T>(
  seconds: number,
  { method, path }: Pick<ServiceRequest, "method" | "path">,
  work: (deadline: Deadline) => Promise<T>,
  cancelled?: AbortSignal,
  advice = "Try again later.",
): Promise<T> {
  const controller = new AbortController();
  const end = (code: ErrorCode, problem: string) => {
    controller.abort(new UnusableResponseError(code, { method, path, attempt: 1 }, problem));
  };
  const cancel = () => {
    end("cancelled", "cancelled; run the command again");
  };
  if (cancelled?.aborted) cancel();
  controller.signal.throwIfAborted();
  cancelled?.addEventListener("abort", cancel);

  const milliseconds = seconds * 1000;
  const timeOut = () => {
    const rounded = seconds < 10 ? Number(seconds.toFixed(1)) : Math.round(seconds);
    end("timeout", `timed out after ${rounded} s in total, including retries and waits. ${advice}`);
  };
  const timer = setTimeout(timeOut, milliseconds);
  const age = stopwatch();
  const check = () => {
    if (age() > milliseconds) timeOut();
    controller.signal.throwIfAborted();
  };
  try {
    const deadline = { signal: controller.signal, check, at: Date.now() + milliseconds };
    return await abortable(work(deadline), controller.signal);
  } finally {
    clearTimeout(timer);
    cancelled?.removeEventListener("abort", cancel);
  }
}

/** Waits for a promise, whose work continues, until the signal aborts. Then throws the signal's reason. */
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

/**
 * Returns how long a 429 or 503 asks to wait with `Retry-After`, in whole seconds. Returns at least 1, because an
 * immediate retry would be rejected again.
 *
 * @example retryAfterSeconds({ status: 503, headers: { "retry-after": ["1.5"] } }) // 2
 */
export function retryAfterSeconds(
  { status, headers }: Pick<ServiceResponse, "status" | "headers">,
  now: number = Date.now(),
): number | undefined {
  if (status !== 429 && status !== 503) return undefined;
  const seconds = parseRetryAfter(headers["retry-after"]?.[0], now);
  return seconds === undefined ? undefined : Math.max(1, seconds);
}

/** Returns the seconds of a header `Retry-After` (RFC 9110 10.2.3); undefined if it is missing or invalid. */
function parseRetryAfter(header = "", now: number): number | undefined {
  const text = header.trim();
  // Date.parse alone would accept a bare number as a year, and local time.
  const date = text.endsWith(" GMT") ? Date.parse(text) : NaN;
  const seconds = /^\d+(?:\.\d+)?$/.test(text) ? Number(text) : (date - now) / 1000;
  return Number.isNaN(seconds) ? undefined : Math.max(0, Math.ceil(seconds));
}
