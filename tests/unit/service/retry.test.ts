import assert from "node:assert/strict";
import type { Fault } from "../../../simulator/src";
import type { Client } from "../../../provider/src/service/client";
import {
  type RetryPolicy,
  abortable,
  retryAfterSeconds,
} from "../../../provider/src/service/retry";
import { projectId, useService } from "../../support/service";
import { type TestSettings, errorOf, useForeignClient, testClient } from "./testClient";

describe("retries", () => {
  const service = useService();
  const foreign = useForeignClient();
  /** The logged messages. */
  let messages: string[];
  /** The waits before retries, in seconds. */
  let waits: number[];

  beforeEach(() => {
    messages = [];
    waits = [];
  });

  function clientOf(settings: TestSettings = {}, policy: Partial<RetryPolicy> = {}): Client {
    const retryPolicy: Partial<RetryPolicy> = {
      onWait: (notice) => messages.push(notice),
      wait: (seconds) => {
        waits.push(seconds);
        service.simulator.clock.advanceSeconds(seconds);
        return Promise.resolve();
      },
      ...policy,
    };
    return testClient(service, { ...settings, retryPolicy });
  }

  function addFault(fault: Fault) {
    service.faults.push({ withCredentials: true, ...fault });
  }

  describe("after a cancellation", () => {
    it("ends a pending request immediately", async () => {
      const cancellation = new AbortController();
      const neverRespond = () => {
        cancellation.abort();
      };
      const retryPolicy = { cancelled: cancellation.signal };
      const { message } = await foreign.listError(neverRespond, { retryPolicy });
      assert.match(message, /^cancelled; run the command again \(GET .*clusters\)$/);
    });

    it("sends no request", async () => {
      const client = clientOf({}, { cancelled: AbortSignal.abort() });
      assert.equal((await errorOf(client.listClusters(projectId))).code, "cancelled");
      assert.equal(service.requests.length, 0);
    });
  });

  describe("after a 429", () => {
    it("waits as long as Retry-After says, logs the wait and retries", async () => {
      addFault({ status: 429, headers: { "retry-after": "17" } });
      assert.equal((await clientOf().listClusters(projectId)).clusters.length, 4);
      assert.deepEqual(waits, [17]);
      assert.match(
        messages[0] ?? "",
        /^rate limit reached; retrying in 17 s \(GET .*\/clusters\)$/,
      );
    });

    it("waits longer each time without Retry-After, with up to half as much at random", async () => {
      addFault({ status: 429, times: 5 });
      await clientOf({}, { random: () => 1 }).listClusters(projectId);
      assert.deepEqual(waits, [15, 30, 45, 45, 45]);
    });

    it("throws the rate limit error when the wait would exceed the deadline", async () => {
      addFault({ status: 429, headers: { "retry-after": "3600" } });
      const { code, message } = await errorOf(clientOf().listClusters(projectId));
      assert.equal(code, "rate-limited");
      assert.match(message, /Retry in 3600 s\./);
    });
  });

  for (const status of [500, 503]) {
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
    addFault({ status: 429, times: 2 });
    addFault({ status: 503, times: 3 });
    assert.equal((await clientOf().listClusters(projectId)).clusters.length, 4);
    assert.equal(waits.filter((seconds) => seconds >= 1).length, 2);
  });

  it("aborts the whole call after its deadline", async () => {
    addFault({ delayMs: 60_000 });
    const { code, message } = await errorOf(
      clientOf({}, { callTimeoutSeconds: 0.3 }).listClusters(projectId),
    );
    assert.equal(code, "timeout");
    assert.match(message, /timed out after 0\.3 s in total, including retries and waits/);
  });

  it("times out every attempt when responses are slow", async () => {
    addFault({ delayMs: 60_000, times: Infinity });
    const settings = { requestTimeoutSeconds: 0.2 };
    const error = await errorOf(clientOf(settings).listClusters(projectId));
    assert.equal(error.code, "timeout");
    assert.equal(error.attempts, 4);
    assert.match(error.message, /no response from https:.* within 0\.2 s/);
  });

  it("waits after a 503 as long as Retry-After says", async () => {
    addFault({ status: 503, headers: { "retry-after": "4.2" } });
    assert.equal((await clientOf().listClusters(projectId)).clusters.length, 4);
    assert.deepEqual(waits, [5]);
  });

  it("does not retry after a 403, even with Retry-After", async () => {
    addFault({ status: 403, headers: { "retry-after": "5" } });
    const { code, attempts } = await errorOf(clientOf().listClusters(projectId));
    assert.deepEqual([code, attempts, waits], ["forbidden", 1, []]);
  });

  it("waits longer before each retry, and logs the longer waits", async () => {
    addFault({ status: 503, times: 3 });
    const policy = { firstDelaySeconds: 1, random: () => 0.5 };
    await clientOf({}, policy).listClusters(projectId);
    assert.deepEqual(waits, [1.5, 3, 6]);
    assert.equal(messages.length, 2);
    assert.match(
      messages[1] ?? "",
      /^the service responded with 503; retrying in 6 s \(GET .*\/clusters\)$/,
    );
  });
});

describe("abortable", () => {
  it("does not wait if its signal aborted before", async () => {
    const reason = new Error("cancelled");
    const waiting = abortable(new Promise(() => undefined), AbortSignal.abort(reason));
    await assert.rejects(waiting, reason);
  });
});

describe("retryAfterSeconds", () => {
  const now = Date.UTC(2026, 0, 1, 12, 0, 0);
  const cases: [value: string, seconds: number | undefined][] = [
    ["17", 17],
    [" 1.5 ", 2],
    ["0", 1],
    ["1e9", undefined],
    ["2026-01-01", undefined],
    ["Thu, 01 Jan 2026 12:00:30 GMT", 30],
    ["Thu, 01 Jan 2026 11:00:00 GMT", 1],
    ["Thu, 99 Foo 2026 11:00:00 GMT", undefined],
  ];
  for (const [value, seconds] of cases) {
    it(`returns ${String(seconds)} for ${value}`, () => {
      const headers = { "retry-after": [value] };
      assert.equal(retryAfterSeconds({ status: 429, headers }, now), seconds);
    });
  }

  for (const status of [403, 500]) {
    it(`ignores Retry-After of a ${status}`, () => {
      const headers = { "retry-after": ["7"] };
      assert.equal(retryAfterSeconds({ status, headers }, now), undefined);
    });
  }
});
