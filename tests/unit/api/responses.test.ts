import assert from "node:assert/strict";
import { ResponseError } from "../../../provider/src/api/errors";
import { sendJson, withDigest } from "../../foreignService";
import { setUpServices } from "./testClient";

describe("the error after a failed response", () => {
  const services = setUpServices();

  const responseError = (status: number, body: unknown, headers: Record<string, string> = {}) =>
    services.listError(
      withDigest((_request, response) => {
        sendJson(response, status, body, headers);
      }),
    );

  const unsafe = "a\u001b[31mb\nc\u202ed\u2028e";
  const safe = "a\\u{1b}[31mb\\nc\\u{202e}d\\u{2028}e";

  it("escapes details, error codes and parameters", async () => {
    const body = {
      detail: unsafe,
      errorCode: unsafe,
      parameters: [unsafe, { [unsafe]: [unsafe] }],
    };
    const error = await responseError(400, body);
    assert.ok(error instanceof ResponseError);
    assert.ok(error.message.includes(`responded with 400 ${safe}: "${safe}"`), error.message);
    assert.equal(error.errorCode, safe);
    assert.equal(error.detail, safe);
    assert.deepEqual(error.parameters, [safe, { [safe]: [safe] }]);
  });

  it("escapes the names of invalid fields", async () => {
    const fields = [{ field: unsafe, description: unsafe }];
    const { message } = await responseError(400, { badRequestDetail: { fields } });
    assert.ok(message.includes(`${safe}: ${safe}`));
  });

  it("escapes authentication schemes", async () => {
    const { message } = await services.listError((_request, response) => {
      sendJson(response, 401, {}, { "www-authenticate": 'Bearer realm="\u0085"' });
    });
    assert.match(message, /it offers Bearer/);
    assert.doesNotMatch(message, /[\p{Cc}\p{Cf}]/u);
  });

  it("names only the origin of a redirect", async () => {
    const location = `https://user:pass@elsewhere.example/${"x".repeat(5000)}?token=abc`;
    const { message, code } = await responseError(302, "", { location });
    assert.equal(code, "malformed-response");
    assert.match(message, /a redirect to https:\/\/elsewhere\.example, which is not followed/);
    assert.doesNotMatch(message, /user|token|xxx/);
    assert.equal(services.requests.length, 2);
  });

  for (const location of ["/login", "javascript:alert(1)", "https://"]) {
    it(`does not name the target of a redirect to ${location}`, async () => {
      const { message } = await responseError(307, "", { location });
      assert.match(message, /The response is a redirect, which is not followed/);
    });
  }

  it("quotes the message of a body whose status is a word", async () => {
    const body = { errorCode: "INVALID_STATE", message: "not now", status: "ERROR" };
    const { message } = await responseError(400, body);
    assert.match(message, /responded with 400 INVALID_STATE: "not now"/);
  });

  it("quotes the detail of an error in an envelope", async () => {
    const content = { errorCode: "GROUP_NOT_FOUND", detail: "no such group" };
    const { message } = await responseError(404, { status: 404, content });
    assert.match(message, /responded with 404 GROUP_NOT_FOUND: "no such group"/);
  });

  for (const [status, errorCode] of [
    [406, "INVALID_VERSION_DATE"],
    [410, "VERSION_GONE"],
    [400, "ASYMMETRIC_SHARD_UNSUPPORTED"],
  ] as const) {
    it(`recommends mediaType after ${status} ${errorCode}`, async () => {
      const { message } = await responseError(status, { errorCode });
      assert.match(message, /set mediaType to a version that it supports/);
    });
  }

  it("recommends the API access list after a 401 that names it and contains no challenge", async () => {
    const { code, message } = await services.listError((_request, response) => {
      sendJson(response, 401, { errorCode: "IP_ADDRESS_NOT_ON_ACCESS_LIST" });
    });
    assert.equal(code, "access-list");
    assert.match(message, /Add this machine's address/);
  });
});
