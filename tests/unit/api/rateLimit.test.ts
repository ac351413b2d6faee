import assert from "node:assert/strict";
import { withinRateLimit } from "../../../provider/src/api/rateLimit";
import type { ServiceRequest } from "../../../provider/src/api/transport";

const windowSeconds = 0.2;

function limited(requests: number) {
  const started: { projectId: string | undefined; at: number }[] = [];
  const send = withinRateLimit({ requests, windowSeconds, onWait: () => undefined }, (request) => {
    started.push({ projectId: request.projectId, at: performance.now() });
    return Promise.resolve({ status: 200, headers: {}, body: "" });
  });
  const ask = (projectId?: string) =>
    send({ method: "GET", path: "/", projectId, attempt: 1 } satisfies ServiceRequest);
  return { started, ask };
}

describe("the rate limit", () => {
  it("holds back what is over the limit of a project in any window", async () => {
    const { started, ask } = limited(3);
    await Promise.all(Array.from({ length: 7 }, () => ask("a")));
    assert.equal(started.length, 7);
    // A timer may be a little early; a window is never shorter than this.
    const shortest = windowSeconds * 1000 - 20;
    for (const [index, { at }] of started.slice(3).entries()) {
      assert.ok(at - (started[index]?.at ?? 0) >= shortest);
    }
  });

  it("counts each project for itself, and what is of no project not at all", async () => {
    const { started, ask } = limited(1);
    const waiting = [ask("a"), ask("a")];
    await Promise.all([ask("b"), ask("c"), ask(), ask(), ask()]);
    assert.equal(started.filter(({ projectId }) => projectId === "a").length, 1);
    await Promise.all(waiting);
  });
});
