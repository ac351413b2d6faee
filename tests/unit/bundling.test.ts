import assert from "node:assert/strict";
import { readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { temporaryFolder, useCleanup } from "../support/cleanup";

const records = join(__dirname, "../../node_modules/.cache/clouddb/bundles");
const hour = 3_600_000;

describe("the bundles of a package", () => {
  const cleanup = useCleanup("test");

  /** Builds a package whose files are an hour old, as far as the record shows. */
  async function build() {
    const { isCurrent, recordBuild } = await import("../../provider/bundling.mjs");
    const folder = temporaryFolder(cleanup);
    cleanup(() => {
      rmSync(join(records, `${basename(folder)}.json`), { force: true });
    });
    const changeFile = (name: string, text: string, age: number) => {
      writeFileSync(join(folder, name), text);
      const time = new Date(Date.now() - age);
      utimesSync(join(folder, name), time, time);
    };
    const files = ["bundle.mjs", "package.json", "tsconfig.json", "source.ts", "bundle.js"];
    for (const file of files) changeFile(file, file, hour);
    const record = () => {
      const started = Date.now();
      recordBuild(folder, { started, inputs: ["source.ts"], outputs: ["bundle.js"] });
    };
    return { folder, changeFile, record, isCurrent: () => isCurrent(folder) };
  }

  it("are current after a build, until a file changes in any direction", async () => {
    const { folder, changeFile, record, isCurrent } = await build();
    assert.equal(isCurrent(), false, "nothing was built");
    record();
    assert.equal(isCurrent(), true);
    for (const change of [
      () => {
        changeFile("source.ts", "source.tt", hour / 2);
      },
      () => {
        changeFile("source.ts", "an older text", 2 * hour);
      },
      () => {
        rmSync(join(folder, "bundle.js"));
      },
    ]) {
      const before = readFileSync(join(folder, "bundle.js"), "utf8");
      change();
      assert.equal(isCurrent(), false, String(change));
      changeFile("bundle.js", before, hour);
      record();
      assert.equal(isCurrent(), true);
    }
  });

  it("are not current if a file changed while they were built", async () => {
    const { changeFile, record, isCurrent } = await build();
    changeFile("source.ts", "source.ts", -hour);
    record();
    assert.equal(isCurrent(), false);
  });
});
