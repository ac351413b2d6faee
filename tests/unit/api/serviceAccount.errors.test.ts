import assert from "node:assert/strict";
import type { ServiceResponse } from "../../../provider/src/api/exchange";
import { withServiceAccount } from "../../../provider/src/api/serviceAccount";

const account = { clientId: "svc", clientSecret: "secret", tokenPath: "/token" };

/** Sends a request with a service account whose token request gets a response. */
function sendWith(response: Pick<ServiceResponse, "status" | "body">) {
  const exchange = withServiceAccount(account, () => Promise.resolve({ headers: {}, ...response }));
  return exchange({ method: "GET", path: "/clusters", attempt: 1 });
}

const tokenBody = (access_token: string) => JSON.stringify({ access_token, expires_in: 3600 });

describe("the error after a failed token request", () => {
  for (const [status, message] of [
    [401, "The service account was refused: check clientId and clientSecret, and that"],
    [403, "Check that the service account's API access list contains this machine's address."],
    [404, "The service issues no tokens at this path: check tokenPath and baseUrl."],
  ] as const) {
    it(`with ${status} says: ${message}`, async () => {
      await assert.rejects(sendWith({ status, body: "{}" }), (error: Error) =>
        error.message.includes(message),
      );
    });
  }

  it("says that a token is too long for a header", async () => {
    await assert.rejects(
      sendWith({ status: 200, body: tokenBody("x".repeat(10_000)) }),
      /POST \/token: the access token is longer than 8192 characters\. Check that tokenPath and baseUrl are those of the service\./,
    );
  });

  it("says that a token contains invalid characters", async () => {
    await assert.rejects(
      sendWith({ status: 200, body: tokenBody("a b") }),
      /the access token contains characters that are invalid in an HTTP header\./,
    );
  });
});
