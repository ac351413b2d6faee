// The commands of tools/: what they say before anything is installed, built or started.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const root = resolve(__dirname, "../../..");

describe("a command", () => {
  for (const name of ["build", "lint", "stack", "test"]) {
    it(`${name} says what it does on --help`, () => {
      const { status, stdout } = command(name, "--help");
      assert.equal(status, 0);
      assert.match(stdout, /^npm (run|test)/);
    });
  }

  it("stack starts over with `up` only", () => {
    const { status, stderr } = command("stack", "destroy", "--fresh");
    assert.equal(status, 1);
    assert.match(stderr, /--fresh starts the stack over, and goes with `up` only/);
    assert.doesNotMatch(stderr, /^\s+at /m);
  });

  it("test names the layers when it is asked for another", () => {
    const { status, stderr } = command("test", "integration");
    assert.equal(status, 1);
    assert.match(stderr, /no test layer integration/);
    assert.match(stderr, /unit, protocol .*, engine/);
  });
});

describe("the test reporter", () => {
  it("counts what passed, failed and was skipped", () => {
    const folder = mkdtempSync(join(tmpdir(), "reporter-"));
    try {
      const tests = join(folder, "some.cjs");
      const countsFile = join(folder, "counts.json");
      writeFileSync(
        tests,
        `it("a", () => {}); it("b", () => {}); it("c", () => { throw new Error(); }); it("d");`,
      );
      const reporter = ["--reporter", join(root, "tools", "counting-reporter.cjs")];
      const option = ["--reporter-option", `countsFile=${countsFile}`];
      node(join(root, "node_modules/mocha/bin/mocha.js"), ...reporter, ...option, tests);
      const counts: unknown = JSON.parse(readFileSync(countsFile, "utf8"));
      assert.deepEqual(counts, { passed: 2, failed: 1, skipped: 1 });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

function command(name: string, ...args: string[]) {
  return node(join(root, "tools", `${name}.mjs`), ...args);
}

function node(...args: string[]) {
  return spawnSync(process.execPath, args, { cwd: root, encoding: "utf8" });
}
