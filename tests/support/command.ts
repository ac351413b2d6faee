/** Commands that a test starts. */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { endProcessesWith } from "../../scripts/markedProcesses.cjs";
import type { Cleanup } from "./cleanup";

/** The result of a command that has ended. */
export interface CommandResult {
  /** Null if a signal ended the command. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Command {
  /** Resolves when the command has ended and its output is complete. */
  readonly result: Promise<CommandResult>;
  /** Resolves with the first line of standard output. Call it before awaiting anything else. */
  readonly firstLine: () => Promise<string>;
  readonly kill: (signal: NodeJS.Signals) => void;
}

export interface CommandOptions {
  readonly cwd?: string;
  /** The whole environment. Default: the environment of the tests. */
  readonly env?: NodeJS.ProcessEnv;
  /** Standard input. Default: none */
  readonly input?: string;
  /** Starts the command in its own process group; `kill` then signals the whole group. Default: false */
  readonly ownGroup?: boolean;
}

/** Node.js runs the command from its sources, so that its coverage is measured. */
export function sourceCommand(
  packageFolder: "connection-strings" | "provider" | "simulator",
): string[] {
  const root = join(__dirname, "../..");
  const transpile = join(root, "scripts", "transpile.cjs");
  return ["--require", transpile, join(root, packageFolder, "src", "cli.ts")];
}

/** Returns only the variables that commands need, which are PATH and those that measure the coverage. */
export function minimalEnvironment(): NodeJS.ProcessEnv {
  const { PATH, NODE_OPTIONS, NODE_V8_COVERAGE } = process.env;
  return { PATH, NODE_OPTIONS, NODE_V8_COVERAGE };
}

/**
 * Starts a command.
 *
 * @param cleanup kills the command and its child processes if they are still running
 */
export function startCommand(
  cleanup: Cleanup,
  command: string,
  args: readonly string[],
  { cwd, env, input = "", ownGroup = false }: CommandOptions = {},
): Command {
  const mark = randomUUID();
  const child = spawn(command, args, {
    cwd,
    env: { ...(env ?? process.env), TESTED_COMMAND: mark },
    stdio: "pipe",
    detached: ownGroup,
  });
  cleanup(async () => {
    await stopChild(child, "SIGKILL");
    // A command that was killed leaves its child processes behind.
    endProcessesWith(mark);
  });
  child.stdin.on("error", () => undefined).end(input);
  const outputs = Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  const result = outputs.then(([stdout, stderr]) => ({ code: child.exitCode, stdout, stderr }));
  return {
    result,
    firstLine: () =>
      new Promise((resolve, reject) => {
        createInterface({ input: child.stdout }).once("line", resolve);
        child.once("close", () => {
          reject(new Error(`${command} ended without output`));
        });
      }),
    kill: (signal) => {
      if (ownGroup && child.pid !== undefined) process.kill(-child.pid, signal);
      else child.kill(signal);
    },
  };
}

/** Waits until a condition holds. Fails if the command ends earlier. */
export async function waitWhileRunning(
  { result }: Command,
  holds: () => boolean | Promise<boolean>,
): Promise<void> {
  while (!(await holds())) {
    const ended = await Promise.race([result, sleep(20)]);
    assert.equal(ended, undefined);
  }
}

/** Skips the tests of the enclosing `describe` on Windows, which has neither signals nor shell scripts as commands. */
export function skipOnWindows(): void {
  before("skip on Windows", function () {
    if (process.platform === "win32") this.skip();
  });
}

/** Sends a signal to a child process that is still running, and waits until it has ended. */
export async function stopChild(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  child.kill(signal);
  await once(child, "exit");
}
