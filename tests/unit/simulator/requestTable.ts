/** Reads the tests in `requests.md`, and sends their requests. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { STATUS_CODES } from "node:http";
import { join } from "node:path";
import {
  type ErrorBody,
  type Response,
  type Service,
  apiPath,
  call,
  projectId,
  send,
} from "./client";
import { foreignProjectId, key, otherProjectId } from "./seeds";

/** A test in the table. */
export interface TableTest {
  readonly subject: string;
  readonly title: string;
  /** Settings of the simulator for this test. */
  readonly settings?: object;
  readonly lines: readonly Line[];
}

/** A request and its answer. */
interface Line {
  readonly text: string;
  readonly request: Readonly<Record<string, string | undefined>>;
  readonly answer: Readonly<Record<string, string | undefined>>;
}

const abbreviations: Readonly<Record<string, string>> = {
  API: apiPath,
  ID: projectId,
  PROJECT: `${apiPath}/groups/${projectId}`,
  CLUSTERS: `${apiPath}/groups/${projectId}/clusters`,
  CONTROL: `/control/projects/${projectId}`,
  DOMAIN: "ab1cd.clusters.example",
  OTHER: otherProjectId,
  FOREIGN: foreignProjectId,
  MISSING: "64a0c0ffee000000000000ff",
};

const header = /(?: +\((?<header>[\w-]+: [^)]+)\))?/.source;
const requestForm = new RegExp(
  /^(?:(?<caller>\w+)(?: from (?<address>[\d.]+))?: +)?(?<method>[A-Z]+) +(?<path>\/\S*)/.source +
    `${header}(?: +(?<body>\\S.*))?$`,
);
const answerForm = new RegExp(
  /^(?<status>[1-5]\d\d)(?: (?<errorCode>[A-Z_]+)(?: (?<parameters>[^{"]+?))?(?: "(?<detail>[^"]+)")?)?/
    .source + `${header}(?: (?<body>\\{.*\\}))?$`,
);

/** Returns the tests of the table. Throws an error for a line that it does not understand. */
export function readTable(): TableTest[] {
  const text = readFileSync(join(__dirname, "requests.md"), "utf8");
  const [, ...subjects] = text.split(/^## /m);
  return subjects.flatMap((section) => {
    const [heading = "", ...tests] = section.split(/^### /m);
    const subject = heading.trim();
    assert.ok(!subject.includes("\n"), `not a heading: ${subject}`);
    return tests.map((test) => readTest(subject, test));
  });
}

function readTest(subject: string, text: string): TableTest {
  const [title = "", ...lines] = text.split("\n").filter((line) => line !== "");
  const [first = ""] = lines;
  const settings = /^ {4}settings (\{.*\})$/.exec(first)?.[1];
  const requests = lines.slice(settings === undefined ? 0 : 1).map(readLine);
  assert.ok(requests.length > 0, `no requests: ${title}`);
  const read = { subject, title, lines: requests };
  return settings === undefined ? read : { ...read, settings: JSON.parse(settings) as object };
}

/** Reads a line. Throws an error if it is not a request and its answer. */
function readLine(text: string): Line {
  const [, left = "", right = ""] = /^ {4}(\S.*?) +-> (\S.*)$/.exec(text) ?? [];
  const request = requestForm.exec(expand(left))?.groups;
  const answer = answerForm.exec(expand(right))?.groups;
  assert.ok(request && answer, `not a request and its answer: ${text}`);
  const isError = Number(answer.status) >= 400;
  assert.equal(answer.errorCode !== undefined, isError, `only an error has a code: ${text}`);
  return { text: text.trim(), request, answer };
}

function expand(text: string): string {
  return text.replace(/\b[A-Z]+\b/g, (word) => abbreviations[word] ?? word);
}

/** Sends the request of a line, and compares the answer. */
export async function check(service: Service, line: Line): Promise<void> {
  const { answer } = line;
  const response = await request(service, line.request);
  const { status, headers, text } = response;
  assert.equal(status, Number(answer.status), `${line.text}\n${text}`);
  const [name = "", value] = answer.header?.split(/: (.*)/) ?? [];
  assert.equal(headers[name], value, line.text);
  const query = new URL(line.request.path ?? "", service.url).searchParams;
  const body = JSON.parse(text) as unknown;
  const indent = query.get("pretty") === "true" ? 2 : undefined;
  assert.equal(text, JSON.stringify(body, undefined, indent), line.text);
  if (answer.errorCode !== undefined) checkError(response, query.get("envelope") === "true", line);
  if (answer.body !== undefined) assertContains(body, JSON.parse(answer.body), line.text);
}

function request(
  service: Service,
  { caller = "demo", address: localAddress, method, path = "", header, body }: Line["request"],
): Promise<Response> {
  const [name = "", value = ""] = header?.split(/: (.*)/) ?? [];
  const headers: Record<string, string> = {
    ...(body === undefined ? {} : { "content-type": "application/json" }),
    ...(header === undefined ? {} : { [name]: value }),
  };
  const sending = { method, headers, body, localAddress };
  const isPublic = caller === "anonymous" || path.startsWith("/control/");
  return isPublic
    ? send(service, path, sending)
    : call({ ...service, apiPath: "" }, path, { ...sending, key: key(caller) });
}

/** Compares an error, and verifies its form (service document 7.2). */
function checkError({ status, headers, text }: Response, inEnvelope: boolean, line: Line): void {
  const { errorCode, parameters, detail: expected = "" } = line.answer;
  const { content, ...outer } = inEnvelope
    ? (JSON.parse(text) as { content: ErrorBody; status: number })
    : { content: JSON.parse(text) as ErrorBody };
  assert.deepEqual(outer, inEnvelope ? { status } : {}, line.text);
  const { detail, parameters: actual, ...others } = content;
  assert.deepEqual(others, { error: status, errorCode, reason: STATUS_CODES[status] }, line.text);
  assert.ok(detail.length > 10 && detail.includes(expected), `${line.text}\n${detail}`);
  assert.ok(Array.isArray(actual), line.text);
  if (parameters !== undefined) assert.equal(actual.join(", "), parameters, line.text);
  assert.equal(headers["content-type"], "application/json; charset=utf-8", line.text);
  assert.equal(headers["www-authenticate"] !== undefined, status === 401, line.text);
}

/** Asserts that a value contains another. An object may have more properties, but none that is null in the other. */
function assertContains(actual: unknown, expected: unknown, line: string): void {
  if (typeof expected !== "object" || expected === null) {
    assert.deepEqual(actual ?? null, expected, line);
    return;
  }
  assert.ok(typeof actual === "object" && actual !== null, line);
  if (Array.isArray(expected)) assert.equal(Object.keys(actual).length, expected.length, line);
  for (const [name, value] of Object.entries(expected)) {
    assertContains(Reflect.get(actual, name), value, `${line}: ${name}`);
  }
}
