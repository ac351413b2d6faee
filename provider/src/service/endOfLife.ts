/** Warns that the service will remove the version of the API in use: the headers `Sunset` and `Deprecation`. */
import type { ServiceRequest, ServiceResponse } from "./exchange";
import { escapeText } from "../messages/text";

/** The APIs that this process has warned about. Each is warned about once. */
const warned = new Set<string>();

/** Returns the warning about an API from the headers of a response; undefined without one, or after the first. */
export function endOfLifeWarning(
  apiRoot: string,
  { method, path }: Pick<ServiceRequest, "method" | "path">,
  { headers }: Pick<ServiceResponse, "headers">,
): string | undefined {
  if (warned.has(apiRoot)) return undefined;
  const end = removal(headers["sunset"]?.[0]) ?? deprecation(headers["deprecation"]?.[0]);
  if (end === undefined) return undefined;
  warned.add(apiRoot);
  const [resource = ""] = path.split("?");
  return `the API version in use at ${apiRoot} ${end}, according to the response to ${method} ${escapeText(resource, 300)}. Set mediaType to a newer version, or the settings profile or apiPath to a newer API.`;
}

/** Reads a `Sunset` header (RFC 8594). A malformed one is ignored. */
function removal(text: string | undefined): string | undefined {
  const date = httpDate(text);
  if (date === undefined) return undefined;
  return isPast(date)
    ? `was to be removed on ${day(date)} and may stop working at any time`
    : `will be removed on ${day(date)}`;
}

/** Reads a `Deprecation` header: `@<seconds>` (RFC 9745), or `true` or a date as in its drafts. */
function deprecation(text: string | undefined): string | undefined {
  if (text === "true") return "is deprecated";
  const [, seconds] = /^@(\d{1,11})$/.exec(text ?? "") ?? [];
  const date = seconds === undefined ? httpDate(text) : new Date(Number(seconds) * 1000);
  if (date === undefined) return undefined;
  return isPast(date)
    ? `has been deprecated since ${day(date)}`
    : `will be deprecated on ${day(date)}`;
}

/** Reads a date such as `Sun, 06 Nov 1994 08:49:37 GMT`. */
function httpDate(text: string | undefined): Date | undefined {
  const date = new Date(text ?? "");
  return date.toUTCString() === text ? date : undefined;
}

function isPast(date: Date): boolean {
  return date.getTime() <= Date.now();
}

function day(date: Date): string {
  return date.toISOString().slice(0, 10);
}
