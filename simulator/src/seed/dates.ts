/** Dates in ISO 8601 (service document 2.5). */
import { DateTime } from "luxon";

const minutesPerDay = 24 * 60;

/**
 * Formats a date as in API responses.
 *
 * @param milliseconds milliseconds since 1970
 * @returns the date in ISO 8601 and UTC
 * @example isoDate(0) // "1970-01-01T00:00:00Z"
 */
export function isoDate(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace(".000Z", "Z");
}

/**
 * Converts a date to UTC. Fractions of hours and minutes, and leap seconds, are not supported.
 *
 * @param text a date in any other form of ISO 8601; UTC unless it has a time zone
 * @returns the date in ISO 8601 and UTC, or undefined if the text is not a date
 * @example toUtc("2024-05-01T12:00:00+02:00") // "2024-05-01T10:00:00Z"
 */
export function toUtc(text: string): string | undefined {
  // Luxon also accepts a time without a date, as today, and the name of a time zone in brackets.
  if (!/^(?:\d{4}|[+-]\d{6})[\dW-]*(?:T[^[]*)?$/.test(text)) return undefined;
  const date = DateTime.fromISO(text, { zone: "utc", setZone: true });
  if (!date.isValid || Math.abs(date.offset) >= minutesPerDay) return undefined;
  const utc = isoDate(date.toMillis());
  // The zone can move a date out of the years that have four digits.
  return /^\d{4}-/.test(utc) ? utc : undefined;
}
