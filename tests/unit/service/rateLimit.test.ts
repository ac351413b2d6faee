import assert from "node:assert/strict";
import { mock } from "node:test";
import { setImmediate } from "node:timers/promises";
import { RateLimiter } from "../../../provider/src/service/rateLimit";
import type { ServiceRequest } from "../../../provider/src/service/exchange";

const windowSeconds = 0.5;

function limited(requests: number) {
  const started: { rateLimitKey: string | undefined; at: number }[] = [];
  const limiter = new RateLimiter({ requests, windowSeconds, onWait: () => undefined });
  const send = limiter.withLimit((request) => {
    started.push({ rateLimitKey: request.rateLimitKey, at: Date.now() });
    return Promise.resolve({ status: 200, headers: {}, body: "" });
  });
  const request = (rateLimitKey?: string, signal?: AbortSignal) =>
    send({
      method: "GET",
      path: "/",
      accept: "",
      rateLimitKey,
      attempt: 1,
      signal,
    } satisfies ServiceRequest);
  return { started, request, limiter };
}

describe("the rate limit", () => {
  beforeEach(() => {
    mock.timers.enable({ apis: ["Date", "setTimeout"] });
  });
  afterEach(() => {
    mock.timers.reset();
  });

  /** Lets virtual time pass until a promise settles. */
  const passing = async (pending: Promise<unknown>) => {
    const state = { isPending: true };
    const settled = pending.finally(() => (state.isPending = false));
    while (state.isPending) {
      mock.timers.tick(100);
      await setImmediate();
    }
    await settled;
  };

  it("delays requests over the limit of a project in any window", async () => {
    const { started, request } = limited(3);
    await passing(Promise.all(Array.from({ length: 7 }, () => request("a"))));
    assert.equal(started.length, 7);
    for (const [index, { at }] of started.slice(3).entries()) {
      assert.ok(at - (started[index]?.at ?? 0) >= windowSeconds * 1000);
    }
  });

  it("limits each project separately, and does not limit other requests", async () => {
    const { started, request } = limited(1);
    const waiting = [request("a"), request("a")];
    await Promise.all([request("b"), request("c"), request(), request(), request()]);
    assert.equal(started.filter(({ rateLimitKey }) => rateLimitKey === "a").length, 1);
    await passing(Promise.all(waiting));
  });

  it("does not send a request whose signal aborts while it waits", async () => {
    const { started, request } = limited(1);
    await request("a");
    const controller = new AbortController();
    const waiting = request("a", controller.signal);
    let isEnded = false;
    const ended = waiting.catch(() => (isEnded = true));
    controller.abort();
    await setImmediate();
    assert.ok(isEnded, "the wait ends immediately");
    await ended;
    await passing(request("a"));
    assert.equal(started.length, 2);
  });

  it("counts a wait of the caller, whose request names no project", async () => {
    const { started, request, limiter } = limited(1);
    await limiter.waitForPlace("a");
    await request();
    assert.equal(started.length, 1);
    const waiting = request("a");
    await Promise.resolve();
    assert.equal(started.length, 1);
    await passing(waiting);
  });

  it("logs a wait longer than two seconds", async () => {
    const messages: string[] = [];
    const onWait = (message: string) => void messages.push(message);
    const limiter = new RateLimiter({ requests: 1, windowSeconds: 2.2, onWait });
    await limiter.waitForPlace("a");
    await passing(limiter.waitForPlace("a"));
    assert.deepEqual(messages, ["waiting: project a has used its 1 requests for this minute"]);
  });
});
