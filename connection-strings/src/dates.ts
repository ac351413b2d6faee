/**
 * Parses dates in the service's format: ISO 8601, in UTC unless they include a time zone (service
 * document 2.5).
 */

/**
 * Parses an ISO 8601 date with or without a time of day, fractional seconds and a time zone.
 *
 * @param text the date, in UTC if it has no time zone
 * @returns milliseconds since 1970; undefined for other text and for nonexistent dates, such as
 * 30 February, month 13 or hour 25
 * @example
 * parseDate("2020-11-02T23:59:59"); // the same as "2020-11-02T23:59:59Z", in every time zone
 */
export function parseDate(text: string): number | undefined {
  const match = typeof text === "string" ? isoDate.exec(text) : null;
  if (match === null) return undefined;
  const [, day = "", minute = "00:00", second = "00", fraction = "0", sign, hours, minutes] = match;
  const utc = `${day}T${minute}:${second}`;
  const time = Date.parse(`${utc}Z`);
  // Date.parse reads 30 February as 1 March.
  if (Number.isNaN(time) || new Date(time).toISOString().slice(0, utc.length) !== utc) {
    return undefined;
  }
  const [zoneHours, zoneMinutes] = [Number(hours ?? 0), Number(minutes ?? 0)];
  if (zoneHours > 23 || zoneMinutes > 59) return undefined;
  const offset = (zoneHours * 60 + zoneMinutes) * 60_000 * (sign === "-" ? -1 : 1);
  return time + Number(`0.${fraction}`) * 1000 - offset;
}

const isoDate =
  /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2})(?::(\d{2})(?:[.,](\d+))?)?(?:Z|([+-])(\d{2})(?::?(\d{2}))?)?)?$/i;
