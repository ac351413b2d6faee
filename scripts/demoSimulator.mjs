// @ts-check
/** Runs the simulator with the quickstart's seed for the demo stack. Its state persists between runs. */
import fs from "node:fs";
import path from "node:path";
import readline from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { Failure } from "./terminal/failure.mjs";
import { demoFolder, root } from "./workspace.mjs";

const readyTimeout = 30_000;
const stopTimeout = 5_000;

/**
 * @typedef {object} Service
 * @property {string} url
 * @property {string} caFile path of the CA certificate
 *
 * @typedef {Service & { pid: number, ended: Promise<never> }} RunningSimulator
 *   ended: rejects with a Failure when the simulator ends
 */

/**
 * Starts the simulator, runs the work, and stops the simulator.
 * @template T
 * @param {string[]} options further options of clouddb-simulator
 * @param {(simulator: RunningSimulator) => Promise<T>} work
 * @returns {Promise<T>} the result of the work
 * @throws {Failure} if the simulator does not start
 */
export async function withSimulator(options, work) {
  const { execa } = await import("execa");
  fs.mkdirSync(demoFolder, { recursive: true });
  const args = [
    path.join(root, "simulator", "dist", "cli.js"),
    ...["--port", "0"],
    ...["--seed", path.join(root, "examples", "quickstart", "seed.json")],
    ...["--state", path.join(demoFolder, "simulator.json")],
    ...["--ca-out", path.join(demoFolder, "ca.pem")],
    ...options,
  ];
  // Detached: Ctrl-C on a terminal must not reach the simulator, because Pulumi needs it to cancel
  // cleanly.
  const simulator = execa(process.execPath, args, {
    cwd: root,
    detached: true,
    stdin: "ignore",
    stderr: "inherit",
    buffer: false,
    reject: false,
    forceKillAfterDelay: stopTimeout,
  });
  try {
    const lines = readline.createInterface({ input: simulator.stdout });
    const line = new Promise((resolve) => lines.once("line", resolve));
    const ended = simulator.then(({ shortMessage }) => {
      throw new Failure(`The simulator ended: ${shortMessage}`);
    });
    const timeout = delay(readyTimeout, undefined, { ref: false }).then(() => {
      throw new Failure(`The simulator was not ready within ${readyTimeout / 1000} s.`);
    });
    const service = parseService(await Promise.race([line, ended, timeout]));
    return await work({ ...service, pid: simulator.pid ?? 0, ended });
  } finally {
    simulator.kill();
    await simulator;
  }
}

/**
 * Parses the line that the simulator prints when it is ready.
 * @param {string} line
 * @returns {Service}
 */
function parseService(line) {
  try {
    const { url, caFile } = JSON.parse(line);
    if (typeof url === "string" && typeof caFile === "string") return { url, caFile };
  } catch {
    // Reported below.
  }
  throw new Failure(`The simulator printed an unexpected first line: ${line}`);
}
