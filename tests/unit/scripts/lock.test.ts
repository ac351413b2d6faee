/** Tests that only one process at a time prepares a clone. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { waitUntil } from "../../waitUntil";

const root = resolve(__dirname, "../../..");
const bootstrap = join(root, "scripts", "bootstrap");

describe("preparing a clone", () => {
  let folder: string;
  let lock: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "lock-"));
    lock = join(folder, "lock");
  });

  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  describe("the lock", () => {
    it("is held during the work and released after it", async () => {
      const { withLock } = await load();
      const held = await withLock(lock, () => Promise.resolve(existsSync(lock)));
      assert.equal(held, true);
      assert.deepEqual(readdirSync(folder), []);
    });

    it("is released when the work fails", async () => {
      const { withLock } = await load();
      await assert.rejects(
        withLock(lock, () => Promise.reject(new Error("no"))),
        /no/,
      );
      assert.deepEqual(readdirSync(folder), []);
    });

    it("makes one of two callers wait for the other", async () => {
      const { withLock } = await load();
      const order: string[] = [];
      const work = (name: string) => async () => {
        order.push(`${name} begins`);
        await new Promise((resolve) => setTimeout(resolve, 20));
        order.push(`${name} ends`);
      };
      await Promise.all([withLock(lock, work("first")), withLock(lock, work("second"))]);
      const [first = "", second = ""] = [order[0], order[2]].map((event) => event?.split(" ")[0]);
      assert.notEqual(first, second);
      assert.deepEqual(order, [
        `${first} begins`,
        `${first} ends`,
        `${second} begins`,
        `${second} ends`,
      ]);
    });

    it("of a killed process expires", async () => {
      const { withLock } = await load();
      const owner = spawn(process.execPath, [
        "--input-type=module",
        "--eval",
        `import { withLock } from ${JSON.stringify(join(bootstrap, "lock.mjs"))};
       await withLock(process.argv[1], () => new Promise((resolve) => setTimeout(resolve, 60_000)));`,
        lock,
      ]);
      await waitUntil("the lock exists", () => existsSync(lock));
      owner.kill("SIGKILL");
      await once(owner, "exit");
      assert.ok(existsSync(lock));
      expire(lock);
      assert.equal(await withLock(lock, () => Promise.resolve("done")), "done");
    });

    function load() {
      return import("../../../scripts/bootstrap/lock.mjs");
    }
  });

  describe("npm ci", () => {
    const installed = JSON.stringify({ packages: { "node_modules/a": { version: "1.0.0" } } });

    beforeEach(() => {
      writeFileSync(join(folder, "package-lock.json"), installed);
      const npm = join(folder, "npm");
      writeFileSync(
        npm,
        `#!/bin/sh
[ "$1" = ci ] || exit 0
echo begin >> npm.log; sleep 0.5
mkdir node_modules; cp package-lock.json node_modules/.package-lock.json
echo end >> npm.log\n`,
      );
      chmodSync(npm, 0o755);
    });

    it("runs once when two processes start at the same time", async () => {
      assert.deepEqual(await Promise.all([install(), install()]), [0, 0]);
      assert.equal(readFileSync(join(folder, "npm.log"), "utf8"), "begin\nend\n");
      assert.equal(existsSync(lock), false);
    });

    it("succeeds although somebody removes the lock", async () => {
      writeFileSync(
        join(folder, "npm"),
        `#!/bin/sh
[ "$1" = ci ] || exit 0
rm -r "${lock}"; sleep 1.5; mkdir node_modules; cp package-lock.json node_modules/.package-lock.json\n`,
      );
      assert.equal(await install(), 0);
    });

    it("runs although a killed process left its lock behind", async () => {
      mkdirSync(lock);
      expire(lock);
      assert.equal(await install(), 0);
      assert.equal(existsSync(lock), false);
    });

    async function install() {
      const script = `import { installDependencies } from ${JSON.stringify(join(bootstrap, "dependencies.mjs"))};
      await installDependencies(${JSON.stringify(folder)}, ${JSON.stringify(lock)});`;
      const env = { ...process.env, PATH: `${folder}:${process.env["PATH"] ?? ""}` };
      const child = spawn(process.execPath, ["--input-type=module", "--eval", script], { env });
      await once(child, "exit");
      return child.exitCode;
    }
  });
});

/** Makes a lock look as if its owner had not updated it for a minute. */
function expire(lock: string) {
  const minuteAgo = new Date(Date.now() - 60_000);
  utimesSync(lock, minuteAgo, minuteAgo);
}
