import assert from "node:assert/strict";
import { rateLimiter } from "../../../provider/src/api/rateLimit";
import type { ServiceRequest } from "../../../provider/src/api/transport";

const windowSeconds = 0.2;

function limited(requests: number) {
  const started: { projectId: string | undefined; at: number }[] = [];
  const limiter = rateLimiter({ requests, windowSeconds, onWait: () => undefined });
  const send = limiter.within((request) => {
    started.push({ projectId: request.projectId, at: performance.now() });
    return Promise.resolve({ status: 200, headers: {}, body: "" });
  });
  const ask = (projectId?: string, hasTurn?: boolean) =>
    send({ method: "GET", path: "/", projectId, attempt: 1, hasTurn } satisfies ServiceRequest);
  return { started, ask, limiter };
}

describe("the rate limit", () => {
  it("delays requests over the limit of a project in any window", async () => {
    const { started, ask } = limited(3);
    await Promise.all(Array.from({ length: 7 }, () => ask("a")));
    assert.equal(started.length, 7);
    // A timer may be a little early; a window is never shorter than this.
    const shortest = windowSeconds * 1000 - 20;
    for (const [index, { at }] of started.slice(3).entries()) {
      assert.ok(at - (started[index]?.at ?? 0) >= shortest);
    }
  });

  it("limits each project separately; requests of no project are unlimited", async () => {
    const { started, ask } = limited(1);
    const waiting = [ask("a"), ask("a")];
    await Promise.all([ask("b"), ask("c"), ask(), ask(), ask()]);
    assert.equal(started.filter(({ projectId }) => projectId === "a").length, 1);
    await Promise.all(waiting);
  });

  it("sends a request at once that has taken its turn before", async () => {
    const { started, ask, limiter } = limited(1);
    await limiter.takeTurn("a");
    await ask("a", true);
    assert.equal(started.length, 1);
    const waiting = ask("a");
    await Promise.resolve();
    assert.equal(started.length, 1);
    await waiting;
  });
});
