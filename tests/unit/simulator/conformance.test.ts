/**
 * Checks docs/conformance.md, which is generated from the titles of the simulator's tests. To update it:
 *
 *     UPDATE_CONFORMANCE=1 npx mocha --require ts-node/register tests/unit/simulator/conformance.test.ts
 */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { type Statement, statements } from "./statements";

const root = join(__dirname, "../../..");
const documentPath = join(root, "docs/conformance.md");

/** A test that verifies statements. */
interface TaggedTest {
  title: string;
  file: string;
  tags: string[];
}

/** Returns the tests whose titles end with tags, which cite statements: `... [2.6 rule 4, 7.1]`. */
function taggedTests(): TaggedTest[] {
  const mocha = join(root, "node_modules/mocha/bin/mocha.js");
  const output = execFileSync(
    process.execPath,
    [
      mocha,
      ...["--dry-run", "--reporter", "json", "--require", "./scripts/transpile.cjs"],
      "tests/unit/simulator/**/*.test.ts",
    ],
    { cwd: root, encoding: "utf8" },
  );
  const { tests } = JSON.parse(output) as {
    tests: { title: string; fullTitle: string; file: string }[];
  };
  return tests.flatMap((test) => {
    const [, behavior = "", tags] = /^(.*) \[([^\]]*)\]$/.exec(test.title) ?? [];
    if (tags === undefined) return [];
    const subject = test.fullTitle.slice(0, -test.title.length).trim();
    const title = `${subject}: ${behavior}`;
    return [{ title, file: basename(test.file), tags: tags.split(", ") }];
  });
}

function render(tests: TaggedTest[]): string {
  const cell = (text: string) => text.replace(/\|/g, "\\|");
  const row = ({ at, summary, omissionReason }: Statement) => {
    const verifiedBy = tests
      .filter(({ tags }) => tags.includes(at))
      .map(({ title, file }) => `${title} (${file})`);
    const last =
      omissionReason === undefined ? verifiedBy.join("<br>") : `not implemented: ${omissionReason}`;
    return `| ${at} | ${cell(summary)} | ${cell(last)} |`;
  };
  return `# Conformance of the simulator

The statements of the [service document](service.md), and the tests that verify them. Generated from the titles of the tests in tests/unit/simulator; see tests/unit/simulator/conformance.test.ts.

| Section | Statement | Verified by |
|---|---|---|
${statements.map(row).join("\n")}
`;
}

describe("docs/conformance.md", function () {
  this.timeout(60_000);
  let tests: TaggedTest[];
  before(() => {
    tests = taggedTests();
  });

  it("has a test for every implemented statement, and a statement for every test", () => {
    const known = new Set(statements.map(({ at }) => at));
    const tags = new Set(tests.flatMap((test) => test.tags));
    assert.deepEqual(
      [...tags].filter((tag) => !known.has(tag)),
      [],
    );
    const open = statements.filter(
      ({ at, omissionReason }) => omissionReason === undefined && !tags.has(at),
    );
    assert.deepEqual(open, []);
    const both = statements.filter(
      ({ at, omissionReason }) => omissionReason !== undefined && tags.has(at),
    );
    assert.deepEqual(both, []);
  });

  it("is up to date", () => {
    const expected = render(tests);
    if (process.env.UPDATE_CONFORMANCE) writeFileSync(documentPath, expected);
    assert.equal(readFileSync(documentPath, "utf8"), expected);
  });
});
