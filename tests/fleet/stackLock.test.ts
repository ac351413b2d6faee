import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { hostname } from "node:os";
import { type LockSettings, removeStaleLock } from "../../examples/fleet/stackLock";

describe("the lock of a stack", () => {
  const endedPid = spawnSync(process.execPath, ["-e", ""]).pid;
  const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();
  const defaults: LockSettings = { uniqueHostNames: false };
  const ofEndedProcess = { host: hostname(), pid: endedPid, minutes: 1 };

  for (const [what, lock, settings, isRemoved] of [
    ["of a process that no longer exists", ofEndedProcess, { uniqueHostNames: true }, true],
    ["of this host, by default", ofEndedProcess, defaults, false],
    [
      "of a running process",
      { ...ofEndedProcess, pid: process.pid },
      { uniqueHostNames: true },
      false,
    ],
    ["of another host", { ...ofEndedProcess, host: "other" }, { uniqueHostNames: true }, false],
    [
      "that is too old",
      { ...ofEndedProcess, minutes: 61 },
      { ...defaults, staleLockMinutes: 60 },
      true,
    ],
    [
      "that is not too old",
      { ...ofEndedProcess, minutes: 59 },
      { ...defaults, staleLockMinutes: 60 },
      false,
    ],
  ] as const) {
    it(`${what} is ${isRemoved ? "removed" : "kept"}`, async () => {
      let cancelled = 0;
      const stack = {
        name: "orders",
        cancel: () => {
          cancelled += 1;
          return Promise.resolve();
        },
      };
      const { host, pid, minutes } = lock;
      const line = `created by pulumi@${host} (pid ${pid}) at ${minutesAgo(minutes)}`;
      const refusal = new Error(`the stack is currently locked by 1 lock(s).\n  file: ${line}`);
      const holder = await removeStaleLock(stack, refusal, settings);
      assert.equal(cancelled, isRemoved ? 1 : 0);
      assert.equal(holder === undefined, isRemoved);
    });
  }
});
