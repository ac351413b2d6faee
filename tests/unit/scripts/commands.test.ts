/** Tests what the commands in scripts/ print before they install, build or start anything. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const root = resolve(__dirname, "../../..");

describe("a command", () => {
  for (const name of [
    "apiReference",
    "bench",
    "build",
    "fuzz",
    "lint",
    "matrix",
    "mutation",
    "pictures",
    "sbom",
    "simulator",
    "soak",
    "stack",
    "test",
    "up",
    "versionMentions",
  ]) {
    it(`${name} prints its help on --help`, () => {
      const { status, stdout } = command(name, "--help");
      assert.equal(status, 0);
      assert.match(stdout, /^npm (run|test)/);
    });
  }

  it("stack rejects --fresh without `up`", () => {
    const { status, stderr } = command("stack", "destroy", "--fresh");
    assert.equal(status, 1);
    assert.match(stderr, /--fresh is only supported by `up`/);
    assert.doesNotMatch(stderr, /^\s+at /m);
  });

  it("up prints its help, not Pulumi's, on npm run up -- --help", () => {
    const args = ["run", "--silent", "up", "--", "--help"];
    const { status, stdout } = spawnSync("npm", args, { cwd: root, encoding: "utf8" });
    assert.equal(status, 0);
    assert.match(stdout, /^npm run up .*\nnpm run up -- --fresh /);
  });

  it("stack recognizes a --fresh that npm passes in the environment", () => {
    // npm run pulumi --fresh destroy
    const args = ["run", "--silent", "pulumi", "--fresh", "destroy"];
    const { status, stderr } = spawnSync("npm", args, { cwd: root, encoding: "utf8" });
    assert.equal(status, 1);
    assert.match(stderr, /--fresh is only supported by `up`/);
  });

  it("matrix rejects unknown arguments before it starts", () => {
    for (const args of [["npm"], ["--jobs", "0"], ["--only"], ["--write", "--only", "npm"]]) {
      const { status, stderr } = command("matrix", ...args);
      assert.equal(status, 1);
      assert.match(stderr, /^Unknown arguments: /);
      assert.match(stderr, /--only npm,20,newest/);
      assert.doesNotMatch(stderr, /^\s+at /m);
    }
  });

  it("soak rejects unknown arguments before it starts", () => {
    for (const args of [["kill"], ["--points", "many"], ["--stacks"], ["--unknown"]]) {
      const { status, stderr } = command("soak", ...args);
      assert.equal(status, 1);
      assert.match(stderr, /^Unknown arguments: /);
      assert.match(stderr, /npm run soak -- kills/);
      assert.doesNotMatch(stderr, /^\s+at /m);
    }
  });

  it("test lists the layers when it is called with an unknown one", () => {
    const { status, stderr } = command("test", "integration");
    assert.equal(status, 1);
    assert.match(stderr, /Unknown test layer: integration/);
    assert.match(stderr, /unit, protocol [^]*engine \(/);
  });

  it("test reports a test file that does not exist", () => {
    for (const file of ["tests/unit/missing.test.ts", "missing.test.ts", "tests/unit/missing"]) {
      const { status, stderr } = command("test", "unit", file);
      assert.equal(status, 1);
      assert.equal(stderr, `There is no test file ${file}.\n`);
    }
  });
});

describe("the test reporter", () => {
  it("counts passed, failed and skipped tests", () => {
    const folder = mkdtempSync(join(tmpdir(), "reporter-"));
    try {
      const tests = join(folder, "some.cjs");
      const countsFile = join(folder, "counts.json");
      writeFileSync(
        tests,
        `it("a", () => {}); it("b", () => {}); it("c", () => { throw new Error(); }); it("d");`,
      );
      const reporter = ["--reporter", join(root, "scripts", "counting-reporter.cjs")];
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
  return node(join(root, "scripts", `${name}.mjs`), ...args);
}

function node(...args: string[]) {
  return spawnSync(process.execPath, args, { cwd: root, encoding: "utf8" });
}
