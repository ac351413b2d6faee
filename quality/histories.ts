/** Plays histories for a long time, in one process for each core. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { type Outcome, conditionsText, log } from "./report";

/** The last line of a process that found nothing (tests/interleavings/histories.test.ts). */
const counted = /^\s*(\d+) histories keep the invariants$/;

const mocha = [
  ...["--require", "./scripts/transpile.cjs", require.resolve("mocha/bin/mocha.js")],
  "tests/interleavings/histories.test.ts",
];

/** Stops at the first history that violates an invariant. */
export async function playHistories(minutes: number): Promise<Outcome> {
  const children: ChildProcess[] = [];
  const played = Array.from({ length: availableParallelism() }, async (_, worker) => {
    const child = spawn(process.execPath, mocha, {
      cwd: join(__dirname, ".."),
      env: { ...process.env, HISTORY_SECONDS: String(minutes * 60) },
      stdio: ["ignore", "pipe", "inherit"],
    });
    children.push(child);
    const exited = once(child, "exit");
    let histories = 0;
    for await (const line of createInterface({ input: child.stdout })) {
      log(`${worker + 1}: ${line}`);
      histories += Number(counted.exec(line)?.[1] ?? 0);
    }
    await exited;
    const isFailed = child.exitCode !== 0;
    if (isFailed) for (const other of children) if (other !== child) other.kill();
    return { histories, isFailed };
  });
  const results = await Promise.all(played);
  const total = results.reduce((sum, { histories }) => sum + histories, 0);
  const count = total.toLocaleString("en-US");
  const perMinute = Math.round(total / minutes).toLocaleString("en-US");
  const violations = results.some(({ isFailed }) => isFailed) ? ["a history, printed above"] : [];
  const verdict = violations.length === 0 ? ", without a violation" : "";
  const report = `\`npm run quality -- histories --minutes ${minutes}\`: ${count} histories, ${perMinute} a minute in ${results.length} processes${verdict}, ${conditionsText()}`;
  return { report, violations };
}
