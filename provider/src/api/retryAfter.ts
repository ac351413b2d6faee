/** When a service asks to be left alone: `Retry-After` and the `RateLimit` headers. */
import type { ServiceResponse } from "./transport";

/** The longest wait that is believed, in seconds. No limit of this service lasts a day. */
const longestWait = 24 * 3600;

/**
 * Reads how long the service asks to wait: `Retry-After` in seconds or as a date, otherwise
 * `RateLimit-Reset` or the `t` of `RateLimit`. Values that make no sense are passed over.
 *
 * @param headers of a response
 * @param now in milliseconds since 1970
 * @returns whole seconds, from 1 (what was refused just now would be refused again at once) to a
 * day; undefined if no header says
 * @example retryAfterSeconds({ "retry-after": ["1.5"] }) // 2
 */
export function retryAfterSeconds(
  headers: ServiceResponse["headers"],
  now: number = Date.now(),
): number | undefined {
  const asked = headers["retry-after"]?.[0]?.trim() ?? "";
  const seconds = numberOf(asked) ?? secondsUntil(asked, now);
  if (seconds !== undefined) return within(seconds);
  const limit = headers["ratelimit"]?.[0] ?? "";
  const reset = headers["ratelimit-reset"]?.[0]?.trim() ?? /;\s*t=([\d.]+)/.exec(limit)?.[1] ?? "";
  const left = numberOf(reset);
  // Some services put a time since 1970 there; it says nothing without their clock.
  return left === undefined || left > longestWait ? undefined : within(left);
}

function numberOf(text: string): number | undefined {
  return /^\d+(?:\.\d*)?$/.test(text) ? Number(text) : undefined;
}

/** By an HTTP date (RFC 9110 5.6.7); `Date.parse` would also take a bare number for a year. */
function secondsUntil(text: string, now: number): number | undefined {
  if (!/^[A-Z][a-z]{2,8},? .{10,40}$/.test(text)) return undefined;
  const seconds = (Date.parse(text) - now) / 1000;
  return Number.isNaN(seconds) ? undefined : seconds;
}

function within(seconds: number): number {
  return Math.min(longestWait, Math.max(1, Math.ceil(seconds)));
}
