/** Tests the GitHub workflows of the repository and of the examples with actionlint. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { buildWithGo } from "../goProgram";
import { skipIfMissing } from "../missing";

const root = join(__dirname, "..", "..");
const workflows = [".github/workflows", "examples/pr-check/.github/workflows"].flatMap((folder) =>
  readdirSync(join(root, folder)).map((file) => join(folder, file)),
);

describe("the workflows", () => {
  it("have no problem that actionlint reports", function () {
    let actionlint;
    try {
      const target = "github.com/rhysd/actionlint/cmd/actionlint";
      actionlint = buildWithGo(join(__dirname, "actionlint"), "actionlint", target);
    } catch (error) {
      skipIfMissing(this, error);
      return;
    }
    // Without shellcheck and pyflakes, which are installed on some machines only.
    const args = ["-no-color", "-shellcheck=", "-pyflakes=", ...workflows];
    const { status, stdout, stderr } = spawnSync(actionlint, args, { cwd: root, encoding: "utf8" });
    assert.equal(status, 0, stdout + stderr);
  });

  it("pin every action to a major version or a commit", () => {
    for (const file of workflows) {
      const uses = readFileSync(join(root, file), "utf8").matchAll(/^\s*-? *uses: *(\S+)/gm);
      for (const [, action = ""] of uses) assert.match(action, /@(v\d+|[\da-f]{40})$/, file);
    }
  });
});
