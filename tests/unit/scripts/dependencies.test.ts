/** Tests that the bootstrap installs only if node_modules does not match package-lock.json. */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

interface LockedPackage {
  version: string;
  integrity: string;
  optional?: boolean;
}

const mocha = { version: "12.0.3", integrity: "sha512-mocha" };
const otherPlatform = { version: "1.0.0", integrity: "sha512-other", optional: true };

describe("the dependencies", () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "dependencies-"));
    mkdirSync(join(folder, "node_modules"));
  });

  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  it("are missing if nothing was ever installed", async () => {
    lock("package-lock.json", { "node_modules/mocha": mocha });
    assert.equal(await areInstalled(), false);
  });

  it("are installed if node_modules matches the lock file", async () => {
    lock("package-lock.json", { "node_modules/mocha": mocha });
    lock("node_modules/.package-lock.json", { "node_modules/mocha": mocha });
    assert.equal(await areInstalled(), true);
  });

  it("are installed if packages of other platforms are missing and others were added", async () => {
    lock("package-lock.json", {
      "node_modules/mocha": mocha,
      "node_modules/other": otherPlatform,
    });
    lock("node_modules/.package-lock.json", {
      "node_modules/mocha": mocha,
      "node_modules/tried-out": mocha,
    });
    assert.equal(await areInstalled(), true);
  });

  it("are missing if an interrupted install left a truncated lock file in node_modules", async () => {
    lock("package-lock.json", { "node_modules/mocha": mocha });
    writeFileSync(join(folder, "node_modules/.package-lock.json"), '{ "packages": {');
    assert.equal(await areInstalled(), false);
  });

  it("are outdated if the lock file has another version or another package", async () => {
    lock("node_modules/.package-lock.json", { "node_modules/mocha": mocha });
    lock("package-lock.json", { "node_modules/mocha": { ...mocha, version: "12.0.4" } });
    assert.equal(await areInstalled(), false);
    lock("package-lock.json", { "node_modules/mocha": mocha, "node_modules/semver": mocha });
    assert.equal(await areInstalled(), false);
  });

  async function areInstalled() {
    const dependencies = await import("../../../scripts/bootstrap/dependencies.mjs");
    return dependencies.areInstalled(folder);
  }

  function lock(file: string, packages: Record<string, LockedPackage>) {
    writeFileSync(join(folder, file), JSON.stringify({ packages }));
  }
});
