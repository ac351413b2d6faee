/** Services that answer too much, or too deep. */
import assert from "node:assert/strict";
import type { ClientSettings } from "../../../provider/src/api/client";
import { chooseChallenge } from "../../../provider/src/api/digest";
import { ResponseError } from "../../../provider/src/api/errors";
import {
  type ForeignService,
  type Handler,
  foreignService,
  sendJson,
  withDigest,
} from "../../foreignService";
import { key } from "../../service";
import { failureOf, testClient } from "./testClient";

describe("bounds on responses", () => {
  let service: ForeignService;
  afterEach(() => {
    service.stop();
  });

  /** A client of a service that answers by the handler. Nothing is retried. */
  async function clientOf(handler: Handler, settings: Partial<ClientSettings> = {}) {
    service = await foreignService(handler);
    const own = { credentials: { kind: "apiKey", ...key }, retries: { retries: 0 } } as const;
    return testClient(service, { ...own, ...settings });
  }

  const failing = async (handler: Handler, settings: Partial<ClientSettings> = {}) =>
    await failureOf((await clientOf(handler, settings)).listClusters("p"));

  const answering = (status: number, body: unknown, headers: Record<string, string> = {}) =>
    withDigest((_request, response) => {
      sendJson(response, status, body, headers);
    });

  it("refuses a body of over 32 MB whose length is not announced", async () => {
    const piece = "x".repeat(1024 * 1024);
    const error = await failing(
      withDigest((_request, response) => {
        response.writeHead(200, { "content-type": "application/json" });
        for (let megabytes = 0; megabytes < 33; megabytes += 1) response.write(piece);
        response.end();
      }),
    );
    assert.equal(error.code, "malformed-answer");
    assert.match(error.message, /: the response exceeds the 32 MB limit\. Check that https:/);
    assert.equal(error.attempts, 1);
  });

  it("does not read an error body of over 64 KB", async () => {
    const error = await failing(answering(503, { detail: "x".repeat(70_000) }));
    assert.match(error.message, /answered 503 with a body of 69 KB\. The service failed/);
    assert.ok(error.message.length < 400);
  });

  it("does not read an error body that is nested too deep", async () => {
    const body = `{"errorCode": "E", "parameters": ${"[".repeat(10_000)}${"]".repeat(10_000)}}`;
    const error = await failing(answering(400, body));
    assert.match(error.message, /answered 400 with a body that is nested deeper than 64 levels\./);
  });

  it("shortens details, error codes, parameters and the list of invalid fields", async () => {
    const fields = Array.from({ length: 300 }, () => ({ field: "f", description: "wrong" }));
    const detail = "d".repeat(5000);
    const deep = [[[[["too deep"]]]]];
    const parameters = [deep, ...Array.from({ length: 50 }, () => "p".repeat(800))];
    const body = {
      detail,
      errorCode: "E".repeat(5000),
      parameters,
      badRequestDetail: { fields },
    };
    const error = await failing(answering(400, body));
    assert.ok(error instanceof ResponseError);
    assert.equal(error.errorCode, `${"E".repeat(100)}…`);
    assert.equal(error.detail, `${"d".repeat(500)}…`);
    assert.equal(error.parameters.length, 20);
    assert.deepEqual(error.parameters[0], [["…"]]);
    assert.ok(JSON.stringify(error.parameters).length < 5000);
    assert.ok(error.message.length < 1000);
  });

  it("refuses JSON that is nested too deep", async () => {
    const body = `{"results": ${"[".repeat(1_000_000)}${"]".repeat(1_000_000)}}`;
    const error = await failing(answering(200, body));
    assert.equal(error.code, "malformed-answer");
    assert.match(error.message, /nested deeper than 64 levels/);
  });

  it("lists the first five problems of a malformed cluster", async () => {
    const privateEndpoint = Array.from({ length: 500 }, () => 1);
    const results = [{ name: "orders", connectionStrings: { privateEndpoint } }];
    const client = await clientOf(answering(200, { results, totalCount: 1 }));
    const { malformed } = await client.listClusters("p");
    assert.match(
      malformed[0]?.problem ?? "",
      /^connectionStrings\.privateEndpoint: .*; and 495 more$/,
    );
    assert.ok((malformed[0]?.problem ?? "").length < 1000);
  });

  it("refuses a page of 30 MB of numbers within 2 s and 400 MB", async () => {
    const body = Buffer.from(`{"results": [${"1,".repeat(15_000_000)}1]}`);
    const client = await clientOf(
      withDigest((_request, response) => {
        response.writeHead(200).end(body);
      }),
    );
    const memory = process.memoryUsage().rss;
    const begun = performance.now();
    const error = await failureOf(client.listClusters("p"));
    assert.match(error.message, /a list of more than 10000 items/);
    assert.ok(performance.now() - begun < 2000, `${performance.now() - begun} ms`);
    assert.ok(process.memoryUsage().rss - memory < 400 * 1024 * 1024);
  });

  it("refuses headers of over 16 KB", async () => {
    for (const size of [20_000, 3_000_000]) {
      const error = await failing((_request, response) => {
        sendJson(response, 401, {}, { "www-authenticate": `Digest realm="${"r".repeat(size)}"` });
      });
      assert.equal(error.code, "malformed-answer");
      assert.match(error.message, /the response's headers exceed the 16 KB limit/);
      service.stop();
    }
  });

  it("reads challenges of megabytes, and thousands of them, within 2 s", () => {
    const begun = performance.now();
    const right = 'Digest realm="r", nonce="n", qop="auth"';
    for (const part of ["Basic ", "a=b,", '"', 'a="b', "\\", " ", "x y=", ",", 'A b=" c,']) {
      chooseChallenge([`Digest realm="${part.repeat(5_000_000 / part.length)}`]);
      chooseChallenge([part.repeat(5_000_000 / part.length)]);
    }
    const many = Array.from({ length: 100_000 }, () => 'Basic realm="x"');
    assert.equal(chooseChallenge([right, ...many])?.nonce, "n");
    assert.equal(chooseChallenge([many.slice(0, 500).join(", "), right])?.nonce, "n");
    assert.ok(performance.now() - begun < 2000);
  });

  const account = { kind: "serviceAccount", tokenPath: "/token", clientId: "svc" } as const;
  const credentials = { ...account, clientSecret: "svc-secret" };

  it("renews a token after a day, whatever its expires_in", async () => {
    for (const lifetime of ["1e308", "9007199254740993", "1e9"]) {
      const client = await clientOf(
        ({ path }, response) => {
          const token = `{"access_token": "token", "expires_in": ${lifetime}}`;
          sendJson(response, 200, path === "/token" ? token : { results: [] });
        },
        { credentials },
      );
      const now = Date.now;
      try {
        await client.listClusters("p");
        Date.now = () => now() + 22 * 3600 * 1000;
        await client.listClusters("p");
      } finally {
        Date.now = now;
      }
      const tokens = service.requests.filter(({ path }) => path === "/token");
      assert.equal(tokens.length, 2, lifetime);
      service.stop();
    }
  });

  it("refuses a token that no header can carry", async () => {
    for (const token of ["a\nb", "é", "x".repeat(10_000)]) {
      const error = await failing(
        (_request, response) => {
          sendJson(response, 200, { access_token: token, expires_in: 3600 });
        },
        { credentials },
      );
      assert.equal(error.code, "malformed-answer");
      assert.match(error.message, /^POST \/token: the access token /);
      service.stop();
    }
  });
});
