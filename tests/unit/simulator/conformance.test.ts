import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { z } from "zod";
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

/** Returns the planted bugs that break a statement. */
function plantedBugs() {
  const path = join(__dirname, "../../../quality/plantedBugs/bugs.jsonl");
  const bug = z.object({ id: z.string(), statement: z.string(), tests: z.array(z.string()) });
  const rows = readFileSync(path, "utf8")
    .trim()
    .split("\n")
    .filter((row) => row.includes('"statement"'));
  return rows.map((row) => bug.parse(JSON.parse(row)));
}

describe("conformance.md", () => {
  const page = readFileSync(join(__dirname, "conformance.md"), "utf8");
  const rows = [...page.matchAll(/^\| (.+?) \| .+? \| (.+?) \| (?:(.+?) )?\|$/gm)]
    .slice(1)
    .map(([, statement = "", verification = "", bugs = ""]) => {
      const isImplemented = !verification.startsWith("not implemented, because ");
      return { statement, files: isImplemented ? verification : "", bugs };
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

  it("names the planted bugs of each statement that is implemented, whose tests are those of the statement", () => {
    const planted = plantedBugs();
    for (const { statement, files, bugs } of rows) {
      const own = planted.filter((bug) => bug.statement === statement);
      assert.equal(bugs, own.map(({ id }) => id).join(", "), statement);
      assert.equal(own.length > 0, files !== "", `${statement}: a planted bug for each statement`);
      const inTable = files.replace("requests.md", "requests.test.ts").split(", ");
      for (const { id, tests } of own) {
        for (const test of tests) assert.ok(inTable.includes(basename(test)), id);
      }
    }
    const statements = rows.map(({ statement }) => statement);
    assert.deepEqual(
      planted.filter((bug) => !statements.includes(bug.statement)),
      [],
    );
  });
});

describe("the service document", () => {
  it("has the version that the simulator and the provider require for disabling private IP mode", () => {
    const document = join(__dirname, "../../../docs/internals/service.md");
    const rule = /runs version (\S+) or later/.exec(readFileSync(document, "utf8"));
    assert.deepEqual([minimumVersion, guardedVersion], [rule?.[1], `${rule?.[1]}.0`]);
  });
});
