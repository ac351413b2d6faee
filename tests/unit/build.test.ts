import assert from "node:assert/strict";
import { cpSync, existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder, useCleanup } from "../support/cleanup";
import { startCommand } from "../support/command";

const root = join(__dirname, "../..");

describe("npm run build", function () {
  this.timeout(60_000);
  const cleanup = useCleanup("test");

  /** Creates a repository with the scripts of this one, whose packages have a source each and need no bundles. */
  function createRepository(): string {
    const repository = temporaryFolder(cleanup);
    for (const name of [
      "package-lock.json",
      "package.json",
      "tsconfig.json",
      "LICENSE",
      "scripts",
    ]) {
      cpSync(join(root, name), join(repository, name), { recursive: true });
    }
    for (const name of ["connection-strings", "provider", "plugin", "simulator"]) {
      mkdirSync(join(repository, name, "src"), { recursive: true });
      writeFileSync(join(repository, name, "src", "index.ts"), "export const value = 1;\n");
      writeFileSync(join(repository, name, "bundle.mjs"), "");
      cpSync(join(root, name, "tsconfig.json"), join(repository, name, "tsconfig.json"));
    }
    const bundling = join("provider", "bundling.mjs");
    cpSync(join(root, bundling), join(repository, bundling));
    mkdirSync(join(repository, "node_modules"));
    for (const name of ["@types", "typescript7"]) {
      const installed = join("node_modules", name);
      symlinkSync(join(root, installed), join(repository, installed), "junction");
    }
    writeFileSync(join(repository, "node_modules", ".package-lock.json"), "{}");
    return repository;
  }

  it("compiles a package again if one of its files is missing", async () => {
    const repository = createRepository();
    const compiled = join(repository, "provider", "dist", "index.js");
    for (const state of ["new", "missing"]) {
      rmSync(compiled, { force: true });
      const script = join(repository, "scripts", "build.mjs");
      const { code, stderr } = await startCommand(cleanup, process.execPath, [script]).result;
      assert.equal(code, 0, stderr);
      assert.ok(existsSync(compiled), state);
    }
  });
});
