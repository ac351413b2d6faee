/** Tests that changesets versions the packages together, on copies of their manifests. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { temporaryFolder, useCleanup } from "../cleanup";

const root = join(__dirname, "..", "..");
const packages = ["connection-strings", "provider", "plugin", "simulator"];
const examples = readdirSync(join(root, "examples")).map((name) => join("examples", name));
const manifests = ["", "mutation", ...packages, ...examples]
  .map((folder) => join(folder, "package.json"))
  .filter((file) => existsSync(join(root, file)));

const manifestSchema = z.object({
  version: z.string(),
  dependencies: z.record(z.string(), z.string()).default({}),
});

describe("changesets", () => {
  const cleanup = useCleanup("test");
  let folder: string;

  beforeEach(() => {
    folder = temporaryFolder(cleanup);
    for (const file of manifests) cpSync(join(root, file), join(folder, file));
    execFileSync("git", ["init", "--quiet"], { cwd: folder });
  });

  function manifest(name: string) {
    const file = join(folder, name, "package.json");
    return manifestSchema.parse(JSON.parse(readFileSync(file, "utf8")));
  }

  /** Sets the new versions, and returns the one of the packages. */
  function setVersions() {
    const command = join(root, "node_modules", "@changesets", "cli", "bin.js");
    execFileSync(process.execPath, [command, "version"], { cwd: folder, stdio: "pipe" });
    const versions = new Set(packages.map((name) => manifest(name).version));
    assert.equal(versions.size, 1, [...versions].join());
    return manifest("provider").version;
  }

  it("gives the four packages one new version, even if only one of them changed", () => {
    const config = join(".changeset", "config.json");
    cpSync(join(root, config), join(folder, config));
    const { version } = manifest("provider");
    const changeset = '---\n"clouddb-simulator": minor\n---\n\nA change of one package.\n';
    writeFileSync(join(folder, ".changeset", "one-package.md"), changeset);
    assert.notEqual(setVersions(), version);
  });

  it("makes the packages and the examples depend on the next version", () => {
    cpSync(join(root, ".changeset"), join(folder, ".changeset"), { recursive: true });
    const version = setVersions();
    assert.equal(manifest("provider").dependencies["clouddb-connection-strings"], version);
    assert.equal(manifest("examples/quickstart").dependencies["pulumi-clouddb"], `^${version}`);
  });
});
