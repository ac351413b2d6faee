/** Renders response bodies: lists, envelopes, formatted JSON and errors (service document 4.3, 4.4 and 7.2). */
import { STATUS_CODES } from "node:http";
import type { ServiceError } from "../store/serviceError";
import type { ErrorEntity, Link } from "./entities";
import type { OperationResult } from "./operation";
import type { Query, RawQuery } from "./query";

/**
 * Renders the body of a successful response.
 *
 * @param result the result of the operation
 * @param status the HTTP status, for envelopes
 * @param query the parsed query parameters
 * @param url URL of the resource without the query
 * @param raw the query parameters, which the links of a list retain
 * @returns the body
 */
export function renderResult(
  result: OperationResult,
  status: number,
  query: Query,
  url: string,
  raw: RawQuery,
): string {
  const text =
    result.kind === "list"
      ? renderList(result, status, query, url, raw)
      : query.envelope
        ? `{"status":${status},"content":${result.json}}`
        : result.json;
  return query.pretty ? prettyPrint(text) : text;
}

/**
 * Renders an error body (service document 7.2).
 *
 * @param error status, code, message and parameters
 * @param format whether to format the JSON, and to wrap it. Default: neither
 * @returns the body
 */
export function renderError(
  error: Pick<ServiceError, "errorCode" | "message" | "parameters"> & { status: number },
  { pretty, envelope }: Pick<Query, "pretty" | "envelope"> = { pretty: false, envelope: false },
): string {
  const entity: ErrorEntity = {
    detail: error.message,
    error: error.status,
    errorCode: error.errorCode,
    parameters: [...error.parameters],
    reason: STATUS_CODES[error.status] ?? "Unknown",
  };
  const body = envelope ? { status: error.status, content: entity } : entity;
  return pretty ? JSON.stringify(body, undefined, 2) : JSON.stringify(body);
}

function renderList(
  result: Extract<OperationResult, { kind: "list" }>,
  status: number,
  query: Query,
  url: string,
  raw: RawQuery,
): string {
  const { pageNum, itemsPerPage, includeCount, envelope } = query;
  const from = (pageNum - 1) * itemsPerPage;
  const to = from + itemsPerPage;
  const links: Link[] = [{ rel: "self", href: pageUrl(url, raw) }];
  if (pageNum > 1) {
    links.push({ rel: "previous", href: pageUrl(url, { ...raw, pageNum: `${pageNum - 1}` }) });
  }
  if (to < result.count) {
    links.push({ rel: "next", href: pageUrl(url, { ...raw, pageNum: `${pageNum + 1}` }) });
  }
  // The items are cached JSON text. Concatenating it is much faster than serializing objects.
  return (
    `{"links":${JSON.stringify(links)},"results":[${result.page(from, to).join(",")}]` +
    (includeCount ? `,"totalCount":${result.count}` : "") +
    (envelope ? `,"status":${status}}` : "}")
  );
}

function pageUrl(url: string, raw: RawQuery): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(raw)) query.set(name, String(value));
  const text = query.toString();
  return text === "" ? url : `${url}?${text}`;
}

function prettyPrint(json: string): string {
  const value: unknown = JSON.parse(json);
  return JSON.stringify(value, undefined, 2);
}
