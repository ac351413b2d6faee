/** Reads how long to wait from `Retry-After` and the `RateLimit` headers (service document 8). */
import type { ServiceResponse } from "./exchange";

/** The maximum plausible wait, in seconds. No limit of this service lasts a day. */
const maxWaitSeconds = 24 * 3600;

/**
 * Returns how long the service asks to wait: `Retry-After` in seconds or as a date, otherwise
 * `RateLimit-Reset` or the `t` of `RateLimit`. Ignores invalid values.
 *
 * @param headers the headers of a response
 * @param now the current time in milliseconds since 1970. Default: the clock of this machine
 * @returns whole seconds, from 1 (an immediate retry would be rejected again) to a day; undefined if no
 * header is present
 * @example retryAfterSeconds({ "retry-after": ["1.5"] }) // 2
 */
export function retryAfterSeconds(
  headers: ServiceResponse["headers"],
  now: number = Date.now(),
): number | undefined {
  const retryAfter = headers["retry-after"]?.[0]?.trim() ?? "";
  const seconds = numberOf(retryAfter) ?? secondsUntil(retryAfter, now);
  if (seconds !== undefined) return clamp(seconds);
  const limit = headers["ratelimit"]?.[0] ?? "";
  const reset = headers["ratelimit-reset"]?.[0]?.trim() ?? /;\s*t=([\d.]+)/.exec(limit)?.[1] ?? "";
  const resetSeconds = numberOf(reset);
  // Some services send a Unix timestamp, which is useless without knowing their clock.
  return resetSeconds === undefined || resetSeconds > maxWaitSeconds
    ? undefined
    : clamp(resetSeconds);
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

/** Rounds up to whole seconds, from 1 to a day. */
function clamp(seconds: number): number {
  return Math.min(maxWaitSeconds, Math.max(1, Math.ceil(seconds)));
}
