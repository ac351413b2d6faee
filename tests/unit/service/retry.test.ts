import assert from "node:assert/strict";
import type { Fault } from "clouddb-simulator";
import type { Client } from "../../../provider/src/service/client";
import { type RetryPolicy, retryAfterSeconds } from "../../../provider/src/service/retry";
import { withDigest } from "../../support/foreignService";
import { projectId, quickstartSeed } from "../../support/service";
import { type TestSettings, errorOf, setUpServices, testClient } from "./testClient";

describe("retries", () => {
  const services = setUpServices(quickstartSeed());
  /** The logged messages. */
  let messages: string[];
  /** The waits that the service requested, in seconds. */
  let waits: number[];

  beforeEach(() => {
    messages = [];
    waits = [];
  });

  function clientOf(settings: TestSettings = {}, policy: Partial<RetryPolicy> = {}): Client {
    const retryPolicy: Partial<RetryPolicy> = {
      onWait: (message) => messages.push(message),
      wait: (seconds) => {
        waits.push(seconds);
        services.simulator.clock.advanceSeconds(seconds);
        return Promise.resolve();
      },
      ...policy,
    };
    return testClient(services.simulator, { ...settings, retryPolicy });
  }

  function addFault(fault: Fault) {
    services.simulator.faults.push({ withCredentials: true, ...fault });
  }

  describe("after a cancellation", () => {
    it("ends a wait for the rate limit immediately", async () => {
      addFault({ status: 429, headers: { "retry-after": "500" } });
      const cancelled = AbortSignal.timeout(200);
      const wait = () => new Promise<never>(() => undefined);
      const started = Date.now();
      const { code } = await errorOf(clientOf({}, { cancelled, wait }).listClusters(projectId));
      assert.equal(code, "cancelled");
      assert.ok(Date.now() - started < 10_000);
    });

    it("ends a pending request immediately", async () => {
      addFault({ delayMs: 20_000 });
      const client = clientOf({}, { cancelled: AbortSignal.timeout(200) });
      const started = Date.now();
      const { message } = await errorOf(client.listClusters(projectId));
      assert.match(message, /^cancelled\. Try again\. \(GET .*clusters\)$/);
      assert.ok(Date.now() - started < 10_000);
    });

    it("sends no request", async () => {
      const client = clientOf({}, { cancelled: AbortSignal.abort() });
      assert.equal((await errorOf(client.listClusters(projectId))).code, "cancelled");
      assert.equal(services.simulator.requests.length, 0);
    });
  });

  describe("after a 429", () => {
    it("waits as long as Retry-After says, logs the wait and retries", async () => {
      addFault({ status: 429, headers: { "retry-after": "17" } });
      assert.equal((await clientOf().listClusters(projectId)).clusters.length, 4);
      assert.deepEqual(waits, [17]);
      assert.match(messages[0] ?? "", /^waiting 17 s: .* responded with 429.*Retry in 17 s/);
    });

    it("waits for the next minute without Retry-After, as often as necessary", async () => {
      addFault({ status: 429, times: 6 });
      assert.equal((await clientOf().listClusters(projectId)).clusters.length, 4);
      assert.equal(waits.length, 6);
      assert.ok(waits.every((seconds) => seconds >= 1 && seconds <= 61));
    });

    it("throws the rate limit error when the wait would exceed the deadline", async () => {
      addFault({ status: 429, headers: { "retry-after": "3600" } });
      const { code, message } = await errorOf(clientOf().listClusters(projectId));
      assert.equal(code, "rate-limited");
      assert.match(message, /Retry in 3600 s, or lower requestsPerMinute\./);
    });
  });

  for (const status of [500, 502, 503, 504]) {
    it(`retries after ${status}, and fails after four attempts`, async () => {
      addFault({ status });
      assert.equal((await clientOf().listClusters(projectId)).clusters.length, 4);

      addFault({ status, times: Infinity });
      const error = await errorOf(clientOf().listClusters(projectId));
      assert.equal(error.code, "server-error");
      assert.equal(error.attempts, 4);
      assert.match(
        error.message,
        /^the service responded with \d+.* Try again later\. \(.*, 4 attempts\)$/,
      );
    });
  }

  const transient: [what: string, fault: Fault][] = [
    ["an HTML page with 503", { status: 503, body: "<html>busy</html>" }],
    ["a connection reset before the response", { reset: true }],
    ["a connection reset in the middle of a body", { truncate: true }],
    ["truncated JSON", { status: 200, body: '{"results": [' }],
  ];

  for (const [what, fault] of transient) {
    it(`retries after ${what}`, async () => {
      addFault(fault);
      assert.equal((await clientOf().listClusters(projectId)).clusters.length, 4);
    });
  }

  it("does not count waits for the rate limit as retries", async () => {
    addFault({ status: 503, times: 3 });
    addFault({ status: 429, times: 2 });
    assert.equal((await clientOf().listClusters(projectId)).clusters.length, 4);
    assert.equal(waits.length, 2);
  });

  it("aborts the whole call after its deadline", async () => {
    addFault({ delayMs: 3000 });
    const { code, message } = await errorOf(
      clientOf({}, { callTimeoutSeconds: 0.3 }).listClusters(projectId),
    );
    assert.equal(code, "timeout");
    assert.match(message, /timed out after 0\.3 s in total, including retries and waits/);
  });

  it("times out every attempt when responses are slow", async () => {
    addFault({ delayMs: 3000, times: Infinity });
    const settings = { requestTimeoutSeconds: 0.2 };
    const error = await errorOf(clientOf(settings).listClusters(projectId));
    assert.equal(error.code, "timeout");
    assert.equal(error.attempts, 4);
    assert.match(error.message, /no response from https:.* within 0\.2 s/);
  });

  it("times out a response that never ends", async () => {
    const error = await services.listError(
      withDigest((_request, response) => {
        response.writeHead(200, { "content-type": "application/json" }).write('{"results": [');
      }),
      { requestTimeoutSeconds: 0.2 },
    );
    assert.equal(error.code, "timeout");
  });

  it("waits after a 503 as long as Retry-After says", async () => {
    addFault({ status: 503, headers: { "retry-after": "4.2" } });
    assert.equal((await clientOf().listClusters(projectId)).clusters.length, 4);
    assert.deepEqual(waits, [5]);
  });

  for (const status of [403, 503]) {
    it(`does not wait for the reset of the rate limit after ${status}`, async () => {
      addFault({ status, headers: { "ratelimit-reset": "55" }, times: 4 });
      await errorOf(clientOf().listClusters(projectId));
      assert.deepEqual(waits, []);
    });
  }

  it("does not retry after a 503 whose Retry-After is after the deadline", async () => {
    addFault({ status: 503, headers: { "retry-after": "99999999999" } });
    const { code, attempts } = await errorOf(clientOf().listClusters(projectId));
    assert.deepEqual([code, attempts], ["server-error", 1]);
  });
});

describe("retryAfterSeconds", () => {
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
    ["retry-after", "Thu Jan  1 12:00:30 2026", undefined],
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
    const shortened = value.length > 40 ? `${value.slice(0, 3)}… (400 digits)` : value;
    it(`returns ${String(seconds)} for ${header}: ${shortened}`, () => {
      const headers = { [header]: [value] };
      assert.equal(retryAfterSeconds({ status: 429, headers }, now), seconds);
    });
  }

  it("uses RateLimit-Reset when Retry-After is invalid", () => {
    const headers = { "retry-after": ["soon"], "ratelimit-reset": ["7"] };
    assert.equal(retryAfterSeconds({ status: 429, headers }, now), 7);
  });
});
