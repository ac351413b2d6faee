// docs/conformance.md is made from the titles of these tests. To renew it:
//   UPDATE_CONFORMANCE=1 npx mocha --require ts-node/register tests/unit/simulator/conformance.test.ts
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { type Statement, STATEMENTS } from "./statements";

const ROOT = join(__dirname, "../../..");
const DOCUMENT = join(ROOT, "docs/conformance.md");

interface Shown {
  title: string;
  file: string;
  tags: string[];
}

/** The tests of the simulator whose titles name statements: `... [2.6 rule 4, 7.1]`. */
function tests(): Shown[] {
  const mocha = join(ROOT, "node_modules/mocha/bin/mocha.js");
  const output = execFileSync(
    process.execPath,
    [
      mocha,
      ...["--dry-run", "--reporter", "json", "--require", "ts-node/register"],
      "tests/unit/simulator/**/*.test.ts",
    ],
    { cwd: ROOT, encoding: "utf8" },
  );
  const { tests } = JSON.parse(output) as { tests: { fullTitle: string; file: string }[] };
  return tests.flatMap(({ fullTitle, file }) => {
    const [, title = "", tags] = /^(.*) \[([^\]]*)\]$/.exec(fullTitle) ?? [];
    if (tags === undefined) return [];
    return [{ title, file: basename(file), tags: tags.split(", ") }];
  });
}

function render(shown: Shown[]): string {
  const cell = (text: string) => text.replace(/\|/g, "\\|");
  const row = ({ at, says, leftOut }: Statement) => {
    const by = shown
      .filter(({ tags }) => tags.includes(at))
      .map(({ title, file }) => `${title} (${file})`);
    const last = leftOut === undefined ? by.join("<br>") : `left out: ${leftOut}`;
    return `| ${at} | ${cell(says)} | ${cell(last)} |`;
  };
  return `# What the simulator holds to

Made from the titles of the tests in tests/unit/simulator; tests/unit/simulator/conformance.test.ts says how. Sections and rules are those of the service document.

| section | statement | shown by |
|---|---|---|
${STATEMENTS.map(row).join("\n")}
`;
}

describe("docs/conformance.md", function () {
  this.timeout(60_000);
  let shown: Shown[];
  before(() => {
    shown = tests();
  });

  it("has a test for every statement that is not left out, and a statement for every test", () => {
    const known = new Set(STATEMENTS.map(({ at }) => at));
    const tags = new Set(shown.flatMap((test) => test.tags));
    assert.deepEqual(
      [...tags].filter((tag) => !known.has(tag)),
      [],
    );
    const open = STATEMENTS.filter(({ at, leftOut }) => leftOut === undefined && !tags.has(at));
    assert.deepEqual(open, []);
    const both = STATEMENTS.filter(({ at, leftOut }) => leftOut !== undefined && tags.has(at));
    assert.deepEqual(both, []);
  });

  it("is what the tests say", () => {
    const expected = render(shown);
    if (process.env.UPDATE_CONFORMANCE) writeFileSync(DOCUMENT, expected);
    assert.equal(readFileSync(DOCUMENT, "utf8"), expected);
  });
});
