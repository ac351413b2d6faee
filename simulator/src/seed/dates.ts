/** Dates in ISO 8601 (service document 2.5). */

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
 * Converts a date to UTC.
 *
 * @param text a date in ISO 8601; UTC unless it has a time zone
 * @returns the date in ISO 8601 and UTC, or undefined if the text is not a date
 * @example toUtc("2024-05-01T12:00:00+02:00") // "2024-05-01T10:00:00Z"
 */
export function toUtc(text: string): string | undefined {
  const match =
    /^(\d{4}-\d{2}-\d{2})(?:T(\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)(Z|[+-]\d{2}:?\d{2})?)?$/.exec(
      text,
    );
  if (!match) return undefined;
  const [, day = "", time = "00:00:00", zone = "Z"] = match;
  // Date.parse turns 30 February into 1 March.
  const midnight = new Date(`${day}T00:00:00Z`);
  if (Number.isNaN(midnight.getTime()) || !midnight.toISOString().startsWith(day)) return undefined;
  const date = new Date(`${day}T${time}${zone}`);
  if (Number.isNaN(date.getTime())) return undefined;
  const utc = isoDate(date.getTime());
  // The zone can move a date out of the years that have four digits.
  return /^\d{4}-/.test(utc) ? utc : undefined;
}
