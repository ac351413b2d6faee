import assert from "node:assert/strict";
import { ApiError } from "../../../provider/src/api/errors";
import { readResponse } from "../../../provider/src/api/responses";
import { privateIpMode } from "../../../provider/src/api/schemas";

describe("the error for a response that cannot be used", () => {
  const read = (body: string, status = 200) =>
    readResponse(
      { method: "GET", path: "/mode", attempt: 1 },
      { status, headers: {}, body },
      privateIpMode,
    );

  const enabled = { enabled: false };
  for (const [status, inner, code] of [
    [206, undefined, "malformed-response"],
    [203, undefined, "malformed-response"],
    [200, 404, "not-found"],
    [200, "404", "not-found"],
    [200, 503, "server"],
    [200, 206, "malformed-response"],
    [200, 0, "malformed-response"],
  ] as const) {
    it(`has the code ${code} after ${status} with ${JSON.stringify(inner)} in its envelope`, () => {
      const body = inner === undefined ? enabled : { status: inner, content: enabled };
      assert.throws(
        () => read(JSON.stringify(body), status),
        (error) => error instanceof ApiError && error.code === code,
      );
    });
  }

  it("has the status in the wrapper of a list, and the body of the envelope", () => {
    assert.throws(() => read('{"status": 500, "enabled": false, "results": []}'), /with 500/);
    const body = { status: 409, content: { errorCode: "PAUSED", detail: "no" } };
    assert.throws(() => read(JSON.stringify(body)), /responded with 409 PAUSED: "no"/);
  });

  for (const [what, body, message] of [
    ["was truncated", '{"enabled": tr', /the response was truncated after 14 bytes\. Try again\./],
    ["is HTML", "<html>", /does not match the service's documentation: it is not JSON \(HTML\)\./],
    ["is empty", "", /it is not JSON \(empty\)\. Check that baseUrl, apiPath and mediaType/],
    ["has another form", "{}", /the response does not match the service's documentation: enabled/],
    ["is nested too deeply", "[".repeat(70), /it is nested deeper than 64 levels\./],
    ["has a long list", `[${"0,".repeat(10_000)}0]`, /it contains a list of more than 10000 items/],
    [
      "has many values",
      `[${Array(101)
        .fill(`[${"0,".repeat(9_998)}0]`)
        .join(",")}]`,
      /it contains more than 1000000 values/,
    ],
  ] as const) {
    it(`says that it ${what}`, () => {
      assert.throws(() => read(body), message);
    });
  }
});
