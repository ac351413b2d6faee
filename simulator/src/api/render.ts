// The bytes of a response: lists, envelopes, pretty printing and error bodies (service document
// 4.3, 4.4 and 7.2).
import { STATUS_CODES } from "node:http";
import type { ServiceError } from "../errors";
import type { Link } from "./documents";
import type { Answer } from "./operation";
import type { Query, RawQuery } from "./query";

/** @param url of the resource, without its query; the links of a list keep the query */
export function renderAnswer(
  answer: Answer,
  status: number,
  query: Query,
  url: string,
  raw: RawQuery,
): string {
  const text =
    answer.kind === "list"
      ? renderList(answer, query, url, raw)
      : query.envelope
        ? `{"status":${status},"content":${answer.json}}`
        : answer.json;
  return query.pretty ? prettyPrint(text) : text;
}

export function renderError(
  error: Pick<ServiceError, "errorCode" | "message" | "parameters"> & { status: number },
  pretty: boolean,
): string {
  const body = {
    detail: error.message,
    error: error.status,
    errorCode: error.errorCode,
    parameters: error.parameters,
    reason: STATUS_CODES[error.status] ?? "Unknown",
  };
  return pretty ? JSON.stringify(body, undefined, 2) : JSON.stringify(body);
}

function renderList(
  answer: Extract<Answer, { kind: "list" }>,
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
  if (to < answer.count) {
    links.push({ rel: "next", href: pageUrl(url, { ...raw, pageNum: `${pageNum + 1}` }) });
  }
  // The elements are JSON already; parsing them to print them again would cost most of the time.
  return (
    `{"links":${JSON.stringify(links)},"results":[${answer.page(from, to).join(",")}]` +
    (includeCount ? `,"totalCount":${answer.count}` : "") +
    `${envelope ? ',"status":200' : ""}}`
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
