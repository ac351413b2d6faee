// When the bootstrap installs: only where node_modules does not hold what the lock asks for.
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

  it("are missing where nothing was ever installed", async () => {
    lock("package-lock.json", { "node_modules/mocha": mocha });
    assert.equal(await areInstalled(), false);
  });

  it("are installed where npm left what the lock asks for", async () => {
    lock("package-lock.json", { "node_modules/mocha": mocha });
    lock("node_modules/.package-lock.json", { "node_modules/mocha": mocha });
    assert.equal(await areInstalled(), true);
  });

  it("may lack packages for other platforms, and may have more than the lock asks for", async () => {
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

  it("are stale where the lock asks for another version, or for a package more", async () => {
    lock("node_modules/.package-lock.json", { "node_modules/mocha": mocha });
    lock("package-lock.json", { "node_modules/mocha": { ...mocha, version: "12.0.4" } });
    assert.equal(await areInstalled(), false);
    lock("package-lock.json", { "node_modules/mocha": mocha, "node_modules/semver": mocha });
    assert.equal(await areInstalled(), false);
  });

  async function areInstalled() {
    const dependencies = await import("../../../tools/bootstrap/dependencies.mjs");
    return dependencies.areInstalled(folder);
  }

  function lock(file: string, packages: Record<string, LockedPackage>) {
    writeFileSync(join(folder, file), JSON.stringify({ packages }));
  }
});
