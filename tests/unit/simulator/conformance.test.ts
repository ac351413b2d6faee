import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { minimumVersion as guardedVersion } from "../../../provider/src/privateIpMode/guard";
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
  const page = readFileSync(join(__dirname, "conformance.md"), "utf8");
  const rows = [...page.matchAll(/^\| (.+?) \| .+? \| (.+?) \|$/gm)]
    .slice(1)
    .map(([, statement = "", verification = ""]) => {
      const isImplemented = !verification.startsWith("not implemented, because ");
      return { statement, files: isImplemented ? verification : "" };
    });

  it("names the test files of each statement that is implemented, and no others", () => {
    assert.ok(rows.length > 60);
    const filesOf = filesByStatement();
    for (const { statement, files } of rows) {
      assert.equal(files, [...(filesOf.get(statement) ?? [])].sort().join(", "), statement);
      filesOf.delete(statement);
    }
    assert.deepEqual([...filesOf.keys()], []);
  });
});

describe("the service document", () => {
  it("has the version that the simulator and the provider require for disabling private IP mode", () => {
    const document = join(__dirname, "../../../docs/internals/service.md");
    const rule = /runs version (\S+) or later/.exec(readFileSync(document, "utf8"));
    assert.deepEqual([minimumVersion, guardedVersion], [rule?.[1], `${rule?.[1]}.0`]);
  });
});
