/** Checks that no file of the project uses a name that it must not use. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { collapse, pages } from "./markdown";

const root = join(__dirname, "../../..");

/** Returns the lines of all files that match a pattern, outside of this file. */
function linesMatching(pattern: string): string[] {
  const options = ["grep", "-nIP", pattern, "--", ":!tests/unit/docs/names.test.ts"];
  const { status, stdout } = spawnSync("git", options, { cwd: root, encoding: "utf8" });
  assert.ok(status === 0 || status === 1, "git grep failed");
  return stdout.split("\n").filter(Boolean);
}

/** Returns the commands of `npm run`, and those of pulumi-clouddb, whose reference is generated from their help. */
function existingCommands(): string[] {
  const read = (file: string) => readFileSync(join(root, file), "utf8");
  const manifest = z.object({ scripts: z.record(z.string(), z.string()) });
  const scripts = ["package.json", "examples/fleet/package.json"].flatMap((file) =>
    Object.keys(manifest.parse(JSON.parse(read(file))).scripts),
  );
  const commands = read("docs/reference/commands.md").matchAll(/^## `([a-z]+)`$/gm);
  return [
    ...scripts.map((name) => `npm run ${name}`),
    ...Array.from(commands, ([, name = ""]) => `npx --no pulumi-clouddb ${name}`),
  ];
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

  it("names only commands in the pages that exist", () => {
    const command = /\b(?:npm run [\w:-]+|npx --no pulumi-clouddb [a-z]+)/g;
    const named = new Set(pages().flatMap(({ text }) => collapse(text).match(command) ?? []));
    assert.ok(named.size > 10);
    const existing = existingCommands();
    assert.deepEqual(
      [...named].filter((name) => !existing.includes(name)),
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
