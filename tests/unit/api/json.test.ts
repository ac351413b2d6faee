import assert from "node:assert/strict";
import fc from "fast-check";
import { parseJson } from "../../../provider/src/api/responses";

describe("the JSON of a response", () => {
  it("is parsed as JSON.parse parses it", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value);
        const parsed: unknown = JSON.parse(text);
        assert.deepEqual(parseJson(text), { kind: "json", value: parsed });
      }),
    );
  });

  it("is reported as notJson when it is invalid", () => {
    for (const text of ["", "<html>", '{"results": [', "[1,]", "]]]", '{"a"']) {
      assert.deepEqual(parseJson(text), { kind: "notJson" });
    }
  });

  const bounds: [what: string, within: string, over: string, problem: RegExp][] = [
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
  for (const [what, within, over, problem] of bounds) {
    it(`is rejected when it exceeds the limit on ${what}`, () => {
      assert.equal(parseJson(within).kind, "json");
      const parsed = parseJson(over);
      assert.ok(parsed.kind === "outOfBounds");
      assert.match(parsed.problem, problem);
    });
  }

  it("is checked without the brackets and commas in strings", () => {
    const text = JSON.stringify({ name: `${"[,".repeat(50_000)}\\"\\` });
    assert.equal(parseJson(text).kind, "json");
  });

  it("is checked in linear time", () => {
    const start = performance.now();
    for (const part of ["[", "1,", '"', '\\"', '"\\', "[[],", '{"a":']) {
      parseJson(`[${part.repeat(10_000_000 / part.length)}`);
    }
    parseJson("[".repeat(30_000_000));
    assert.ok(performance.now() - start < 5000);
  });
});
