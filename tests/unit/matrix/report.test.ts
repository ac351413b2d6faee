import assert from "node:assert/strict";
import { matrixReport, violations } from "../../../quality/matrix/report";
import { selectRows } from "../../../quality/matrix/rows";
import type { RowResult } from "../../../quality/matrix/run";

const conditions = {
  nodes: new Map([[20 as const, { folder: undefined, version: "20.20.2" }]]),
  managers: new Map([["yarn1" as const, { folder: undefined, version: "1.22.22" }]]),
  sdks: { oldest: "3.216.0", newest: "3.270.0" },
  cliVersion: "v3.259.0",
  revision: "abc1234",
  command: "npm run matrix",
  minutes: 31.4,
};

const refusal = {
  step: "install",
  output:
    'error @pulumi/pulumi@3.270.0: The engine "node" is incompatible with this module. Expected version ">=22".',
};

function results(failureOf: (row: RowResult["row"]) => RowResult["failure"]): RowResult[] {
  return selectRows("yarn1,20").map((row) => ({ row, seconds: 1, failure: failureOf(row) }));
}

describe("the report of the compatibility matrix", () => {
  const expected = results(({ sdk }) => (sdk === "newest" ? refusal : undefined));

  it("has a line for each installation, and explains known failures below", () => {
    const lines = matrixReport(expected, conditions).split("\n");
    assert.equal(
      lines[0],
      "`npm run matrix`: 3 of 6 rows passed, 31 minutes. Pulumi CLI v3.259.0, commit abc1234.",
    );
    assert.deepEqual(lines.slice(2, 6), [
      "| package manager | Node.js | `@pulumi/pulumi` | TypeScript | CommonJS | ES module |",
      "| --- | --- | --- | --- | --- | --- |",
      "| Yarn 1 (1.22.22) | 20.20.2 | 3.216.0 | yes | yes | yes |",
      "| Yarn 1 (1.22.22) | 20.20.2 | 3.270.0 | no (1) | no (1) | no (1) |",
    ]);
    assert.match(lines.at(-1) ?? "", /^1\. Yarn 1 refuses .* Install a version .* below 3\.249\.0/);
    assert.deepEqual(violations(expected), []);
  });

  it("has an empty cell for a format that did not run", () => {
    const report = matrixReport(expected.slice(0, 1), conditions);
    assert.match(report, /\| 3\.216\.0 \| yes \| {2}\| {2}\|$/m);
  });

  it("names the step of a failure without a known reason", () => {
    const failing = results(({ sdk }) =>
      sdk === "newest" ? { step: "preview", output: "connection reset" } : undefined,
    );
    assert.match(
      matrixReport(failing, conditions),
      /\| 3\.270\.0 \| \*\*failed at preview\*\* \| \*\*failed at preview\*\* /,
    );
    assert.equal(
      violations(failing)[0],
      "yarn1, Node.js 20, newest SDK, typescript: failed at preview",
    );
  });

  it("reports a row that fails like another row", () => {
    const failing = results(() => refusal);
    assert.deepEqual(violations(failing), [
      "yarn1, Node.js 20, oldest SDK, typescript: failed at install",
      "yarn1, Node.js 20, oldest SDK, commonjs: failed at install",
      "yarn1, Node.js 20, oldest SDK, esm: failed at install",
    ]);
  });

  it("reports a row that passes although it has a known failure", () => {
    const passing = results(() => undefined);
    assert.deepEqual(violations(passing), [
      "yarn1, Node.js 20, newest SDK, typescript: passed, but has a known failure",
      "yarn1, Node.js 20, newest SDK, commonjs: passed, but has a known failure",
      "yarn1, Node.js 20, newest SDK, esm: passed, but has a known failure",
    ]);
  });
});
