import assert from "node:assert/strict";
import { ApiError, ResponseError } from "../../../provider/src/service/errors";
import { readResponse, responseError } from "../../../provider/src/service/responses";
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

  it("is read if its status is 200 or 201", () => {
    for (const status of [200, 201]) {
      assert.deepEqual(read({ enabled: false }, status), { enabled: false });
    }
    assert.deepEqual(read('{\n  "enabled": true\n}'), { enabled: true });
  });

  for (const status of [203, 204, 206]) {
    it(`is an error if its status is ${status}`, () => {
      assert.throws(
        () => read({ enabled: false }, status),
        (error) => error instanceof ResponseError && error.code === "malformed-response",
      );
    });
  }

  it("may have other fields", () => {
    assert.deepEqual(read({ enabled: false, links: [], status: "OK" }), { enabled: false });
  });

  const list = { results: [{ id: "a" }] };

  it("may have links and metadata under other names", () => {
    for (const others of [
      { relations: [{ name: "next", url: "/api/clusters?page=2" }], count: 1, content_type: "x" },
      { _links: { next: { href: "/x" } }, warnings: [{ code: "OLD" }], facets: [], labels: ["x"] },
    ]) {
      const schema = pageOf((item) => item, "totalCount");
      const { results } = readResponse(request, responseOf(200, { ...list, ...others }), schema);
      assert.deepEqual(results, list.results);
    }
  });

  it("is a page without a count if its count is not a whole number", () => {
    const schema = pageOf((item) => item, "totalCount");
    for (const totalCount of [undefined, null, "1", 1.5, -1]) {
      const page = readResponse(request, responseOf(200, { ...list, totalCount }), schema);
      assert.equal(page.count, undefined);
    }
  });

  for (const [what, body, message] of [
    ["was truncated", '{"enabled": tr', /the response was truncated after 14 bytes\. Try again\./],
    ["is HTML", "<html>", /does not match the service's documentation: it is not JSON \(HTML\)\./],
    [
      "is empty",
      "",
      /it is not JSON \(empty\)\. Check clouddb:baseUrl, clouddb:apiPath and clouddb:mediaType/,
    ],
    ["has another form", "{}", /the response does not match the service's documentation: enabled/],
    [
      "is the body of an error",
      { error: 500, errorCode: "UNEXPECTED_ERROR", detail: "x" },
      /the response does not match the service's documentation: enabled/,
    ],
    ["is nested deeply", "[".repeat(5000) + "]".repeat(5000), /does not match the service's doc/],
  ] as const) {
    it(`is an error that says that it ${what}`, () => {
      assert.throws(() => read(body), message);
    });
  }
});

describe("a failed response", () => {
  const errorOf = (status: number, body: unknown, headers?: Record<string, string>) =>
    responseError(request, responseOf(status, body, headers));

  const fields = [{ field: "enabld", description: "unknown" }];
  for (const [status, body, code, end] of [
    [401, "", "authentication", "Check the credentials, their roles and"],
    [401, { errorCode: "IP_NOT_ON_ACCESS_LIST" }, "access-list", "Add this machine's address"],
    [403, { errorCode: "IP_NOT_ON_WHITELIST" }, "access-list", "Add this machine's address"],
    [403, {}, "forbidden", "Check the roles of the API key or service account on this project"],
    [
      404,
      {},
      "not-found",
      "Check the project ID, clouddb:profile, clouddb:baseUrl and clouddb:apiPath.",
    ],
    [405, {}, "method-not-allowed", "The service does not offer this operation."],
    [
      406,
      { errorCode: "INVALID_VERSION_DATE" },
      "media-type",
      "Set clouddb:mediaType to one that it",
    ],
    [
      410,
      { errorCode: "VERSION_GONE" },
      "media-type",
      "Set clouddb:mediaType to one that it supports.",
    ],
    [415, {}, "media-type", "If it refuses only changes, set clouddb:profile to v2."],
    [
      400,
      { errorCode: "ASYMMETRIC_SHARD_UNSUPPORTED" },
      "media-type",
      "Set clouddb:mediaType to one",
    ],
    [409, "", "conflict", "The request conflicts with the current state of the resource."],
    [409, { errorCode: "CONFLICT" }, "conflict", "The request conflicts with the current state of"],
    [409, { errorCode: "CLUSTER_PAUSED" }, "service-refused", "The service refuses this in the"],
    [429, {}, "rate-limited", "Retry later, or lower clouddb:requestsPerMinute."],
    [400, { badRequestDetail: { fields } }, "invalid-field", 'enabld: unknown". The service'],
    [400, { errorCode: "CANNOT_CLOSE" }, "service-refused", "The service refuses this in the"],
    [422, {}, "invalid-field", "The service rejected the request as invalid. (GET /mode)"],
    [503, "", "server-error", "The error is on the service's side. Try again later."],
    [204, "", "malformed-response", "Check clouddb:baseUrl and clouddb:apiPath."],
  ] as const) {
    it(`is an error with the code ${code} and advice after a ${status} with ${JSON.stringify(body)}`, () => {
      const error = errorOf(status, body);
      assert.equal(error.code, code);
      assert.ok(error.message.startsWith(`the service responded with ${status}`));
      assert.ok(error.message.includes(end), error.message);
    });
  }

  it("names the settings of lists if a page is rejected", () => {
    const list = { ...request, path: "/clusters?pageNum=1" };
    assert.match(
      responseError(list, responseOf(400, {})).message,
      /as invalid\. Check clouddb:pageParameter, clouddb:pageSizeParameter and clouddb:countParameter\./,
    );
  });

  for (const [status, code, advice] of [
    [
      401,
      "authentication",
      "Check clouddb:baseUrl and clouddb:apiPath, and HTTPS_PROXY and NO_PROXY.",
    ],
    [403, "forbidden", "Check clouddb:baseUrl and clouddb:apiPath, and HTTPS_PROXY and NO_PROXY."],
    [502, "server-error", "Try again later."],
  ] as const) {
    for (const [content, body] of [
      ["HTML", "<html>Sign in</html>"],
      ["other text", "RBAC: access denied"],
    ] as const) {
      it(`says that something else may have sent a ${status} with ${content}`, () => {
        const error = errorOf(status, body);
        assert.equal(error.code, code);
        const start = `the service responded with ${status}. The response is ${content} instead of the service's JSON, so a proxy, a gateway or another server may have sent it.`;
        assert.ok(error.message.startsWith(`${start} ${advice} (GET `), error.message);
      });
    }
  }

  for (const [location, target] of [
    [`https://user:pass@h.example/${"x".repeat(5000)}?token=abc`, " to https://h.example"],
    ["/login", ""],
    ["javascript:alert(1)", ""],
    ["https://", ""],
  ] as const) {
    it(`names only the origin of a redirect to ${location.slice(0, 25)}`, () => {
      const { message, code } = errorOf(302, "", { location });
      assert.equal(code, "malformed-response");
      const end = `The response is a redirect${target}, which is not followed. Set clouddb:baseUrl to the service's own address.`;
      assert.ok(message.includes(`${end} (GET `), message);
    });
  }

  it("quotes the message of a body with a status", () => {
    const { message } = errorOf(400, { errorCode: "E", message: "no", status: "ERROR" });
    assert.ok(message.includes('responded with 400 E: "no". '));
  });

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

  it("is an ApiError with its request", () => {
    const error = errorOf(500, "");
    assert.ok(error instanceof ApiError);
    const { method, path, attempts, status } = error;
    assert.deepEqual([method, path, attempts, status], ["GET", "/mode", 1, 500]);
  });
});
