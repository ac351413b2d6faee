/** Tests the GitHub workflows of the repository and of the examples with actionlint. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { buildPublished } from "../support/goProgram";
import { skipIfMissing } from "../support/missing";

const root = join(__dirname, "..", "..");
const workflows = [".github/workflows", "examples/pr-check/.github/workflows"].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((file) => /\.ya?ml$/.test(file))
    .map((file) => join(folder, file)),
);

describe("the workflows", () => {
  it("pass actionlint", function () {
    let actionlint: string;
    try {
      actionlint = buildPublished({
        name: "actionlint",
        module: "github.com/rhysd/actionlint",
        version: "v1.7.12",
        target: "./cmd/actionlint",
      });
    } catch (error) {
      skipIfMissing(this, error);
      return;
    }
    // Without shellcheck and pyflakes, which are installed on some machines only.
    const args = ["-no-color", "-shellcheck=", "-pyflakes=", ...workflows];
    const { status, stdout, stderr } = spawnSync(actionlint, args, { cwd: root, encoding: "utf8" });
    assert.equal(status, 0, stdout + stderr);
  });

  it("pin every action to a commit, with its version in a comment", () => {
    for (const file of workflows) {
      const uses = readFileSync(join(root, file), "utf8").matchAll(/^\s*-? *uses: *(.+)$/gm);
      const pinned = /^(\.\/.*|[\w/-]+@[\da-f]{40} # v\d+\.\d+\.\d+)$/;
      for (const [, action = ""] of uses) assert.match(action, pinned, file);
    }
  });
});
