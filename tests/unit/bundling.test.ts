import assert from "node:assert/strict";
import { cpSync, mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import type * as bundling from "../../provider/bundling.mjs" with { "resolution-mode": "import" };
import { temporaryFolder, useCleanup } from "../support/cleanup";

const hour = 3_600_000;

/** Returns what a repository's own copy of the module says about its package `plugin`. */
async function pluginIn(repository: string) {
  const module = pathToFileURL(join(repository, "provider", "bundling.mjs")).href;
  const { isCurrent, recordBuild } = (await import(module)) as typeof bundling;
  const folder = join(repository, "plugin");
  return {
    isCurrent: () => isCurrent(folder),
    record: () => {
      const started = Date.now();
      recordBuild(folder, { started, inputs: ["source.ts"], outputs: ["bundle.js"] });
    },
    change: (name: string, text: string, age = 0) => {
      writeAged(join(folder, name), text, age);
    },
    remove: (name: string) => {
      rmSync(join(folder, name));
    },
  };
}

function writeAged(file: string, text: string, age: number): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  const time = new Date(Date.now() - age);
  utimesSync(file, time, time);
}

describe("the bundles of a package", () => {
  const cleanup = useCleanup("test");

  /** Creates a repository whose files are an hour old. */
  function createRepository(): string {
    const repository = temporaryFolder(cleanup);
    const module = "provider/bundling.mjs";
    const own = ["bundle.mjs", "package.json", "tsconfig.json", "source.ts", "bundle.js"];
    for (const [name, text] of [
      [module, readFileSync(join(__dirname, "../..", module), "utf8")],
      ["node_modules/.package-lock.json", ""],
      ["tsconfig.json", ""],
      ...own.map((name) => [`plugin/${name}`, name] as const),
    ] as const) {
      writeAged(join(repository, name), text, hour);
    }
    return repository;
  }

  it("are current after a build, until a source becomes newer or older or a bundle is missing", async () => {
    const plugin = await pluginIn(createRepository());
    assert.equal(plugin.isCurrent(), false, "nothing was built");
    plugin.record();
    assert.equal(plugin.isCurrent(), true);
    plugin.change("source.ts", "source.tt", hour / 2);
    assert.equal(plugin.isCurrent(), false, "newer");
    plugin.record();
    plugin.change("source.ts", "an older text", 2 * hour);
    assert.equal(plugin.isCurrent(), false, "older");
    plugin.record();
    plugin.remove("bundle.js");
    assert.equal(plugin.isCurrent(), false, "missing");
  });

  it("are current in a copy of the repository, until a source changes or a bundle is missing there", async () => {
    const repository = createRepository();
    const original = await pluginIn(repository);
    original.record();
    for (const damage of ["source.ts", "bundle.js"]) {
      const copy = temporaryFolder(cleanup);
      cpSync(repository, copy, { recursive: true, preserveTimestamps: true });
      const plugin = await pluginIn(copy);
      assert.equal(plugin.isCurrent(), true);
      if (damage === "source.ts") plugin.change(damage, "another text");
      else plugin.remove(damage);
      assert.equal(plugin.isCurrent(), false, damage);
    }
    assert.equal(original.isCurrent(), true);
  });

  it("are not current if a file changed while they were built", async () => {
    const plugin = await pluginIn(createRepository());
    plugin.change("source.ts", "source.ts", -hour);
    plugin.record();
    assert.equal(plugin.isCurrent(), false);
  });
});
