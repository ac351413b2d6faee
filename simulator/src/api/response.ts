/** Renders response bodies: lists, envelopes, formatted JSON and errors (service document 4.3, 4.4 and 7.2). */
import { STATUS_CODES } from "node:http";
import Negotiator from "negotiator";
import { ServiceError } from "../errors";
import type { Settings } from "../seed/settings";
import type { Link } from "./entities";
import type { OperationResult } from "./operation";
import type { Query, RawQuery } from "./request";

export function renderResult(
  result: OperationResult,
  status: number,
  query: Query,
  url: string,
  raw: RawQuery,
): string {
  const { pretty, envelope } = query;
  if (result.kind === "list") {
    const page = pageOf(result, query, url, raw);
    return stringify(envelope ? { ...page, status } : page, pretty);
  }
  return stringify(envelope ? { status, content: result.entity } : result.entity, pretty);
}

/** Maximum number of cached pages of one list. */
const pagesPerList = 20;

/** Caches the rendered pages of unchanged lists: docs/internals/decisions.md#0014-measured-optimizations has the gain. */
export class PageCache {
  /** Pages by items and request target. When a list changes, its array is replaced, not mutated. */
  private readonly pages = new WeakMap<readonly unknown[], Map<string, string>>();

  /** Returns the body for a path and query, from the cache if the list is unchanged. */
  body(result: OperationResult, target: string, render: () => string): string {
    if (result.kind !== "list" || !result.unchangedItems) return render();
    const pages = this.pages.get(result.unchangedItems) ?? new Map<string, string>();
    const cached = pages.get(target);
    if (cached !== undefined) return cached;
    if (pages.size >= pagesPerList) pages.clear();
    const page = render();
    this.pages.set(result.unchangedItems, pages.set(target, page));
    return page;
  }
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
  { pageNum, itemsPerPage, includeCount }: Query,
  url: string,
  raw: RawQuery,
) {
  const from = (pageNum - 1) * itemsPerPage;
  const to = from + itemsPerPage;
  const links: Link[] = [{ rel: "self", href: pageUrl(url, raw) }];
  if (pageNum > 1) {
    links.push({ rel: "previous", href: pageUrl(url, { ...raw, pageNum: `${pageNum - 1}` }) });
  }
  if (to < count) {
    links.push({ rel: "next", href: pageUrl(url, { ...raw, pageNum: `${pageNum + 1}` }) });
  }
  return { links, results: page(from, to), ...(includeCount ? { totalCount: count } : {}) };
}

function pageUrl(url: string, raw: RawQuery): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(raw)) query.set(name, String(value));
  const text = query.toString();
  return text === "" ? url : `${url}?${text}`;
}

/** Content type of responses without versions, and of every error. */
export const jsonType = "application/json; charset=utf-8";

type Versions = NonNullable<Settings["versions"]>;

/**
 * Returns the content type of a response: that of the newest version that is not newer than the date in
 * the `Accept` header.
 */
export function contentTypeOf(versions: Versions | undefined, accept: string | undefined): string {
  if (versions === undefined) return jsonType;
  const dates = [...versions.dates].sort();
  const requested = requestedDate(accept, versions.vendor);
  const version = dates.findLast((date) => requested !== undefined && date <= requested);
  if (version === undefined) throw invalidDate(versions.vendor, dates);
  return `${mediaTypeOf(versions.vendor, version)}; charset=utf-8`;
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
