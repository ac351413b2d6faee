import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Returns the test files by the statements at the end of their titles: `... [2.6 rule 4, 7.1]`. */
function filesByStatement(): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  for (const file of readdirSync(__dirname).filter((name) => name.endsWith(".test.ts"))) {
    const text = readFileSync(join(__dirname, file), "utf8");
    for (const [, statements = ""] of text.matchAll(/it\(\s*["`].*? \[([^\]\n]*)\]["`],/g)) {
      for (const statement of statements.split(", ")) {
        found.set(statement, (found.get(statement) ?? new Set()).add(file));
      }
    }
  }
  return found;
}

describe("conformance.md", () => {
  it("names the test files of each statement that is implemented, and no others", () => {
    const page = readFileSync(join(__dirname, "conformance.md"), "utf8");
    const rows = [...page.matchAll(/^\| (.+?) \| .+? \| (.+?) \|$/gm)].slice(1);
    assert.ok(rows.length > 60);
    const files = filesByStatement();
    for (const [, statement = "", verification = ""] of rows) {
      const expected = [...(files.get(statement) ?? [])].sort().join(", ");
      const actual = verification.startsWith("not implemented, because ") ? "" : verification;
      assert.equal(actual, expected, statement);
      files.delete(statement);
    }
    assert.deepEqual([...files.keys()], []);
  });
});
