import assert from "node:assert/strict";
import { changesOf, mannWhitney } from "../../../quality/bench/compare";
import { goalsTable } from "../../../quality/bench/goals";
import { report } from "../../../quality/bench/report";
import type { Measure, Results } from "../../../quality/bench/results";

function resultsWith(measures: readonly Measure[], phases: Results["phases"] = []): Results {
  const conditions = {
    command: "",
    machine: "",
    versions: "",
    revision: "",
    minutes: 0,
    loads: [],
  };
  return { conditions, measures: [...measures], phases };
}

const group = "preview of 20";
const setup = "JavaScript, Node.js 20";
const [fast, slow] = [
  [3.0, 3.1, 2.9, 3.2, 3.05],
  [3.3, 3.41, 3.19, 3.52, 3.36],
];

const previews = (empty: number[], clouddb: number[]) =>
  resultsWith([
    { group, label: `empty, ${setup}`, unit: "s", values: empty, isControl: true },
    { group, label: `clouddb, ${setup}`, unit: "s", values: clouddb },
  ]);

describe("the comparison of two runs", () => {
  it("lists a preview that became 10 % slower", () => {
    const changes = changesOf(previews(fast, fast), previews(fast, slow));
    assert.deepEqual(
      changes.map(({ name, ratio }) => [name, ratio.toFixed(1)]),
      [[`${group}: clouddb, ${setup}`, "1.1"]],
    );
  });

  it("lists nothing if the whole machine became slower", () => {
    assert.deepEqual(changesOf(previews(fast, fast), previews(slow, slow)), []);
  });
});

// The values come from tables of the exact distribution of U.
describe("the Mann-Whitney U test", () => {
  for (const [first, second, p] of [
    [[1, 2, 3, 4], [5, 6, 7, 8], 2 / 70],
    [[1, 2, 3, 4, 5], [6, 7, 8, 9, 10], 2 / 252],
    [[1, 2, 6], [3, 4, 5], 14 / 20],
    [[1, 1, 1], [1, 1, 1], 1],
  ] as const) {
    it(`gives p = ${p.toFixed(3)} for ${first.join(", ")} and ${second.join(", ")}`, () => {
      assert.ok(Math.abs(mannWhitney(first, second) - p) < 1e-9);
    });
  }
});

describe("the goals of the bench", () => {
  const rowsOf = (results: Results) => goalsTable(results).split("\n").slice(2);

  it("say whether each goal is reached, and omit unmeasured goals", () => {
    assert.deepEqual(rowsOf(previews([4, 4, 5], [3.8, 3.8, 1])), [
      `| ${group} | empty 4.00 s | clouddb 3.80 s, 0.95 (goal 0.9: missed) |`,
    ]);
    assert.match(
      String(rowsOf(previews([4], [3.6]))),
      /clouddb 3.60 s, 0.90 \(goal 0.9: reached\)/,
    );
  });
});

describe("the report of the bench", () => {
  it("lists a phase with a second challenge", () => {
    const phase = { phase: "preview", listings: 1, challenges: 2, others: 0, allowed: 1 };
    assert.match(report(resultsWith([], [phase])), /0 of 1 commands .*\n- {"phase":"preview"/);
  });
});
