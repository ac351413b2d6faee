/**
 * Selects the version of a resource by a dated media type, such as
 * `application/vnd.clouddb.2023-01-01+json`. The service document leaves the selection open (9 rule 3).
 */
import Negotiator from "negotiator";
import type { Settings } from "../seed/options";
import { ServiceError } from "../store/serviceError";
import type { EntityName } from "./entities";

/** Content type of responses without versions, and of every error. */
export const jsonType = "application/json; charset=utf-8";

/** The setting `versions`. */
type Versions = NonNullable<Settings["versions"]>;

/**
 * Returns the content type of a response: that of the newest version of the resource that is not newer
 * than the date in the `Accept` header.
 *
 * @param versions the setting; undefined if resources have no versions
 * @param resource the resource
 * @param accept the `Accept` header
 * @returns the content type
 * @throws ServiceError 406 if the header has no usable date, 410 if the version has ended
 * @example contentTypeOf({ vendor: "clouddb", dates: ["2023-01-01"], ended: [], resources: {} }, "Cluster", accept)
 */
export function contentTypeOf(
  versions: Versions | undefined,
  resource: EntityName,
  accept: string | undefined,
): string {
  if (versions === undefined) return jsonType;
  const dates = datesOf(versions, resource);
  const requested = requestedDate(accept, versions.vendor);
  const version = dates.findLast((date) => requested !== undefined && date <= requested);
  if (version === undefined) throw invalidDate(versions.vendor, dates);
  if (versions.ended.includes(version)) throw versionGone(version, resource);
  return `${mediaTypeOf(versions.vendor, version)}; charset=utf-8`;
}

/**
 * Returns the media types of a resource for the OpenAPI document.
 *
 * @param versions the setting; undefined if resources have no versions
 * @param resource the resource
 * @returns `application/json`, or one type for each version that has not ended
 */
export function mediaTypesOf(versions: Versions | undefined, resource: EntityName): string[] {
  if (versions === undefined) return ["application/json"];
  return datesOf(versions, resource)
    .filter((date) => !versions.ended.includes(date))
    .map((date) => mediaTypeOf(versions.vendor, date));
}

/** Returns the dates of a resource's versions, the oldest first. */
function datesOf({ dates, resources }: Versions, resource: EntityName): string[] {
  return [...(resources[resource] ?? dates)].sort();
}

/** Returns the date in the preferred dated media type of an `Accept` header. */
function requestedDate(accept: string | undefined, vendor: string): string | undefined {
  const [start = "", end = ""] = mediaTypeOf(vendor, " ").split(" ");
  return new Negotiator({ headers: { accept } })
    .mediaTypes()
    .filter((type) => type.startsWith(start) && type.endsWith(end))
    .map((type) => type.slice(start.length, -end.length))
    .find((date) => /^\d{4}-\d{2}-\d{2}$/.test(date));
}

function mediaTypeOf(vendor: string, date: string): string {
  return `application/vnd.${vendor}.${date}+json`;
}

function invalidDate(vendor: string, dates: readonly string[]): ServiceError {
  const [oldest = ""] = dates;
  const example = mediaTypeOf(vendor, dates.at(-1) ?? "");
  return new ServiceError(
    406,
    "INVALID_VERSION_DATE",
    `The Accept header must contain a media type with a date from ${oldest} on, such as ${example}.`,
    [...dates],
  );
}

function versionGone(version: string, resource: EntityName): ServiceError {
  return new ServiceError(
    410,
    "VERSION_GONE",
    `Version ${version} of the resource ${resource} has ended. Request a newer one.`,
    [version],
  );
}
