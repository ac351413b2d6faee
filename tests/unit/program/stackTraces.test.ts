import assert from "node:assert/strict";
import { ClusterConnectionStrings } from "pulumi-clouddb";
import { pauseStackTraces } from "../../../provider/src/program/stackTraces";

describe("pausing stack traces", () => {
  it("restores Error.stackTraceLimit", () => {
    const before = Error.stackTraceLimit;
    pauseStackTraces().resume();
    assert.equal(Error.stackTraceLimit, before);
  });

  it("keeps the stack trace of an error that the constructor throws", () => {
    const before = Error.stackTraceLimit;
    const args = { projectId: "p", clusterName: "c" };
    assert.throws(
      () => new ClusterConnectionStrings("", args),
      (error: Error) => /stackTraces\.test/.test(error.stack ?? ""),
    );
    assert.equal(Error.stackTraceLimit, before);
  });
});
