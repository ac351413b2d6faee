import assert from "node:assert/strict";
import { ClusterConnectionStrings } from "pulumi-clouddb";
import { pauseStackTraces } from "../../../provider/src/program/stackTraces";

describe("a lookup, whose promises carry no stack trace", () => {
  it("leaves the limit of traces as it was", () => {
    const before = Error.stackTraceLimit;
    pauseStackTraces().resume();
    assert.equal(Error.stackTraceLimit, before);
  });

  it("gives an error of its constructor the trace that leads to the program", () => {
    const before = Error.stackTraceLimit;
    const args = { projectId: "p", clusterName: "c" };
    assert.throws(
      () => new ClusterConnectionStrings("", args),
      (error: Error) => /stackTraces\.test/.test(error.stack ?? ""),
    );
    assert.equal(Error.stackTraceLimit, before);
  });
});
