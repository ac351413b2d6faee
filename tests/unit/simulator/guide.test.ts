import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";

const root = join(__dirname, "..", "..", "..");
const example = join(root, "examples", "tests-with-simulator");

/** Collapses white space: the guide indents its excerpts less than the examples do. */
const collapse = (text: string) => text.replace(/\s+/g, " ").trim();

describe("docs/testing-with-the-simulator.md", () => {
  it("contains only JavaScript from the examples, which the package tests run", () => {
    const guide = readFileSync(join(root, "docs", "testing-with-the-simulator.md"), "utf8");
    const blocks = [...guide.matchAll(/```js\n(.*?)```/gs)].map(([, code = ""]) => collapse(code));
    assert.ok(blocks.length > 5);
    const examples = ["clusters.js", "mocha.test.js"].map((name) =>
      collapse(readFileSync(join(example, name), "utf8")),
    );
    for (const block of blocks) {
      assert.ok(
        examples.some((text) => text.includes(block)),
        block,
      );
    }
  });
});
