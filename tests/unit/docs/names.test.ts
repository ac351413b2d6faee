/** Checks that no file of the project uses a name that it must not use. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { pages } from "./markdown";

const root = join(__dirname, "../../..");

/** Returns the lines of all files that match a pattern, outside of this file. */
function linesMatching(pattern: string): string[] {
  const options = ["grep", "-nIP", pattern, "--", ":!tests/unit/docs/names.test.ts"];
  const { status, stdout } = spawnSync("git", options, { cwd: root, encoding: "utf8" });
  assert.ok(status === 0 || status === 1, "git grep failed");
  return stdout.split("\n").filter(Boolean);
}

describe("the names in all files", () => {
  it("runs the packages' commands only if they are installed", () => {
    assert.ok(linesMatching("npx --no (-- )?(pulumi-clouddb|clouddb-)").length > 10);
    assert.deepEqual(linesMatching("npx (--no-install )?(pulumi-clouddb|clouddb-)"), []);
  });

  it("calls the profile of MongoDB Atlas atlas", () => {
    const uses = linesMatching("(?<![/\\w.-])(?<!API )v2(?!\\.?[\\w/-])");
    assert.deepEqual(
      uses.filter((line) => !/^\S+go\.(mod|sum):/.test(line)),
      [],
    );
  });

  // Until the first release, nobody owns the names in the registries, so anybody could publish packages there.
  it("installs nothing of an unpublished name before the first release", () => {
    const install =
      /^.*\b(?:(?:npm (?:install|i)|(?:pnpm|yarn) add)\b.* |plugin install .*--server )(?:pulumi-|clouddb-|pulumi-resource-|github:).*$/gm;
    const found = pages().flatMap(({ path, text }) =>
      path === "CONTRIBUTING.md"
        ? []
        : (text.match(install) ?? []).map((line) => `${path}: ${line}`),
    );
    assert.deepEqual(found, []);
  });
});
