/** Checks the test titles and the links in docs/operations.md. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";

const root = join(__dirname, "../../..");
const text = readFileSync(join(root, "docs/operations.md"), "utf8");
const [introduction = "", ...sections] = text.split(/^## /m);
const titleOf = (section: string) => section.split("\n", 1)[0] ?? "";

describe("docs/operations.md", () => {
  for (const section of sections) {
    it(`names an existing test for "${titleOf(section)}"`, () => {
      const sentences = section.match(/Tested by [^]*?"\./g) ?? [];
      assert.ok(sentences.length > 0);
      for (const sentence of sentences) {
        const [, file = ""] = /`(.*)`/.exec(sentence) ?? [];
        const source = readFileSync(join(root, file), "utf8");
        for (const [, title = ""] of sentence.matchAll(/"([^"]*)"/g)) {
          assert.ok(source.includes(title), `${file} has no test "${title}"`);
        }
      }
    });
  }

  it("links to every section in the table", () => {
    const anchors = sections.map((section) => titleOf(section).toLowerCase().replace(/ /g, "-"));
    const links = [...introduction.matchAll(/\]\(#([\w-]+)\)/g)].map(([, anchor]) => anchor);
    assert.deepEqual(links, anchors);
  });
});
