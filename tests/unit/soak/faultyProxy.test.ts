import assert from "node:assert/strict";
import { seededRandom } from "../../../quality/soak/random";
import { type FaultyProxy, startFaultyProxy } from "../../../quality/soak/faultyProxy";
import { type ForeignService, foreignService, sendJson } from "../../foreignService";
import { send } from "../simulator/client";

describe("the faulty proxy", () => {
  const running: { service: ForeignService; proxy: FaultyProxy }[] = [];

  beforeEach(async () => {
    const service = await foreignService((_request, response) => {
      sendJson(response, 200, { text: "x".repeat(8000) }, { connection: "close" });
    });
    const proxy = await startFaultyProxy(Number(new URL(service.url).port));
    running.push({ service, proxy });
  });
  afterEach(() => {
    for (const { service, proxy } of running.splice(0)) {
      proxy.stop();
      service.stop();
    }
  });

  /** Opens 60 connections through the proxy; returns which of them failed. */
  const failures = async (random: ReturnType<typeof seededRandom> | undefined) => {
    const { service, proxy } = running[0] ?? assert.fail();
    proxy.choose(random);
    const target = { url: `https://127.0.0.1:${proxy.port}`, ca: service.ca };
    const failed: number[] = [];
    for (let i = 0; i < 60; i += 1) {
      await send(target, "/").catch(() => failed.push(i));
    }
    return { failed, thrown: { ...proxy.thrown } };
  };

  it("forwards connections unchanged if no faults are chosen", async () => {
    const { failed, thrown } = await failures(undefined);
    assert.deepEqual(failed, []);
    assert.deepEqual(thrown, { reset: 0, truncated: 0, slow: 0 });
  });

  it("fails the same connections for the same seed", async () => {
    const { failed, thrown } = await failures(seededRandom(5));
    const again = await failures(seededRandom(5));
    assert.deepEqual(again.failed, failed);
    assert.ok(failed.length > 0);
    assert.equal(failed.length, thrown.reset + thrown.truncated);
    assert.ok(thrown.slow > 0);
  });
});
