import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { canListProcesses, processesWith } from "../../../scripts/markedProcesses.cjs";
import { temporaryFolder, useCleanup } from "../../support/cleanup";
import { startCommand } from "../../support/command";
import { waitUntil } from "../../support/waitUntil";

const root = join(__dirname, "../../..");
const results = () => import("../../../scripts/testResults.mjs");

describe("the processes that a test run leaves behind", () => {
  before(function () {
    if (!canListProcesses) this.skip();
  });

  it("are found by their environment even if their parent has ended, killed, and counted as a failure", async () => {
    const { endLeftProcesses, withLeftProcesses } = await results();
    const mark = randomUUID();
    spawnSync("sh", ["-c", "sleep 60 >/dev/null 2>&1 &"], { env: { ...process.env, mark } });
    const left = await endLeftProcesses(mark, 0.2);
    assert.deepEqual(
      left.map(({ command }) => command),
      ["sleep 60"],
    );
    assert.deepEqual(await endLeftProcesses(mark), []);
    const clean = { passed: 3, failed: 0, skipped: 0, failures: [], slowest: [] };
    const { failed, failures } = withLeftProcesses(clean, left);
    assert.equal(failed, 1);
    assert.match(failures.join(), /^processes were left behind, and then killed:\n +\d+ sleep 60$/);
    assert.equal(withLeftProcesses(clean, []), clean);
  });

  it("may end by themselves within five seconds", async () => {
    const { endLeftProcesses } = await results();
    const mark = randomUUID();
    spawn("sleep", ["0.5"], { env: { ...process.env, mark } });
    assert.deepEqual(await endLeftProcesses(mark), []);
  });

  it("include no child process of a command that a test killed", async () => {
    const mark = randomUUID();
    const releases: (() => unknown)[] = [];
    const script = "sleep 60 >/dev/null 2>&1 & echo started; wait";
    const env = { ...process.env, mark };
    const command = startCommand((release) => releases.push(release), "sh", ["-c", script], {
      env,
    });
    await command.firstLine();
    command.kill("SIGKILL");
    await command.result;
    assert.equal(processesWith(mark).length, 1);
    for (const release of releases) await release();
    await waitUntil("it has ended", () => processesWith(mark).length === 0);
  });
});

describe("the last lines of a test run", () => {
  const cleanup = useCleanup("test");

  it("repeat the titles of the failed tests before the total", () => {
    const folder = temporaryFolder(cleanup);
    const file = join(folder, "a.test.cjs");
    writeFileSync(
      file,
      `describe("a guard", () => { it("refuses", () => { throw 1; }); it("accepts", () => {}); });
       describe("a hook", () => { before("fails", () => { throw 2; }); it("is not run", () => {}); });`,
    );
    const resultFile = join(folder, "result.json");
    const mocha = [join(root, "node_modules/mocha/bin/mocha.js"), file];
    const reporter = ["--reporter", join(root, "scripts/testReporter.cjs")];
    const option = ["--reporter-option", `resultFile=${resultFile}`];
    spawnSync(process.execPath, [...mocha, ...reporter, ...option]);
    const script = `
      import { resultOf, summarize } from ${JSON.stringify(join(root, "scripts/testResults.mjs"))};
      const unit = { ...resultOf(${JSON.stringify(resultFile)}, 2), name: "unit", ms: 1 };
      const fuzz = { ...resultOf("missing", 7), name: "fuzz", ms: 1 };
      summarize([unit, fuzz], 1000);`;
    const args = ["--input-type=module", "--eval", script];
    const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
    assert.equal(stdout, "1 passed, 3 failed\n");
    assert.match(
      stderr,
      /\nFailed:\n {2}unit: a guard refuses\n {2}unit: a hook "before all" hook: fails.*\n {2}fuzz: Mocha ended with exit code 7\nTotal in 1 s:\n$/,
    );
  });
});
