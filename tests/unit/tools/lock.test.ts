// Bootstraps that run at the same time take turns.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

describe("the bootstrap lock", () => {
  let folder: string;
  let file: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "lock-"));
    file = join(folder, "lock");
  });

  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  it("is held during the work, and released after it", async () => {
    const { withLock } = await load();
    const held = await withLock(file, () => Promise.resolve(existsSync(file)));
    assert.equal(held, true);
    assert.deepEqual(readdirSync(folder), []);
  });

  it("is released when the work fails", async () => {
    const { withLock } = await load();
    await assert.rejects(
      withLock(file, () => Promise.reject(new Error("no"))),
      /no/,
    );
    assert.deepEqual(readdirSync(folder), []);
  });

  it("makes the second wait for the first", async () => {
    const { withLock } = await load();
    const order: string[] = [];
    const work = (name: string) => async () => {
      order.push(`${name} begins`);
      await new Promise((resolve) => setTimeout(resolve, 20));
      order.push(`${name} ends`);
    };
    await Promise.all([withLock(file, work("first")), withLock(file, work("second"))]);
    assert.deepEqual(order, ["first begins", "first ends", "second begins", "second ends"]);
  });

  it("of a process that was killed does not stand in the way", async () => {
    const { withLock } = await load();
    const deadProcess = execFileSync(process.execPath, ["-p", "process.pid"], { encoding: "utf8" });
    writeFileSync(file, deadProcess.trim());
    assert.equal(await withLock(file, () => Promise.resolve("done")), "done");
  });

  function load() {
    return import("../../../tools/bootstrap/lock.mjs");
  }
});
