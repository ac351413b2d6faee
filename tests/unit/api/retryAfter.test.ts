/** How long a service asks to wait, and how the client complies. */
import assert from "node:assert/strict";

import type { ClientSettings } from "../../../provider/src/api/client";
import { retryAfterSeconds } from "../../../provider/src/api/retryAfter";
import {
  type ForeignService,
  type Handler,
  foreignService,
  sendJson,
  withDigest,
} from "../../foreignService";
import { key } from "../../service";
import { failureOf, testClient } from "./testClient";

describe("the wait that a response asks for", () => {
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
    it(`is ${seconds === undefined ? "unknown" : `${seconds} s`} for ${header}: ${shown}`, () => {
      assert.equal(retryAfterSeconds({ [header]: [value] }, now), seconds);
    });
  }

  it("uses the next header when Retry-After is garbage", () => {
    const headers = { "retry-after": ["soon"], "ratelimit-reset": ["7"] };
    assert.equal(retryAfterSeconds(headers, now), 7);
  });
});

describe("a client that receives Retry-After", () => {
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

  it("retries after a 503 when Retry-After says so", async () => {
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
    assert.deepEqual((await client.listClusters("p")).clusters, []);
    assert.deepEqual(waited, [5]);
  });

  it("does not retry if Retry-After is after the deadline", async () => {
    const error = await failing(answering(503, {}, { "retry-after": "99999999999" }), {
      retries: { retries: 3 },
    });
    assert.equal(error.code, "server");
    assert.equal(service.requests.length, 2);
  });
});
