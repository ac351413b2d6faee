// @ts-check
// The simulator as the demo stack's service: started with the quickstart's seed, its state kept
// between runs, stopped when the work is over.
import { spawn } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import readline from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { Failure } from "./terminal/failure.mjs";
import { demoFolder, root } from "./workspace.mjs";

const READY_WITHIN_MILLISECONDS = 30_000;
const STOPPED_WITHIN_MILLISECONDS = 5_000;

/**
 * @template T
 * @param {(service: { url: string, caFile: string }) => Promise<T>} work done while it runs
 * @returns {Promise<T>} what the work gives
 * @throws {Failure} if the simulator does not start
 */
export async function withSimulator(work) {
  fs.mkdirSync(demoFolder, { recursive: true });
  const simulator = start();
  try {
    return await work(await ready(simulator));
  } finally {
    await stop(simulator);
  }
}

/** @typedef {import("node:child_process").ChildProcessByStdio<null, import("node:stream").Readable, null>} Simulator */

function start() {
  const args = [
    path.join(root, "simulator", "dist", "cli.js"),
    ...["--port", "0"],
    ...["--seed", path.join(root, "examples", "quickstart", "seed.json")],
    ...["--state", path.join(demoFolder, "simulator.json")],
    ...["--ca-out", path.join(demoFolder, "ca.pem")],
  ];
  // In a process group of its own: Ctrl-C on the terminal is Pulumi's, which needs its service
  // until it has cancelled in order.
  return spawn(process.execPath, args, {
    cwd: root,
    detached: true,
    stdio: ["ignore", "pipe", "inherit"],
  });
}

/**
 * @param {Simulator} simulator
 * @returns {Promise<{ url: string, caFile: string }>} from the one line it prints when it is ready
 */
function ready(simulator) {
  return new Promise((resolve, reject) => {
    readline.createInterface({ input: simulator.stdout }).once("line", (line) => {
      const service = parsed(line);
      if (service) resolve(service);
      else reject(new Failure(`The simulator did not say where it is, but: ${line}`));
    });
    simulator.once("error", (error) => {
      reject(new Failure(`The simulator cannot be started: ${error.message}`));
    });
    simulator.once("exit", (code) => {
      reject(new Failure(`The simulator ended (exit code ${code}) before it was ready.`));
    });
    void delay(READY_WITHIN_MILLISECONDS, undefined, { ref: false }).then(() => {
      reject(new Failure("The simulator was not ready within 30 seconds."));
    });
  });
}

/**
 * @param {string} line
 * @returns {{ url: string, caFile: string } | undefined}
 */
function parsed(line) {
  try {
    const { url, caFile } = JSON.parse(line);
    return typeof url === "string" && typeof caFile === "string" ? { url, caFile } : undefined;
  } catch {
    return undefined;
  }
}

/** @param {Simulator} simulator */
async function stop(simulator) {
  if (simulator.exitCode !== null || simulator.signalCode !== null) return;
  const exited = new Promise((resolve) => simulator.once("exit", resolve));
  simulator.kill("SIGTERM");
  const late = delay(STOPPED_WITHIN_MILLISECONDS, "late", { ref: false });
  if ((await Promise.race([exited, late])) === "late") simulator.kill("SIGKILL");
}
