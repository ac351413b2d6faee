import assert from "node:assert/strict";
import { readResponse } from "../../../provider/src/api/responses";
import { privateIpMode } from "../../../provider/src/api/schemas";

describe("the error for a response that cannot be used", () => {
  const read = (body: string) =>
    readResponse(
      { method: "GET", path: "/mode", attempt: 1 },
      { status: 200, headers: {}, body },
      privateIpMode,
    );

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
