/** Tests that the packages are versioned together, on a copy of the repository. */
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, readFileSync, readdirSync } from "node:fs";
import { basename, join, relative } from "node:path";
import { z } from "zod";
import { temporaryFolder, useCleanup } from "../support/cleanup";

const root = join(__dirname, "..", "..");
const packages = ["connection-strings", "provider", "plugin", "simulator"];

/** Folders that are not in the repository. */
const ignored = ["node_modules", "dist", ".git", ".clouddb", "coverage", "sbom"];

/** Files that name earlier versions, versions of dependencies, or sample data. */
const otherVersions = [
  /^CHANGELOG\.md$/,
  /^\.changeset\//,
  /^tests\//,
  /(^|\/)(package-lock\.json|go\.(mod|sum))$/,
];

const manifestSchema = z.object({
  version: z.string(),
  dependencies: z.record(z.string(), z.string()).default({}),
});

describe("npm run version-packages", () => {
  const cleanup = useCleanup("test");
  let folder: string;

  beforeEach(() => {
    folder = temporaryFolder(cleanup);
    cpSync(root, folder, {
      recursive: true,
      filter: (source) => !ignored.includes(basename(source)),
    });
    execFileSync("git", ["init", "--quiet"], { cwd: folder });
  });

  function manifest(name: string) {
    const file = join(folder, name, "package.json");
    return manifestSchema.parse(JSON.parse(readFileSync(file, "utf8")));
  }

  /** Sets the next version of the packages, and returns it. */
  function setVersions() {
    const command = join(root, "node_modules", "@changesets", "cli", "bin.js");
    execFileSync(process.execPath, [command, "version"], { cwd: folder, stdio: "pipe" });
    const versions = new Set(packages.map((name) => manifest(name).version));
    assert.equal(versions.size, 1, [...versions].join());
    return manifest("provider").version;
  }

  /** Writes the version of the packages wherever else it is stated. */
  function updateMentions() {
    const args = [join(folder, "scripts", "versionMentions.mjs")];
    return spawnSync(process.execPath, args, { encoding: "utf8" });
  }

  /** Returns the text of a file, for an example without its own version. */
  function withoutOwnVersion(file: string): string {
    const text = readFileSync(join(folder, file), "utf8");
    return /^examples\/.*package\.json$/.test(file) ? text.replace(/^ {2}"version":.*/m, "") : text;
  }

  /** Returns the files that contain a version, without those that name other versions. */
  function filesWith(version: string): string[] {
    const pattern = new RegExp(`(?<![\\d.])${version.replaceAll(".", "\\.")}(?![\\d.])`);
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
      .filter((file) => !otherVersions.some((each) => each.test(file)))
      .filter((file) => pattern.test(withoutOwnVersion(file)));
  }

  it("leaves no file that states the previous version", () => {
    const before = manifest("provider").version;
    const stating = filesWith(before);
    assert.ok(stating.length > 10, stating.join());
    const version = setVersions();
    const { status, stderr } = updateMentions();
    assert.equal(status, 0, stderr);
    assert.deepEqual(filesWith(before), []);
    const schema = readFileSync(join(folder, "plugin", "schema.json"), "utf8");
    assert.equal(manifestSchema.parse(JSON.parse(schema)).version, version);
    assert.ok(filesWith(version).includes("docs/guides/languages.md"));
  });
});
