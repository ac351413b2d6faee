import assert from "node:assert/strict";
import { ResponseError } from "../../../provider/src/service/requestErrors";
import { readResponse, responseError } from "../../../provider/src/service/responses";
import type { ServiceRequest } from "../../../provider/src/service/exchange";
import { pageRequest } from "../../../provider/src/service/paging";
import { pageOf, privateIpMode } from "../../../provider/src/service/schemas";
import { defaultListNames } from "../../../provider/src/settings/settings";
import { checkCode } from "../../support/messageCodes";

const request = { method: "GET", path: "/mode", accept: "application/json", attempt: 1 } as const;

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

  it("is an error if its status is 206, because its body may be partial", () => {
    assert.throws(
      () => read({ enabled: false }, 206),
      (error) => error instanceof ResponseError && error.code === "malformed-response",
    );
  });

  it("may have other fields", () => {
    assert.deepEqual(read({ enabled: false, links: [], status: "OK" }), { enabled: false });
  });

  it("is a page without a count if its count is not a whole number", () => {
    const schema = pageOf((item) => item, "totalCount");
    for (const totalCount of [undefined, null, "1", 1.5, -1]) {
      const body = { results: [{ id: "a" }], totalCount, _links: { next: { href: "/x" } } };
      const page = readResponse(request, responseOf(200, body), schema);
      assert.deepEqual(page, { results: body.results, count: undefined });
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
    [401, "", "authentication", "Check the credentials in the settings, their roles and"],
    [401, { errorCode: "IP_NOT_ON_ACCESS_LIST" }, "access-list", "Add this machine's address"],
    [403, { errorCode: "IP_NOT_ON_WHITELIST" }, "access-list", "Add this machine's address"],
    [403, { message: "IP_NOT_ON_ACCESS_LIST" }, "access-list", "Add this machine's address"],
    [
      403,
      {},
      "forbidden",
      "Unless the text says otherwise, the API key or service account needs a role that may read this project (in Atlas, Project Read Only)",
    ],
    [404, {}, "not-found", "Check the project ID, clouddb:profile, clouddb:baseUrl and clouddb"],
    [404, { parameters: ["groupId"] }, "not-found", "Check the project ID, clouddb:profile"],
    [405, {}, "method-not-allowed", "The service does not offer this operation."],
    [406, {}, "media-type", "to one that it supports, such as application/vnd.atlas.2025-03-12+js"],
    [
      410,
      { errorCode: "VERSION_GONE" },
      "media-type",
      "Set clouddb:profile to atlas, or clouddb:me",
    ],
    [415, {}, "media-type", "Set clouddb:profile to atlas, or"],
    [409, "", "conflict", "The request conflicts with the current state of the resource."],
    [409, { errorCode: "CONFLICT" }, "conflict", "the current state of the resource. Try again."],
    [409, { errorCode: "VERSION_MISMATCH" }, "conflict", "Try again."],
    [409, { errorCode: "RESOURCE_VERSION_MISMATCH" }, "conflict", "Try again."],
    [412, { errorCode: "PRECONDITION_FAILED" }, "conflict", "Try again."],
    [409, { errorCode: "CLUSTER_PAUSED" }, "service-refused", "Resolve its reason in the service"],
    [429, {}, "rate-limited", "Retry later."],
    [400, { badRequestDetail: { fields } }, "invalid-field", 'enabld: unknown". The service'],
    [
      400,
      { errorCode: "INVALID_ACCESS_LIST_ENTRY" },
      "invalid-field",
      "The service rejected the re",
    ],
    [400, { errorCode: "CANNOT_CLOSE" }, "service-refused", "Resolve its reason in the service"],
    [422, {}, "invalid-field", "The service rejected the request as invalid. (GET /mode)"],
    [400, { message: "no", status: "ERROR" }, "invalid-field", '400: "no". The service rejected'],
    [503, "", "server-error", "The error is on the service's side. Try again later."],
    [202, "", "malformed-response", "The service accepted the request and may apply it later."],
    [204, "", "malformed-response", "Check clouddb:baseUrl and clouddb:apiPath."],
    [304, "", "malformed-response", "Check clouddb:baseUrl and clouddb:apiPath."],
  ] as const) {
    it(`is an error with the code ${code} and advice after a ${status} with ${JSON.stringify(body)}`, () => {
      const error = errorOf(status, body);
      assert.equal(error.code, code);
      assert.ok(error.message.startsWith(`the service responded with ${status}`));
      assert.ok(error.message.includes(end), error.message);
    });
  }

  const list = pageRequest({ ...request, path: "/groups/p/clusters" }, 1, defaultListNames);
  const detail =
    "Version 2024-08-05 of API v2 has no query parameter pageNum, or the project ID or the version of the resource has changed.";
  for (const [status, code] of [
    [400, "invalid-field"],
    [404, "not-found"],
    [405, "method-not-allowed"],
    [409, "conflict"],
    [412, "conflict"],
    [422, "invalid-field"],
    [429, "rate-limited"],
    [504, "server-error"],
    [524, "server-error"],
  ] as const) {
    it(`is an error with the code ${code} after a ${status}, whatever it says in words`, () => {
      const error = responseError(list, responseOf(status, { detail }));
      assert.equal(error.code, code);
      assert.doesNotMatch(error.message, /mediaType|pageParameter|not the name/);
    });
  }

  const check = "Check clouddb:baseUrl and clouddb:apiPath, and HTTPS_PROXY and NO_PROXY.";
  for (const [status, body, content, code, advice] of [
    [401, "<html>Sign in</html>", "HTML", "authentication", check],
    [403, "RBAC: access denied", "other text", "forbidden", check],
    [400, "Bad Request", "other text", "invalid-field", check],
    [500, "<html>Bad gateway</html>", "HTML", "server-error", "Try again later."],
  ] as const) {
    it(`says that something else may have sent a ${status} with ${content}`, () => {
      const error = errorOf(status, body);
      assert.equal(error.code, code);
      const start = `the service responded with ${status}. The response is ${content} instead of the service's JSON, so a proxy, a gateway or another server may have sent it.`;
      assert.ok(error.message.startsWith(`${start} ${advice} (GET `), error.message);
    });
  }

  it("says when to try again after a 429 with HTML, whoever sent it", () => {
    const { message } = errorOf(429, "<html>Slow down</html>", { "retry-after": "7" });
    assert.match(message, /^the service responded with 429\. Retry in 7 s\./);
  });

  for (const [location, target] of [
    [`https://user:pass@h.example/${"x".repeat(5000)}?token=abc`, " to https://h.example"],
    ["http://h.example/login", " to http://h.example"],
    ["/login", ""],
    ["javascript:alert(1)", ""],
  ] as const) {
    it(`names only the origin of a redirect to ${location.slice(0, 25)}`, () => {
      const { message, code } = errorOf(302, "<p>Moved</p>", { location });
      assert.equal(code, "malformed-response");
      const end = `The response is a redirect${target}, which is not followed. Set clouddb:baseUrl to the service's own address.`;
      assert.ok(message.includes(`${end} (GET `), message);
    });
  }

  it("is no redirect if its status is 202, whatever its location", () => {
    const { message } = errorOf(202, "", { location: "https://h.example/jobs/1" });
    assert.match(message, /The service accepted the request and may apply it later\. \(/);
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
});

describe("a failed request for a token", () => {
  const post = { ...request, method: "POST" } as const;
  const limit = { errorCode: "ANY", detail: "Access Token limit reached" };
  const description = { error: "invalid_client", error_description: "The secret expired." };
  for (const [circumstance, status, body, code, advice] of [
    [undefined, 400, description, "authentication", '400: "The secret expired." The service acc'],
    [undefined, 401, {}, "authentication", "Check clouddb:clientId, clouddb:clientSecret and"],
    [undefined, 403, limit, "forbidden", 'limit reached". Check that the service account is act'],
    [undefined, 402, {}, "service-refused", "Resolve its reason in the service"],
    [undefined, 404, {}, "not-found", "not issue tokens. Check clouddb:tokenPath and clouddb:"],
    [undefined, 406, {}, "not-found", "This path does not issue tokens. Check clouddb:token"],
    [undefined, 415, {}, "invalid-field", "Check clouddb:baseUrl and clouddb:tokenPath."],
    [undefined, 429, {}, "rate-limited", "Share one token between all processes:"],
    [
      undefined,
      401,
      { error: "invalid_client" },
      "authentication",
      "Also check clouddb:baseUrl, becau",
    ],
    ["revocation", 401, {}, "authentication", "Check clouddb:clientId, clouddb:clientSecret and"],
    ["revocation", 404, {}, "not-found", "This path does not revoke tokens."],
    ["revocation", 500, {}, "server-error", "The error is on the service's side."],
  ] as const) {
    it(`says what to do after a ${status} to a ${circumstance ?? "request"}`, () => {
      const error = responseError(post, responseOf(status, body), circumstance);
      assert.equal(error.code, code);
      assert.ok(error.message.includes(advice), error.message);
    });
  }

  it("names the setting of the path if it gets a page", () => {
    assert.throws(
      () => readResponse(post, responseOf(200, "<p>"), privateIpMode),
      /it is not JSON \(HTML\)\. Check clouddb:baseUrl and clouddb:tokenPath\./,
    );
  });
});

describe("the advice for a failed response", () => {
  const list: ServiceRequest = pageRequest(
    { ...request, path: "/groups/p/clusters" },
    1,
    defaultListNames,
  );
  const atFurtherPath = { ...list, origins: { ...list.origins, serverless: "clusterPaths" } };
  const names = { ...defaultListNames, pageParameter: "page", countParameter: "page[count]" };
  const renamed = pageRequest({ ...request, path: "/groups/p/clusters" }, 1, names);
  const dated = (date: string) => ({ ...list, accept: `application/vnd.atlas.${date}+json` });
  const change = { ...dated("2024-11-13"), method: "PATCH", origins: {} } as const;
  const withBody = (type: string) => ({ ...change, body: { type, text: "{}" } });
  const fieldProblem = (field: string) => ({
    badRequestDetail: { fields: [{ field, description: "must be valid" }] },
  });

  const sentBy = (credentials: "apiKey" | "serviceAccount" | "accessToken") => ({
    ...list,
    credentials,
  });
  const unauthorized = {
    reason: "Unauthorized",
    detail: "You are not authorized for this resource.",
  };

  const rejected = /The service rejected the request as invalid\. \(/;
  const anySetting = /clouddb:/;
  const pageSettings = /pageParameter|pageSizeParameter|countParameter/;
  const query = "/groups/p/clusters?pageNum=1&includeCount=true";
  const groups: [
    about: string,
    has: RegExp,
    hasNot: RegExp | undefined,
    responses: [of: ServiceRequest, status: number, body: object][],
  ][] = [
    [
      "asks for another version of the API",
      /Set clouddb:profile to atlas, or clouddb:mediaType to one that it supports/,
      pageSettings,
      [
        [list, 400, { errorCode: "ASYMMETRIC_SHARD_UNSUPPORTED" }],
        [list, 400, { errorCode: "ASYMMETRIC_HARDWARE_INVALID" }],
        [list, 400, { errorCode: "UNSUPPORTED_API_VERSION" }],
        [list, 422, { errorCode: "INVALID_VERSION_DATE" }],
        [list, 400, { errorCode: "VERSION_NOT_SUPPORTED" }],
        [list, 400, { errorCode: "RESOURCE_VERSION_GONE" }],
      ],
    ],
    [
      "names no setting, because the version or the parameter is that of something else",
      rejected,
      anySetting,
      [
        [list, 400, { errorCode: "CLUSTER_VERSION_DEPRECATED" }],
        [list, 400, { errorCode: "INVALID", parameters: ["The project ID", "/groups/p/clusters"] }],
        [list, 400, { errorCode: "UNEXPECTED", parameters: [query] }],
        [renamed, 400, { errorCode: "INVALID", parameters: ["The page is gone."] }],
      ],
    ],
    [
      "asks for the ID of the project",
      /Check the project ID, which is not the name of the project\./,
      anySetting,
      [
        [list, 400, { errorCode: "INVALID_GROUP_ID", detail: "An invalid ID was specified." }],
        [list, 400, { errorCode: "VALIDATION_ERROR", ...fieldProblem("groupId") }],
        [list, 400, { errorCode: "INVALID_ATTRIBUTE", parameters: ["projectId"] }],
      ],
    ],
    [
      "asks only for the project ID if the service does not know it",
      /The service has no such project\. Check the project ID, which is not its name\. \(GET/,
      anySetting,
      [[list, 404, { errorCode: "GROUP_NOT_FOUND" }]],
    ],
    [
      "names the settings with the API key, and the address of its environment",
      /Check the credentials in clouddb:publicKey and clouddb:privateKey, their roles and their access list\. Also check clouddb:baseUrl, because credentials belong to one environment/,
      /clientId|accessToken|doctor/,
      [[sentBy("apiKey"), 401, unauthorized]],
    ],
    [
      "names the settings with the service account, and the address of its environment",
      /Check the credentials in clouddb:clientId and clouddb:clientSecret, .* Also check clouddb:baseUrl/,
      /publicKey|accessToken/,
      [[sentBy("serviceAccount"), 401, unauthorized]],
    ],
    [
      "names the setting with the token, and the address of its environment",
      /The token in clouddb:accessToken may have expired .*CLOUDDB_ACCESS_TOKEN=\$\(npx --no pulumi-clouddb token\).* Also check clouddb:baseUrl/,
      /publicKey|clientId/,
      [[sentBy("accessToken"), 401, unauthorized]],
    ],
    [
      "names usual causes, unless the text gives another one",
      /\." Unless the text says otherwise, the API key needs a role that may read this project \(in Atlas, Project Read Only\), its API access list lacks this machine's address, or a policy of the organization forbids the request\. \(/,
      anySetting,
      [
        [
          sentBy("apiKey"),
          403,
          { detail: "This resource requires access through a whitelist of ip ranges." },
        ],
      ],
    ],
    [
      "names the service account as that of the token",
      /the service account of the token needs a role that may read this project/,
      anySetting,
      [[sentBy("accessToken"), 403, {}]],
    ],
    [
      "names the role that a change needs",
      /the API key needs a role that may change the settings of this project \(in Atlas, Project Owner\), its API/,
      anySetting,
      [[{ ...sentBy("apiKey"), method: "PATCH" }, 403, {}]],
    ],
    [
      "names the list, or the role that the request needs, if the error code names the list",
      /Add this machine's address to the API access list of the service account\. If the list contains it, the service account needs a role that may read this project \(in Atlas, Project Read Only\)\. \(/,
      anySetting,
      [
        [
          sentBy("serviceAccount"),
          401,
          {
            errorCode: "API_KEY_ACCESS_LIST_ACCESS_DENIED",
            detail:
              "API key access lists are only accessible by the API key or by an administrator.",
          },
        ],
      ],
    ],
    [
      "leads to doctor if the address, the profile or the project may be wrong",
      /Check the project ID, clouddb:profile, clouddb:baseUrl and clouddb:apiPath\. To check them, run npx --no pulumi-clouddb doctor --stack NAME in the program's folder\. \(/,
      /mediaType/,
      [[list, 404, { errorCode: "RESOURCE_NOT_FOUND", detail: "No such resource in API v2." }]],
    ],
    [
      "names no setting",
      /The service refused the request\. Resolve its reason/,
      anySetting,
      [[list, 402, {}]],
    ],
    [
      "names a further path and its setting",
      /no list of clusters at the path serverless\. Remove it from clouddb:clusterPaths\. \(/,
      /project ID|profile|mediaType|apiPath/,
      [
        [atFurtherPath, 404, { errorCode: "RESOURCE_NOT_FOUND", parameters: [query] }],
        [atFurtherPath, 405, {}],
        [atFurtherPath, 410, {}],
      ],
    ],
    [
      "asks for a newer date",
      /a newer date than 2023-01-01, such as application\/vnd\.atlas\.2025-03-12\+json\./,
      /profile/,
      [
        [dated("2023-01-01"), 410, { errorCode: "VERSION_GONE" }],
        [dated("2023-01-01"), 410, {}],
      ],
    ],
    [
      "asks for a newer date, and names a further path of which no version may be left",
      /a newer date than 2023-01-01, such as \S+\+json\. If no version of the path serverless is left, remove it from clouddb:clusterPaths\. \(/,
      /profile/,
      [
        [
          { ...atFurtherPath, accept: dated("2023-01-01").accept },
          410,
          { errorCode: "VERSION_GONE" },
        ],
      ],
    ],
    [
      "asks for a newer date without an example if the date is as new as that",
      /a newer date than 2025-03-12\. \(/,
      /profile/,
      [[dated("2025-03-12"), 410, { errorCode: "VERSION_GONE" }]],
    ],
    [
      "asks for another date",
      /Set clouddb:mediaType to one with another date than 2024-11-13/,
      /profile|pageParameter|clusterPaths/,
      [
        [dated("2024-11-13"), 406, { errorCode: "INVALID_VERSION_DATE" }],
        [withBody(change.accept), 415, {}],
        [withBody("application/json"), 406, {}],
        [{ ...atFurtherPath, accept: change.accept }, 415, {}],
      ],
    ],
    [
      "asks for the profile if a change is sent without the version",
      /Set clouddb:profile to atlas, which also sends clouddb:mediaType with changes\./,
      undefined,
      [[withBody("application/json"), 415, {}]],
    ],
  ];

  for (const [about, has, hasNot, responses] of groups) {
    for (const [of, status, body] of responses) {
      it(`${about} after a ${status} with ${JSON.stringify(body)}`, () => {
        const { message, code } = responseError(of, responseOf(status, body));
        assert.match(message, has);
        if (hasNot !== undefined) assert.doesNotMatch(message, hasNot);
        checkCode(message, code);
      });
    }
  }

  for (const [setting, of, body] of [
    ["pageParameter", list, fieldProblem("pageNum")],
    ["pageSizeParameter", list, { parameters: ["itemsPerPage"] }],
    ["pageParameter", renamed, { errorCode: "INVALID_QUERY_PARAMETER", parameters: ["page"] }],
    ["countParameter", renamed, { parameters: ["page[count]"] }],
  ] as const) {
    it(`names the setting of the parameter in ${JSON.stringify(body)}`, () => {
      const { message, code } = responseError(of, responseOf(400, body));
      assert.equal(code, "invalid-field");
      assert.ok(message.includes(`Set clouddb:${setting} to the service's name for it.`), message);
    });
  }
});
