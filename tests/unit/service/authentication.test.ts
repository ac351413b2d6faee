import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import { inspect } from "node:util";
import { ResponseError } from "../../../provider/src/service/requestErrors";
import { redactedText } from "../../../provider/src/messages/text";
import {
  type Handler,
  type ReceivedRequest,
  respondWith,
  sendJson,
  withDigest,
} from "../../support/foreignService";
import { type TestSettings, useForeignClient } from "./testClient";

const privateKey = 'k3y "w/é+r';
const settings: TestSettings = { credentials: { kind: "apiKey", publicKey: "demo", privateKey } };

describe("credentials that a response repeats", () => {
  const foreign = useForeignClient();

  const responseError = (status: number, body: unknown) =>
    foreign.listError(withDigest(respondWith(status, body)), settings);

  /** Returns whether the error, including its cause, contains a string. */
  const contains = (error: Error, text: string) => inspect(error, { depth: 10 }).includes(text);

  it("are redacted in details and error codes", async () => {
    const detail = `you sent demo:${privateKey}!`;
    const error = await responseError(400, { detail, errorCode: privateKey });
    assert.ok(error instanceof ResponseError);
    assert.deepEqual([error.errorCode, error.detail], [redactedText, redactedText]);
    assert.ok(!contains(error, "k3y"));
  });

  const repeatAuthorization = ({ headers }: ReceivedRequest, response: ServerResponse) => {
    sendJson(response, 400, { detail: headers.authorization });
  };

  it("are redacted, including the digest hash", async () => {
    const { message } = await foreign.listError(withDigest(repeatAuthorization), settings);
    assert.match(
      message,
      /responded with 400: "\[redacted: contains the value of a secret setting\]"\. The/,
    );
  });

  it("are redacted, including the password of a proxy", async () => {
    const environment = process.env;
    // The proxy is not used, because its exclusion comes first.
    const excluded = { NO_PROXY: "*", no_proxy: "*" };
    process.env = {
      ...environment,
      ...excluded,
      HTTPS_PROXY: "http://user:pr0xy%2Fpass@127.0.0.1:9",
    };
    try {
      const { message } = await responseError(400, { detail: "the proxy sent user:pr0xy/pass" });
      assert.match(message, /"\[redacted: contains the value of a secret setting\]"/);
    } finally {
      process.env = environment;
    }
  });

  const account = {
    kind: "serviceAccount",
    clientId: "svc",
    clientSecret: "svc-s3cret",
    tokenPath: "/token",
    revokePath: "/revoke",
  } as const;
  for (const [what, tokenStatus, refuse] of [
    ["an access token", 200, repeatAuthorization],
    ["a service account's pair", 400, repeatAuthorization],
    ["a client secret", 400, respondWith(400, { detail: "svc-s3cret is wrong" })],
  ] as const) {
    it(`are redacted, including ${what}`, async () => {
      const handler: Handler = (request, response) => {
        const isIssued = request.path === "/token" && tokenStatus === 200;
        if (!isIssued) return refuse(request, response);
        sendJson(response, 200, { access_token: "t0ken.abc", expires_in: 3600 });
      };
      const error = await foreign.listError(handler, { credentials: account });
      assert.match(error.message, /"\[redacted: contains the value of a secret setting\]"/);
      for (const text of ["t0ken", "s3cret", Buffer.from("svc:svc-s3cret").toString("base64")]) {
        assert.ok(!contains(error, text));
      }
    });
  }
});
