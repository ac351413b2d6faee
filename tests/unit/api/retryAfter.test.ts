import assert from "node:assert/strict";
import { retryAfterSeconds } from "../../../provider/src/api/retry";

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
      assert.equal(retryAfterSeconds({ [header]: [value] }, now), seconds);
    });
  }

  it("uses RateLimit-Reset when Retry-After is invalid", () => {
    const headers = { "retry-after": ["soon"], "ratelimit-reset": ["7"] };
    assert.equal(retryAfterSeconds(headers, now), 7);
  });
});
