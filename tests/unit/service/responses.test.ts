import assert from "node:assert/strict";
import { withCode } from "../../../provider/src/messages/codes";
import fc from "fast-check";
import { ApiError, ResponseError } from "../../../provider/src/service/errors";
import { parseJson, readResponse, responseError } from "../../../provider/src/service/responses";
import { pageOf, privateIpMode } from "../../../provider/src/service/schemas";

const request = { method: "GET", path: "/mode", attempt: 1 } as const;

/** Returns a response. A body that is not text is sent as JSON. */
const responseOf = (status: number, body: unknown, headers: Record<string, string> = {}) => ({
  status,
  headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]])),
  body: typeof body === "string" ? body : JSON.stringify(body),
});

describe("a successful response", () => {
  const read = (body: unknown, status = 200) =>
    readResponse(request, responseOf(status, body), privateIpMode);

  it("is read with or without an envelope", () => {
    for (const status of [200, 201]) {
      assert.deepEqual(read({ enabled: false }, status), { enabled: false });
    }
    for (const field of ["content", "envelope"]) {
      const body = JSON.stringify({ status: 200, [field]: { enabled: true } }, undefined, 2);
      assert.deepEqual(read(body), { enabled: true });
    }
  });

  const content = { enabled: false };
  for (const [status, body, code] of [
    [206, content, "malformed-response"],
    [203, content, "malformed-response"],
    [200, { status: 404, content }, "not-found"],
    [200, { status: "404", content }, "not-found"],
    [200, { status: 503, content }, "server-error"],
    [200, { status: 206, content }, "malformed-response"],
    [200, { status: 0, content }, "malformed-response"],
    [200, { status: 500, enabled: false, results: [] }, "server-error"],
    [200, { status: 200, content: { status: 403, enabled: false } }, "forbidden"],
    [200, { enabled: false, errorCode: "UNEXPECTED_ERROR" }, "malformed-response"],
    [200, { status: 200, content: { enabled: false, errorCode: "E" } }, "malformed-response"],
  ] as const) {
    it(`is a failure with the code ${code} if it is a ${status} with ${JSON.stringify(body)}`, () => {
      assert.throws(
        () => read(body, status),
        (error) => error instanceof ResponseError && error.code === code,
      );
    });
  }

  const list = { results: [{ id: "a" }] };
  const both = /it has an envelope with other fields than status and the entity\./;
  for (const [body, message] of [
    [{ status: 200, content, ...list }, both],
    [{ status: 200, content: list, ...list }, both],
    [{ status: 200, content: list, envelope: list }, both],
    [{ status: 200, content: list, envelope: null }, both],
    [{ status: "200", content: list, ...list }, both],
    [{ content, ...list }, both],
    [{ envelope: list, results: [] }, both],
    [{ status: 200, content: { content, results: [] } }, both],
    [{ status: 200, content: { status: 200, content: list } }, /: results: /],
    [{ status: 200, data: list }, /: results: /],
    [{ status: { toString: null }, results: {} }, /: results: /],
    [{ ...list, clusters: [{ id: { toString: null } }] }, /: expected records/],
    [{ status: 201, content: list }, /it has the status 201, but that of the response is 200\./],
    [{ status: 201, ...list }, /it has the status 201, but that of the response is 200\./],
    [{ ...list, clusters: [{ id: "b" }] }, /: expected records only in results/],
    [{ ...list, _embedded: { clusters: list.results } }, /: expected records only in results/],
    [{ ...list, x: [0, { dbVersion: "6.0.5", dbMajorVersion: "6.0" }] }, /: expected records/],
    [{ status: 200, content: { ...list, items: [{ name: "b", id: "b" }] } }, /: expected records/],
  ] as const) {
    it(`is an error if a record could be ignored: ${JSON.stringify(body)}`, () => {
      const schema = pageOf((each) => each);
      assert.throws(() => readResponse(request, responseOf(200, body), schema), message);
    });
  }

  it("may have links and metadata under other names", () => {
    for (const others of [
      { relations: [{ name: "next", url: "/api/clusters?page=2" }], count: 1, content_type: "x" },
      { _links: { next: { href: "/x" } }, warnings: [{ code: "OLD" }], facets: [], labels: ["x"] },
    ]) {
      const schema = pageOf((each) => each);
      const { results } = readResponse(request, responseOf(200, { ...list, ...others }), schema);
      assert.deepEqual(results, list.results);
    }
  });

  for (const [what, body, message] of [
    ["was truncated", '{"enabled": tr', /the response was truncated after 14 bytes\. Try again\./],
    ["is HTML", "<html>", /does not match the service's documentation: it is not JSON \(HTML\)\./],
    ["is empty", "", /it is not JSON \(empty\)\. Check that baseUrl, apiPath and mediaType/],
    ["has another form", "{}", /the response does not match the service's documentation: enabled/],
    ["is nested too deeply", "[".repeat(70), /it is nested deeper than 64 levels\./],
  ] as const) {
    it(`is an error that says that it ${what}`, () => {
      assert.throws(() => read(body), message);
    });
  }
});

describe("a failed response", () => {
  const errorOf = (status: number, body: unknown, headers?: Record<string, string>) =>
    responseError(request, responseOf(status, body, headers));

  for (const [status, errorCode, detail] of [
    [401, "USER_UNAUTHORIZED", "This credential has no role in project 64a0c0ffee0000000000a001."],
    [
      429,
      "RATE_LIMITED",
      "Project 64a0c0ffee0000000000a001 is limited to 100 requests per minute.",
    ],
  ] as const) {
    it(`has a short message after a ${status}, with the period of the detail alone`, () => {
      const headers = { "retry-after": "86400" };
      const { message, code } = errorOf(status, { errorCode, detail }, headers);
      assert.ok(withCode(message, code).length < 200, message);
      assert.ok(message.includes(`"${detail}" `), message);
    });
  }

  const fields = [{ field: "enabld", description: "unknown" }];
  for (const [status, body, code, end] of [
    [401, "", "authentication", "Check the credentials, their roles and"],
    [401, { errorCode: "IP_NOT_ON_ACCESS_LIST" }, "access-list", "Add this machine's address"],
    [403, { errorCode: "IP_NOT_ON_WHITELIST" }, "access-list", "Add this machine's address"],
    [403, {}, "forbidden", "Check the roles of the API key or service account on this project"],
    [404, {}, "not-found", "Check the project ID, and that baseUrl and apiPath are those of the s"],
    [405, {}, "method-not-allowed", "The service does not offer this operation."],
    [406, { errorCode: "INVALID_VERSION_DATE" }, "media-type", "The service does not serve"],
    [410, { errorCode: "VERSION_GONE" }, "media-type", "The service does not serve this resou"],
    [400, { errorCode: "ASYMMETRIC_SHARD_UNSUPPORTED" }, "media-type", "does not serve"],
    [409, "", "conflict", "The request conflicts with the current state of the resource."],
    [409, { errorCode: "CONFLICT" }, "conflict", "The request conflicts with the current state of"],
    [409, { errorCode: "DUPLICATE_NAME" }, "conflict", "A resource with this name or value"],
    [
      409,
      { errorCode: "CUSTOM_ROLE_IN_USE_BY_USERS" },
      "service-refused",
      "The service refuses this",
    ],
    [
      409,
      { errorCode: "CUSTOM_ROLE_IN_USE_BY_ROLES" },
      "service-refused",
      "The service refuses this",
    ],
    [409, { errorCode: "NAME_ALREADY_IN_USE_BY_PROJECT" }, "conflict", "A resource with this name"],
    [
      409,
      { errorCode: "CLUSTER_PAUSED" },
      "service-refused",
      "The service refuses this in the current",
    ],
    [429, {}, "rate-limited", "Retry later, or lower requestsPerMinute."],
    [400, { badRequestDetail: { fields } }, "invalid-field", 'enabld: unknown". The service'],
    [
      400,
      { errorCode: "CANNOT_CLOSE" },
      "service-refused",
      "The service rejected the request as invalid.",
    ],
    [503, "<html>", "server-error", "The error is on the service's side. Try again later."],
    [204, "", "malformed-response", "Check that baseUrl and apiPath are those of the service."],
  ] as const) {
    it(`is an error with the code ${code} and advice after a ${status} with ${JSON.stringify(body)}`, () => {
      const error = errorOf(status, body);
      assert.equal(error.code, code);
      assert.ok(error.message.startsWith(`the service responded with ${status}`));
      assert.ok(error.message.includes(end), error.message);
    });
  }

  for (const [location, target] of [
    [`https://user:pass@h.example/${"x".repeat(5000)}?token=abc`, " to https://h.example"],
    ["/login", ""],
    ["javascript:alert(1)", ""],
    ["https://", ""],
  ] as const) {
    it(`names only the origin of a redirect to ${location.slice(0, 25)}`, () => {
      const { problem, code } = errorOf(302, "", { location });
      assert.equal(code, "malformed-response");
      const end = `The response is a redirect${target}, which is not followed. Set baseUrl to the service's own address.`;
      assert.ok(problem.endsWith(end), problem);
    });
  }

  for (const [what, status, body, quoted] of [
    ["a body with a status", 400, { errorCode: "E", message: "no", status: "ERROR" }, 'E: "no"'],
    ["an envelope", 409, { status: 409, content: { errorCode: "E", detail: "no" } }, 'E: "no"'],
  ] as const) {
    it(`quotes the message of ${what}`, () => {
      assert.ok(errorOf(status, body).message.includes(`responded with ${status} ${quoted}. `));
    });
  }

  it("is described without control characters", () => {
    const unsafe = "a\u001b[31mb\nc\u202ed\u2028e";
    const safe = "a\\u{1b}[31mb\\nc\\u{202e}d\\u{2028}e";
    const error = errorOf(400, {
      detail: unsafe,
      errorCode: unsafe,
      badRequestDetail: { fields: [{ field: unsafe, description: unsafe }] },
    });
    assert.ok(error.message.includes(`with 400 ${safe}: "${safe}; ${safe}: ${safe}"`));
    assert.equal(error.errorCode, safe);
  });

  it("is described with details, error codes and invalid fields of limited length", () => {
    const error = errorOf(400, {
      detail: "d".repeat(5000),
      errorCode: "E".repeat(5000),
      badRequestDetail: { fields: Array.from({ length: 300 }, () => fields[0]) },
    });
    assert.equal(error.errorCode, `${"E".repeat(100)}…`);
    assert.equal(error.detail, `${"d".repeat(500)}…`);
    assert.ok(error.message.length < 1000);
  });

  for (const [what, body, unread] of [
    ["over 64 KB", { detail: "x".repeat(70_000) }, "of 69 KB"],
    ["nested too deeply", "[".repeat(10_000), "that is nested deeper than 64 levels"],
  ] as const) {
    it(`is not read if its body is ${what}`, () => {
      const { message } = errorOf(503, body);
      assert.match(
        message,
        new RegExp(`with 503 and a body ${unread}\\. The error is on the service`),
      );
      assert.ok(message.length < 400);
    });
  }

  it("is an ApiError with its request", () => {
    const error = errorOf(500, "");
    assert.ok(error instanceof ApiError);
    const { method, path, attempts, status } = error;
    assert.deepEqual([method, path, attempts, status], ["GET", "/mode", 1, 500]);
  });
});

describe("the JSON of a response", () => {
  it("is parsed as JSON.parse parses it", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value);
        const parsed: unknown = JSON.parse(text);
        assert.deepEqual(parseJson(text), { kind: "json", value: parsed });
      }),
    );
  });

  it("is reported as notJson when it is invalid", () => {
    for (const text of ["", "<html>", '{"results": [', "[1,]", "]]]", '{"a"']) {
      assert.deepEqual(parseJson(text), { kind: "notJson" });
    }
  });

  const nested = (levels: number) => "[".repeat(levels) + "]".repeat(levels);
  const listOf = (count: number) => `[${"1,".repeat(count - 1)}1]`;
  const bounds: [what: string, within: string, over: string, problem: RegExp][] = [
    ["nesting", nested(64), nested(65), /deeper than 64 levels/],
    ["the items of an array", listOf(10_000), listOf(10_001), /a list of more than 10000 items/],
    [
      "the values of a response",
      `[${"[1,1,1,1,1],".repeat(9_000)}1]`,
      `[${`${listOf(9_001)},`.repeat(200)}1]`,
      /more than 1000000 values/,
    ],
  ];
  for (const [what, within, over, problem] of bounds) {
    it(`is rejected when it exceeds the limit on ${what}`, () => {
      assert.equal(parseJson(within).kind, "json");
      const parsed = parseJson(over);
      assert.ok(parsed.kind === "outOfBounds");
      assert.match(parsed.problem, problem);
    });
  }

  it("is rejected when an object has two members with one name", () => {
    for (const text of [
      '{"a": 1, "a": 2}',
      '[{"results": [], "x": {"a": {}, "b": [{"a": 1}]}, "r\\u0065sults" : []}]',
    ]) {
      const problem = "contains a name twice in one object";
      assert.deepEqual(parseJson(text), { kind: "outOfBounds", problem });
    }
    const distinct = '[{"a": "a", "b": ["a", "a"], "c": {"a": 1}}, {"a": 1}]';
    assert.equal(parseJson(distinct).kind, "json");
  });

  it("is checked without the brackets and commas in strings", () => {
    const text = JSON.stringify({ name: `${"[,".repeat(50_000)}\\"\\` });
    assert.equal(parseJson(text).kind, "json");
  });

  it("is checked in linear time", () => {
    const start = performance.now();
    for (const part of ["[", "1,", '"', '\\"', '"\\', "[[],", '{"a":']) {
      parseJson(`[${part.repeat(10_000_000 / part.length)}`);
    }
    parseJson("[".repeat(30_000_000));
    assert.ok(performance.now() - start < 5000);
  });
});
