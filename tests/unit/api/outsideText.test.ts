/** What a service may put into a response, and how much of it is shown. */
import assert from "node:assert/strict";
import { inspect } from "node:util";
import type { ServerResponse } from "node:http";
import { ApiError, ResponseError } from "../../../provider/src/api/errors";
import {
  type ForeignService,
  type Handler,
  type ReceivedRequest,
  foreignService,
  sendJson,
  withDigest,
} from "../../foreignService";
import { testClient } from "./testClient";

const privateKey = 'k3y "w/é+r';
const apiKey = { kind: "apiKey", publicKey: "demo", privateKey } as const;

describe("text from the service", () => {
  let service: ForeignService | undefined;
  afterEach(() => {
    service?.stop();
    service = undefined;
  });

  /** The error of a listing that is answered by the handler. */
  async function failureOf(handler: Handler): Promise<ApiError> {
    service?.stop();
    service = await foreignService(handler);
    const client = testClient(service, { credentials: apiKey, retries: { retries: 0 } });
    try {
      await client.listClusters("p");
    } catch (error) {
      assert.ok(error instanceof ApiError, String(error));
      return error;
    }
    assert.fail("the call succeeds");
  }

  const answering = (status: number, body: unknown, headers: Record<string, string> = {}) =>
    withDigest((_request, response) => {
      sendJson(response, status, body, headers);
    });

  /** True if a key shows in the message or any part of the error, its cause included. */
  const shows = (error: Error, text: string) => inspect(error, { depth: 10 }).includes(text);

  const unsafe = "a\u001b[31mb\nc\u202ed\u2028e";
  const safe = "a\\u{1b}[31mb\\nc\\u{202e}d\\u{2028}e";

  it("is escaped in details, error codes and parameters", async () => {
    const body = {
      detail: unsafe,
      errorCode: unsafe,
      parameters: [unsafe, { [unsafe]: [unsafe] }],
    };
    const error = await failureOf(answering(400, body));
    assert.ok(error instanceof ResponseError);
    assert.ok(error.message.includes(`answered 400 ${safe}, "${safe}"`), error.message);
    assert.equal(error.errorCode, safe);
    assert.equal(error.detail, safe);
    assert.deepEqual(error.parameters, [safe, { [safe]: [safe] }]);
  });

  it("is escaped in the names of invalid fields", async () => {
    const fields = [{ field: unsafe, description: unsafe }];
    const { message } = await failureOf(answering(400, { badRequestDetail: { fields } }));
    assert.ok(message.includes(`${safe}: ${safe}`));
  });

  it("is not repeated in the problem of a malformed cluster", async () => {
    for (const key of [unsafe, privateKey]) {
      const connectionStrings = { awsPrivateLink: { [key]: 1 } };
      const body = { results: [{ name: "orders", connectionStrings }], totalCount: 1 };
      service?.stop();
      service = await foreignService(answering(200, body));
      const { malformed } = await testClient(service, { credentials: apiKey }).listClusters("p");
      assert.match(malformed[0]?.problem ?? "", /^connectionStrings\.awsPrivateLink: /);
      assert.ok(!(malformed[0]?.problem ?? "").includes(key));
    }
  });

  it("is escaped in authentication schemes", async () => {
    const { message } = await failureOf((_request, response) => {
      sendJson(response, 401, {}, { "www-authenticate": 'Bearer realm="\u0085"' });
    });
    assert.match(message, /it offers Bearer/);
    assert.doesNotMatch(message, /[\p{Cc}\p{Cf}]/u);
  });

  it("names only the origin of a redirect", async () => {
    const location = `https://user:pass@elsewhere.example/${"x".repeat(5000)}?token=abc`;
    const { message, code } = await failureOf(answering(302, "", { location }));
    assert.equal(code, "malformed-answer");
    assert.match(message, /a redirect to https:\/\/elsewhere\.example, which is not followed/);
    assert.doesNotMatch(message, /user|token|xxx/);
    assert.equal(service?.requests.length, 2);
  });

  it("names no target for a redirect within the service, or to no address", async () => {
    for (const location of ["/login", "javascript:alert(1)", "https://"]) {
      const { message } = await failureOf(answering(307, "", { location }));
      assert.match(message, /It is a redirect, which is not followed/);
    }
  });

  const json = (text: string) => JSON.stringify(text).slice(1, -1);
  const escaped = Array.from(
    privateKey,
    (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`,
  ).join("");
  const repeated: [how: string, body: string][] = [
    ["as it is", `{"detail": "you sent demo:${json(privateKey)}!"}`],
    ["in escapes of JSON", `{"detail": "you sent demo:${escaped}!"}`],
    ["percent-encoded", `{"detail": "you sent demo:${encodeURIComponent(privateKey)}!"}`],
    ["in Base64", `{"detail": "you sent demo:${Buffer.from(privateKey).toString("base64")}!"}`],
    [
      "in a message",
      `{"errorCode": "E", "status": "ERROR", "message": "you sent demo:${escaped}!"}`,
    ],
  ];
  for (const status of [200, 302, 400, 404, 500]) {
    for (const [how, body] of repeated) {
      it(`has the key masked that a ${status} repeats ${how}`, async () => {
        const error = await failureOf(answering(status, body));
        if (status !== 200) assert.match(error.message, /you sent demo:\[redacted\]=*!/);
        for (const text of ["k3y", privateKey, escaped, encodeURIComponent(privateKey)]) {
          assert.ok(!shows(error, text), error.message);
        }
      });
    }
  }

  it("has the key masked in error codes and parameters", async () => {
    const body = { errorCode: privateKey, parameters: [{ [privateKey]: [privateKey] }] };
    const error = await failureOf(answering(400, body));
    assert.ok(error instanceof ResponseError);
    assert.deepEqual(error.parameters, [{ "[redacted]": ["[redacted]"] }]);
    assert.ok(!shows(error, "k3y"));
  });

  it("has the key masked in a link that is followed, also when its request fails", async () => {
    const href = `/next?key=${encodeURIComponent(privateKey)}`;
    const page = { results: [{ name: "a" }], links: [{ rel: "next", href }] };
    for (const end of [
      (response: ServerResponse) => void response.destroy(),
      (response: ServerResponse) => {
        sendJson(response, 500, {});
      },
    ]) {
      const error = await failureOf(
        withDigest(({ path }, response) => {
          if (path.startsWith("/next")) end(response);
          else sendJson(response, 200, page);
        }),
      );
      assert.match(error.message, /^GET \/next\?key=\[redacted\]: /);
      assert.ok(!shows(error, "k3y"));
    }
  });

  it("has the digest hash and a service account's token and pair masked", async () => {
    const echo = ({ headers }: ReceivedRequest, response: ServerResponse) => {
      sendJson(response, 400, { detail: headers.authorization });
    };
    const digest = await failureOf(withDigest(echo));
    assert.match(digest.message, /username="demo".*response="\[redacted\]"/);

    const secret = { clientId: "svc", clientSecret: "svc-s3cret" };
    const credentials = { kind: "serviceAccount", tokenPath: "/token", ...secret } as const;
    for (const tokenStatus of [200, 400]) {
      service?.stop();
      service = await foreignService((request, response) => {
        if (request.path !== "/token" || tokenStatus !== 200) echo(request, response);
        else sendJson(response, 200, { access_token: "t0ken.abc", expires_in: 3600 });
      });
      const error = await testClient(service, { credentials })
        .listClusters("p")
        .then(
          () => assert.fail("the call succeeds"),
          (reason: unknown) => reason,
        );
      assert.ok(error instanceof ApiError);
      assert.match(error.message, tokenStatus === 200 ? /"Bearer \[redac/ : /"Basic \[redac/);
      for (const text of ["t0ken", "s3cret", Buffer.from("svc:svc-s3cret").toString("base64")]) {
        assert.ok(!shows(error, text));
      }
    }
  });

  it("is read from bodies with a message and a status in words", async () => {
    const body = { errorCode: "INVALID_STATE", message: "not now", status: "ERROR" };
    const { message } = await failureOf(answering(400, body));
    assert.match(message, /answered 400 INVALID_STATE, "not now"/);
  });

  it("is read from an error in an envelope", async () => {
    const content = { errorCode: "GROUP_NOT_FOUND", detail: "no such group" };
    const { message } = await failureOf(answering(404, { status: 404, content }));
    assert.match(message, /answered 404 GROUP_NOT_FOUND, "no such group"/);
  });

  const versions: [status: number, errorCode: string][] = [
    [406, "INVALID_VERSION_DATE"],
    [410, "VERSION_GONE"],
    [400, "ASYMMETRIC_SHARD_UNSUPPORTED"],
  ];
  for (const [status, errorCode] of versions) {
    it(`names mediaType for ${status} ${errorCode}`, async () => {
      const { message } = await failureOf(answering(status, { errorCode }));
      assert.match(message, /set mediaType to a version that it supports/);
    });
  }

  it("names the API access list where a 401 without a challenge does", async () => {
    const { code, message } = await failureOf((_request, response) => {
      sendJson(response, 401, { errorCode: "IP_ADDRESS_NOT_ON_ACCESS_LIST" });
    });
    assert.equal(code, "access-list");
    assert.match(message, /Add this machine's address/);
  });
});
