/** The short form of `npm run mutation`. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { resolve } from "node:path";

const root = resolve(__dirname, "../../..");

describe("mutation testing", () => {
  it("notices at least 90 % of the faults in the guard, and explains the others", function () {
    this.timeout(300_000);
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      ["mutation/main.mjs", "--quick"],
      // The coverage of mutated code would be measured, too.
      { cwd: root, encoding: "utf8", env: { ...process.env, NODE_V8_COVERAGE: "" } },
    );
    assert.equal(status, 0, stdout + stderr);
    assert.match(stdout, /^guard: 9\d\.\d % of \d+ mutants noticed/m);
  });
});
