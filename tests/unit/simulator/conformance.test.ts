import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { minimumVersion as guardedVersion } from "../../../provider/src/privateIpMode/sentences";
import { minimumVersion } from "../../../simulator/src/operations/operations";

/** Returns the files with tests by the statements at the end of their titles: `... [2.6 rule 4, 7.1]`. */
function filesByStatement(): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  for (const file of readdirSync(__dirname).filter((name) => /\.test\.ts$|^requests/.test(name))) {
    const text = readFileSync(join(__dirname, file), "utf8");
    const titles = /(?:it\(\s*["`]|^### ).*? \[([^\]\n]*)\](?:["`],|$)/gm;
    for (const [, statements = ""] of text.matchAll(titles)) {
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

describe("the service document", () => {
  it("has the version that the simulator and the provider require for disabling private IP mode", () => {
    const document = join(__dirname, "../../../docs/internals/service.md");
    const rule = /runs version (\S+) or later/.exec(readFileSync(document, "utf8"));
    assert.deepEqual([minimumVersion, guardedVersion], [rule?.[1], `${rule?.[1]}.0`]);
  });
});
