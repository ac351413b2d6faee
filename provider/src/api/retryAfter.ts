/** Reads how long to wait from `Retry-After` and the `RateLimit` headers. */
import type { ServiceResponse } from "./transport";

/** The maximum plausible wait, in seconds. No limit of this service lasts a day. */
const longestWait = 24 * 3600;

/**
 * Returns how long the service asks to wait: `Retry-After` in seconds or as a date, otherwise
 * `RateLimit-Reset` or the `t` of `RateLimit`. Ignores invalid values.
 *
 * @param headers of a response
 * @param now in milliseconds since 1970
 * @returns whole seconds, from 1 (an immediate retry would be refused again) to a day; undefined if no
 * header is present
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
  // Some services send a Unix timestamp, which is useless without knowing their clock.
  return left === undefined || left > longestWait ? undefined : within(left);
}

function numberOf(text: string): number | undefined {
  return /^\d+(?:\.\d*)?$/.test(text) ? Number(text) : undefined;
}

/** Parses an HTTP date (RFC 9110 5.6.7). `Date.parse` alone would accept a bare number as a year. */
function secondsUntil(text: string, now: number): number | undefined {
  if (!/^[A-Z][a-z]{2,8},? .{10,40}$/.test(text)) return undefined;
  const seconds = (Date.parse(text) - now) / 1000;
  return Number.isNaN(seconds) ? undefined : seconds;
}

function within(seconds: number): number {
  return Math.min(longestWait, Math.max(1, Math.ceil(seconds)));
}
