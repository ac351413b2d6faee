import assert from "node:assert/strict";
import type { EngineEvent } from "@pulumi/pulumi/automation";
import { clarityViolations, collectErrors, countViolations } from "../../../quality/soak/errors";

describe("the soak's check of errors", () => {
  const urn = "urn:pulumi:test::soak::clouddb:index:PrivateIpMode::mode";
  const timedOut = "PATCH /api/service/v1.0/groups/p/privateIpMode: timed out. Try again later.";
  const diagnostic = (message: string, about?: string): EngineEvent => ({
    sequence: 0,
    timestamp: 0,
    diagnosticEvent: {
      message: `${message}\n`,
      severity: "error",
      color: "raw",
      ...(about === undefined ? {} : { urn: about }),
    },
  });
  const failure: EngineEvent = {
    sequence: 0,
    timestamp: 0,
    resOpFailedEvent: {
      metadata: { op: "update", urn, type: "t", provider: "p" },
      status: 0,
      steps: 1,
    },
  };
  const collect = (...events: EngineEvent[]) => {
    const { onEvent, ...reported } = collectErrors();
    for (const event of events) onEvent(event);
    return reported;
  };

  it("accepts one error for each failed resource, and that the engine reports the operation as failed", () => {
    const reported = collect(
      diagnostic(timedOut, urn),
      failure,
      diagnostic(timedOut, `${urn}2`),
      diagnostic("update failed", "urn:pulumi:test::soak::pulumi:pulumi:Stack::soak-test"),
    );
    assert.deepEqual(countViolations(reported), []);
    assert.deepEqual(clarityViolations(reported, "update failed"), []);
  });

  it("reports a resource with two errors", () => {
    const reported = collect(diagnostic(timedOut, urn), diagnostic("again", urn), failure);
    assert.match(
      countViolations(reported).join(),
      /^printed 2 errors for urn:\S+::mode: .*; again$/,
    );
  });

  it("reports a failed resource without an error", () => {
    assert.match(countViolations(collect(failure)).join(), /^printed 0 errors for urn:\S+::mode/);
  });

  for (const [what, message, output, expected] of [
    ["names no request", "It failed.", "", /unclear error: It failed\./],
    ["does not end with a full stop", "GET /groups: failed", "", /unclear error: GET/],
    ["has a stack trace", timedOut, "Error\n    at send (a.ts:1:2)", /stack trace/],
  ] as const) {
    it(`reports an error that ${what}`, () => {
      const violations = clarityViolations(collect(diagnostic(message, urn)), output);
      assert.equal(violations.length, 1);
      assert.match(violations[0] ?? "", expected);
    });
  }

  it("reports a failure without an error", () => {
    assert.match(
      clarityViolations(collect(), "output").join(),
      /without an error of its own:\noutput/,
    );
  });
});
