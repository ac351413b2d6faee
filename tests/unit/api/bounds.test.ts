/** Services that answer too much, too deep or never. */
import assert from "node:assert/strict";
import { ApiError, ResponseError } from "../../../provider/src/api/errors";
import { chooseChallenge } from "../../../provider/src/api/digest";
import { retryAfterSeconds } from "../../../provider/src/api/retryAfter";
import type { ClientSettings } from "../../../provider/src/api/client";
import {
  type ForeignService,
  type Handler,
  foreignService,
  sendChallenge,
  sendJson,
  withDigest,
} from "../../foreignService";
import { key } from "../../service";
import { testClient } from "./testClient";

const apiKey = { kind: "apiKey", ...key } as const;

describe("a service out of bounds", () => {
  let service: ForeignService;
  afterEach(() => {
    service.stop();
  });

  async function clientOf(handler: Handler, settings: Partial<ClientSettings> = {}) {
    service = await foreignService(handler);
    return testClient(service, {
      credentials: apiKey,
      requestsPerMinute: 1000,
      retries: { retries: 0 },
      ...settings,
    });
  }

  async function failureOf(handler: Handler, settings: Partial<ClientSettings> = {}) {
    return await rejectionOf((await clientOf(handler, settings)).listClusters("p"));
  }

  async function rejectionOf(call: Promise<unknown>): Promise<ApiError> {
    const error = await call.then(
      () => assert.fail("the call succeeds"),
      (reason: unknown) => reason,
    );
    assert.ok(error instanceof ApiError, String(error));
    return error;
  }

  const answering = (status: number, body: unknown, headers: Record<string, string> = {}) =>
    withDigest((_request, response) => {
      sendJson(response, status, body, headers);
    });

  describe("in size", () => {
    it("fails for a body of over 32 MB whose length is not announced", async () => {
      const piece = "x".repeat(1024 * 1024);
      const error = await failureOf(
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
      const error = await failureOf(answering(503, { detail: "x".repeat(70_000) }));
      assert.match(error.message, /answered 503 with a body of 69 KB\. The service failed/);
      assert.ok(error.message.length < 400);
    });

    it("does not read an error body that is nested too deep", async () => {
      const body = `{"errorCode": "E", "parameters": ${"[".repeat(10_000)}${"]".repeat(10_000)}}`;
      const error = await failureOf(answering(400, body));
      assert.match(
        error.message,
        /answered 400 with a body that is nested deeper than 64 levels\./,
      );
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
      const error = await failureOf(answering(400, body));
      assert.ok(error instanceof ResponseError);
      assert.equal(error.errorCode, `${"E".repeat(100)}…`);
      assert.equal(error.detail, `${"d".repeat(500)}…`);
      assert.equal(error.parameters.length, 20);
      assert.deepEqual(error.parameters[0], [["…"]]);
      assert.ok(JSON.stringify(error.parameters).length < 5000);
      assert.ok(error.message.length < 1000);
    });

    it("fails for JSON that is nested too deep", async () => {
      const body = `{"results": ${"[".repeat(1_000_000)}${"]".repeat(1_000_000)}}`;
      const error = await failureOf(answering(200, body));
      assert.equal(error.code, "malformed-answer");
      assert.match(error.message, /nested deeper than 64 levels/);
    });

    it("tells five problems of a malformed page", async () => {
      const results = Array.from({ length: 500 }, () => ({ name: 1 }));
      const { message } = await failureOf(answering(200, { results, totalCount: 500 }));
      assert.match(message, /results\.4\.name: [^;]*; and 495 more\. Check/);
      assert.doesNotMatch(message, /results\.5/);
    });

    it("fails for a page of 30 MB of numbers in moments, in moderate memory", async () => {
      const body = Buffer.from(`{"results": [${"1,".repeat(15_000_000)}1]}`);
      const client = await clientOf(
        withDigest((_request, response) => {
          response.writeHead(200).end(body);
        }),
      );
      const memory = process.memoryUsage().rss;
      const begun = performance.now();
      const error = await rejectionOf(client.listClusters("p"));
      assert.match(error.message, /a list of more than 10000 items/);
      assert.ok(performance.now() - begun < 2000, `${performance.now() - begun} ms`);
      assert.ok(process.memoryUsage().rss - memory < 400 * 1024 * 1024);
    });

    it("fails for headers of over 16 KB", async () => {
      for (const size of [20_000, 3_000_000]) {
        const error = await failureOf((_request, response) => {
          sendJson(response, 401, {}, { "www-authenticate": `Digest realm="${"r".repeat(size)}"` });
        });
        assert.equal(error.code, "malformed-answer");
        assert.match(error.message, /the response's headers exceed the 16 KB limit/);
        service.stop();
      }
    });

    it("reads challenges of megabytes, and thousands of them, in moments", () => {
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
  });

  describe("in what it says of tokens", () => {
    const account = { kind: "serviceAccount", tokenPath: "/token", clientId: "svc" } as const;
    const credentials = { ...account, clientSecret: "svc-secret" };

    it("has a token used for a day at most", async () => {
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

    it("fails at once for a token that no header can carry", async () => {
      for (const token of ["a\nb", "é", "x".repeat(10_000)]) {
        const error = await failureOf(
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

  describe("in time", () => {
    const listings = async (handler: Handler, settings: Partial<ClientSettings> = {}) => {
      const client = await clientOf(handler, settings);
      const begun = performance.now();
      const results = await Promise.allSettled(
        Array.from({ length: 20 }, (_, index) => client.listClusters(`p${index}`)),
      );
      const errors = results.flatMap((result) =>
        result.status === "rejected" ? [result.reason as unknown] : [],
      );
      return { errors, seconds: (performance.now() - begun) / 1000 };
    };

    it("is asked in parallel where it sends no challenge", async () => {
      const { errors, seconds } = await listings((_request, response) => {
        setTimeout(() => {
          sendJson(response, 200, { results: [], totalCount: 0 });
        }, 200);
      });
      assert.deepEqual(errors, []);
      assert.ok(seconds < 1.5, `${seconds} s`);
      assert.equal(service.requests.length, 20);
    });

    it("is answered where it begins to send challenges later", async () => {
      let isOpen = true;
      const client = await clientOf(({ headers }, response) => {
        if (isOpen || headers.authorization !== undefined) {
          sendJson(response, 200, { results: [], totalCount: 0 });
        } else {
          sendChallenge(response);
        }
      });
      await client.listClusters("p");
      isOpen = false;
      await Promise.all([client.listClusters("p"), client.listClusters("q")]);
      assert.ok(service.requests.some(({ headers }) => headers.authorization !== undefined));
    });

    it("fails all waiting requests after one timeout, each with its own path", async () => {
      const { errors, seconds } = await listings(() => undefined, { requestTimeoutSeconds: 0.4 });
      assert.ok(seconds < 1.2, `${seconds} s`);
      assert.equal(errors.length, 20);
      for (const [index, error] of errors.entries()) {
        assert.ok(error instanceof ApiError);
        assert.equal(error.code, "timeout");
        assert.match(error.path, new RegExp(`/groups/p${index}/`));
        assert.match(error.message, /no response from https:.* within 0\.4 s/);
      }
    });

    it("fails all requests in parallel where it fails slowly", async () => {
      const { errors, seconds } = await listings((_request, response) => {
        setTimeout(() => {
          sendJson(response, 503, {});
        }, 200);
      });
      assert.equal(errors.length, 20);
      assert.ok(seconds < 1.5, `${seconds} s`);
    });

    it("is asked again by those who wait for a request that its caller ended", async () => {
      let asked = 0;
      const client = await clientOf(
        ({ headers }, response) => {
          asked += 1;
          if (headers.authorization !== undefined) sendJson(response, 200, { results: [] });
          else if (asked > 1) sendChallenge(response);
        },
        { callTimeoutSeconds: 0.5 },
      );
      const first = rejectionOf(client.listClusters("p"));
      await new Promise((resolve) => setTimeout(resolve, 250));
      const second = client.listClusters("q");
      assert.match((await first).message, /timed out after 0\.5 s in total/);
      assert.deepEqual(await second, []);
    });
  });

  describe("in its authentication", () => {
    it("fails at once where a 401 has no digest challenge", async () => {
      for (const [header, offers] of [
        [{}, "it sends no challenge"],
        [{ "www-authenticate": 'Bearer realm="x", Basic realm="y"' }, "it offers Bearer, Basic"],
        [{ "www-authenticate": 'Digest realm="x", nonce="n"' }, "it offers Digest"],
      ] as const) {
        const error = await failureOf((_request, response) => {
          sendJson(response, 401, {}, header);
        });
        assert.equal(error.code, "authentication");
        assert.match(error.message, /The service offers no digest authentication/);
        assert.ok(error.message.includes(`(${offers})`), error.message);
        assert.match(error.message, /a service account may be needed/);
        assert.equal(service.requests.length, 1);
        service.stop();
      }
    });

    for (const [times, succeeds] of [
      [3, true],
      [4, false],
    ] as const) {
      it(`${succeeds ? "succeeds" : "fails"} after ${times} stale nonces in a row`, async () => {
        let stale = 0;
        const handler: Handler = ({ headers }, response) => {
          if (headers.authorization === undefined) {
            sendChallenge(response);
          } else if (stale < times) {
            stale += 1;
            sendChallenge(response, { nonce: `n${stale}`, stale: true });
          } else {
            sendJson(response, 200, { results: [] });
          }
        };
        if (succeeds) {
          assert.deepEqual(await (await clientOf(handler)).listClusters("p"), []);
          return;
        }
        const error = await failureOf(handler);
        assert.equal(error.code, "authentication");
        assert.match(error.message, /keeps calling its own nonces stale/);
        assert.doesNotMatch(error.message, /Check the API key/);
      });
    }

    it("is not asked a third time where it refuses the key", async () => {
      const error = await failureOf((_request, response) => {
        sendChallenge(response);
      });
      assert.match(error.message, /Check the API key/);
      assert.equal(service.requests.length, 2);
    });
  });

  describe("in what it says of waits", () => {
    const now = Date.UTC(2026, 0, 1, 12, 0, 0);
    const cases: [header: string, value: string, seconds: number | undefined][] = [
      ["retry-after", "17", 17],
      ["retry-after", " 1.5 ", 2],
      ["retry-after", "0", 1],
      ["retry-after", "-5", undefined],
      ["retry-after", "1e9", undefined],
      ["retry-after", "soon", undefined],
      ["retry-after", "2026-01-01", undefined],
      ["retry-after", "9".repeat(400), 86_400],
      ["retry-after", "Thu, 01 Jan 2026 12:00:30 GMT", 30],
      ["retry-after", "Thursday, 01-Jan-26 12:00:30 GMT", 30],
      ["retry-after", "Thu, 01 Jan 2026 11:00:00 GMT", 1],
      ["retry-after", "Thu, 01 Jan 9999 11:00:00 GMT", 86_400],
      ["retry-after", "Thu, 99 Foo 2026 11:00:00 GMT", undefined],
      ["ratelimit-reset", "12.3", 13],
      ["ratelimit-reset", "-1", undefined],
      ["ratelimit-reset", "1767268800", undefined],
      ["ratelimit", '"default";r=0;t=42', 42],
      ["ratelimit", '"default";r=0;t=1.2.3', undefined],
    ];
    for (const [header, value, seconds] of cases) {
      const shown = value.length > 40 ? `${value.slice(0, 3)}… (400 digits)` : value;
      it(`means ${String(seconds)} by ${header}: ${shown}`, () => {
        assert.equal(retryAfterSeconds({ [header]: [value] }, now), seconds);
      });
    }

    it("takes the next header where Retry-After makes no sense", () => {
      const headers = { "retry-after": ["soon"], "ratelimit-reset": ["7"] };
      assert.equal(retryAfterSeconds(headers, now), 7);
    });

    it("is asked again after a 503 when Retry-After says so", async () => {
      const waited: number[] = [];
      const wait = (seconds: number) => {
        waited.push(seconds);
        return Promise.resolve();
      };
      let failures = 0;
      const client = await clientOf(
        withDigest((_request, response) => {
          failures += 1;
          if (failures > 1) sendJson(response, 200, { results: [] });
          else sendJson(response, 503, {}, { "retry-after": "4.2" });
        }),
        { retries: { wait } },
      );
      assert.deepEqual(await client.listClusters("p"), []);
      assert.deepEqual(waited, [5]);
    });

    it("is not asked again where Retry-After is past the deadline", async () => {
      const error = await failureOf(answering(503, {}, { "retry-after": "99999999999" }), {
        retries: { retries: 3 },
      });
      assert.equal(error.code, "server");
      assert.equal(service.requests.length, 2);
    });
  });
});
