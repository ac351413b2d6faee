/** Tests that the packages are versioned together. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";

const root = join(__dirname, "..", "..");
const read = (file: string) => readFileSync(join(root, file), "utf8");

/** Files that name earlier versions, versions of dependencies, or sample data. */
const others = [
  "CHANGELOG.md",
  "connection-strings/src/privateEndpoints.ts",
  "tests",
  "package-lock.json",
  "*go.mod",
  "*go.sum",
];

describe("npm run version-packages", () => {
  it("writes the version in every file that states it", () => {
    const versions = ["connection-strings", "provider", "plugin", "simulator"].map((name) => {
      const manifest: unknown = JSON.parse(read(join(name, "package.json")));
      return z.object({ version: z.string() }).parse(manifest).version;
    });
    const [version = ""] = versions;
    assert.deepEqual(new Set(versions), new Set([version]));

    const search = ["grep", "-lF", version, "--", ".", ...others.map((path) => `:!${path}`)];
    const found = execFileSync("git", search, { cwd: root, encoding: "utf8" }).trim().split("\n");
    const pattern = new RegExp(`(?<![\\d.])${version.replaceAll(".", "\\.")}(?![\\d.])`);
    const stating = found.filter((file) => pattern.test(read(file)));
    assert.ok(stating.length > 10, stating.join());
    const script = read("scripts/versionMentions.mjs");
    const isWritten = (file: string) =>
      script.includes(`"${file}"`) || file.endsWith("/package.json");
    assert.deepEqual(
      stating.filter((file) => !isWritten(file)),
      [],
    );
  });
});
