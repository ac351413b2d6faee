import assert from "node:assert/strict";
import fc from "fast-check";
import { boundsProblem, parseJson } from "../../../provider/src/api/json";

describe("the JSON of a response", () => {
  it("is parsed as JSON.parse does, whatever its strings hold", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value);
        const parsed: unknown = JSON.parse(text);
        assert.deepEqual(parseJson(text), { kind: "json", value: parsed });
      }),
    );
  });

  it("is distinguished from other text", () => {
    for (const text of ["", "<html>", '{"results": [', "[1,]", "]]]", '{"a"']) {
      assert.deepEqual(parseJson(text), { kind: "notJson" });
    }
  });

  const bounds: [what: string, within: string, beyond: string, problem: RegExp][] = [
    [
      "nesting",
      `${"[".repeat(64)}${"]".repeat(64)}`,
      `${"[".repeat(65)}${"]".repeat(65)}`,
      /deeper than 64 levels/,
    ],
    [
      "the items of an array",
      `{"results": [${"1,".repeat(9_999)}1]}`,
      `{"results": [${"1,".repeat(10_000)}1]}`,
      /a list of more than 10000 items/,
    ],
    [
      "the values of a response",
      `[${"[1,1,1,1,1],".repeat(9_000)}1]`,
      `[${`[${"1,".repeat(9_000)}1],`.repeat(200)}1]`,
      /more than 1000000 values/,
    ],
  ];
  for (const [what, within, beyond, problem] of bounds) {
    it(`is bounded in ${what}`, () => {
      assert.equal(parseJson(within).kind, "json");
      assert.match(boundsProblem(beyond) ?? "", problem);
      assert.equal(parseJson(beyond).kind, "outOfBounds");
    });
  }

  it("counts no brackets and commas inside strings", () => {
    const text = JSON.stringify({ name: `${"[,".repeat(50_000)}\\"\\` });
    assert.equal(parseJson(text).kind, "json");
  });

  it("is measured in linear time", () => {
    const begun = performance.now();
    for (const part of ["[", "1,", '"', '\\"', '"\\', "[[],", '{"a":']) {
      parseJson(`[${part.repeat(10_000_000 / part.length)}`);
    }
    parseJson("[".repeat(30_000_000));
    assert.ok(performance.now() - begun < 5000);
  });
});
