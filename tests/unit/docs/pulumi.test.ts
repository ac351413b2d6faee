import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";

const root = join(__dirname, "..", "..", "..");
const textOf = (path: string) => readFileSync(join(root, path), "utf8");

describe("what the pages say about Pulumi", () => {
  const rows = textOf("tests/unit/docs/pulumi.md")
    .split("\n")
    .filter((line) => line.includes(".md | "));

  it("is in the pages, and held by tests that exist", () => {
    assert.ok(rows.length > 30);
    for (const row of rows) {
      const [, page, sentence = "", file, title = ""] =
        /^\| (\S+\.md) \| (.+) \| (\S+\.ts): (.+) \|$/.exec(row) ?? [];
      const text = textOf(`docs/${page}`).replaceAll(/\s+/g, " ");
      assert.ok(text.includes(sentence.replaceAll("\\|", "|")), row);
      assert.ok(textOf(`tests/${file}`).includes(title), row);
    }
  });
});
