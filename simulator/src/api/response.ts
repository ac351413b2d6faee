/** Renders response bodies: lists, envelopes, formatted JSON and errors (service document 4.3, 4.4 and 7.2). */
import { STATUS_CODES } from "node:http";
import { ServiceError } from "../errors";
import type { Settings } from "../seed/settings";
import type { Link } from "./entities";
import type { OperationResult } from "./operation";
import type { ListNames, Query, RawQuery } from "./request";

export function renderResult(
  result: OperationResult,
  status: number,
  query: Query,
  url: string,
  raw: RawQuery,
  names: ListNames,
): string {
  const { pretty, envelope } = query;
  if (result.kind === "list") {
    const page = pageOf(result, query, url, raw, names);
    return stringify(envelope ? { ...page, status } : page, pretty);
  }
  return stringify(envelope ? { status, content: result.entity } : result.entity, pretty);
}

/** Renders an error body (service document 7.2). */
export function renderError(
  error: Pick<ServiceError, "errorCode" | "message" | "parameters"> & { status: number },
  { pretty, envelope }: Pick<Query, "pretty" | "envelope"> = { pretty: false, envelope: false },
): string {
  const entity = {
    detail: error.message,
    error: error.status,
    errorCode: error.errorCode,
    parameters: [...error.parameters],
    reason: STATUS_CODES[error.status] ?? "Unknown",
  };
  return stringify(envelope ? { status: error.status, content: entity } : entity, pretty);
}

function stringify(body: object, pretty: boolean): string {
  return JSON.stringify(body, undefined, pretty ? 2 : undefined);
}

function pageOf(
  { count, page }: Extract<OperationResult, { kind: "list" }>,
  { page: number, pageSize, includeCount }: Query,
  url: string,
  raw: RawQuery,
  { pageParameter, countField }: ListNames,
) {
  const from = (number - 1) * pageSize;
  const to = from + pageSize;
  const link = (rel: string, other: number): Link => {
    return { rel, href: pageUrl(url, { ...raw, [pageParameter]: String(other) }) };
  };
  const links = [
    { rel: "self", href: pageUrl(url, raw) },
    ...(number > 1 ? [link("previous", number - 1)] : []),
    ...(to < count ? [link("next", number + 1)] : []),
  ];
  return { links, results: page(from, to), ...(includeCount ? { [countField]: count } : {}) };
}

function pageUrl(url: string, raw: RawQuery): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(raw)) query.set(name, String(value));
  const text = query.toString();
  return text === "" ? url : `${url}?${text}`;
}

/** Content type of responses without versions, and of every error. */
export const jsonType = "application/json; charset=utf-8";

/** The dates of the versions of Atlas. Its versions of a single resource are some of them. */
const versionDates = [
  "2023-01-01",
  "2023-02-01",
  "2023-10-01",
  "2023-11-15",
  "2024-05-30",
  "2024-08-05",
  "2024-10-23",
  "2024-11-13",
  "2025-02-19",
  "2025-03-12",
];

/** The path of the older API of Atlas, which has no versions. */
const unversionedPath = "/api/atlas/v1.0";

/**
 * Returns the content type of a response. With the profile `atlas`, it is that of the newest version that is not newer
 * than the date in the `Accept` header. Its vendor is the client's, because services of this kind have different names.
 */
export function contentTypeOf({ profile, apiPath }: Settings, accept = ""): string {
  if (profile !== "atlas" || apiPath === unversionedPath) return jsonType;
  const [, vendor, requested] =
    /application\/vnd\.([\w-]+)\.(\d{4}-\d{2}-\d{2})\+json/.exec(accept) ?? [];
  const version = versionDates.findLast((date) => requested !== undefined && date <= requested);
  if (version !== undefined) return `application/vnd.${vendor}.${version}+json; charset=utf-8`;
  const detail =
    `The Accept header must contain a media type with a date from ${versionDates[0]} on, such as ` +
    `application/vnd.atlas.${versionDates.at(-1)}+json.`;
  throw new ServiceError(406, "INVALID_VERSION_DATE", detail, versionDates);
}
