// @ts-check
/**
 * The service of the demo stack. A lock ensures that only one process serves its state: `npm run simulator`,
 * or a command that needs the service. A file contains the address of the service of `npm run simulator`.
 */
import fs from "node:fs";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { withSimulator } from "./demoSimulator.mjs";
import { requestStatus } from "./serviceRequest.mjs";
import { say } from "./terminal/console.mjs";
import { Failure } from "./terminal/failure.mjs";
import { stopSignal } from "./terminal/signals.mjs";
import { demoFolder } from "./workspace.mjs";

const pollInterval = 200;
const recordFile = path.join(demoFolder, "service.json");
/** Outside the folder, because `--fresh` deletes the folder. */
const lock = `${demoFolder}.lock`;

/** @typedef {import("./demoSimulator.mjs").Service} Service */
/** @typedef {import("./demoSimulator.mjs").RunningSimulator} RunningSimulator */
/** @typedef {Service & { pid: number }} Record */

/**
 * Runs work that needs the service. Uses the service of `npm run simulator` if it is running; otherwise,
 * starts one and stops it after the work.
 * @template T
 * @param {{ fresh: boolean }} options fresh: whether to delete the state of the stack and the service first
 * @param {(service: Service) => Promise<T>} work
 * @returns {Promise<T>} the result of the work
 */
export async function withDemoService({ fresh }, work) {
  const { running, release } = await findOrLock();
  if (running) {
    say(`Using the simulator of npm run simulator: ${running.url}`);
    if (fresh) await resetDemo(running);
    return work(running);
  }
  try {
    if (fresh) fs.rmSync(demoFolder, { recursive: true, force: true });
    return await withSimulator([], work);
  } finally {
    await release();
  }
}

/**
 * Serves the demo until the work is done. Other commands can use the service, too.
 * @template T
 * @param {string[]} options options of clouddb-simulator
 * @param {(simulator: RunningSimulator) => Promise<T>} work
 * @returns {Promise<T>} the result of the work
 * @throws {Failure} if another `npm run simulator` is running
 */
export async function serveDemo(options, work) {
  const { running, release } = await findOrLock();
  if (running) {
    throw new Failure(
      `The simulator is already running: ${running.url}\n` +
        `To stop it, press Ctrl-C in its terminal or end the process ${running.pid}.`,
    );
  }
  try {
    return await withSimulator(options, async (simulator) => {
      const { url, caFile, pid } = simulator;
      fs.writeFileSync(recordFile, `${JSON.stringify({ url, caFile, pid })}\n`);
      try {
        return await work(simulator);
      } finally {
        fs.rmSync(recordFile, { force: true });
      }
    });
  } finally {
    await release();
  }
}

/**
 * Returns the service of `npm run simulator` if it runs. Otherwise waits until no other command serves
 * the state, and locks it.
 * @returns {Promise<{ running: Record, release?: undefined } | { running?: undefined, release: () => Promise<void> }>}
 */
async function findOrLock() {
  const { default: lockfile } = await import("proper-lockfile");
  fs.mkdirSync(path.dirname(lock), { recursive: true });
  const options = {
    lockfilePath: lock,
    realpath: false,
    // Called if someone deletes the lock, for example with the folder. The service keeps running.
    onCompromised: () => undefined,
  };
  for (let attempt = 0; ; attempt += 1) {
    const running = await findService();
    if (running) return { running };
    try {
      const release = await lockfile.lock(lock, options);
      // Releasing fails only if the lock is gone.
      return { release: () => release().catch(() => undefined) };
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "ELOCKED")) throw error;
    }
    if (attempt === 0) say(`Waiting for another command that uses the simulator (lock: ${lock}).`);
    await delay(pollInterval);
    stopSignal.throwIfAborted();
  }
}

/**
 * Returns the service of `npm run simulator` if it is running. Ignores the file of a killed command: no
 * running server has a certificate from its authority.
 * @returns {Promise<Record | undefined>}
 */
async function findService() {
  try {
    const { url, caFile, pid } = JSON.parse(fs.readFileSync(recordFile, "utf8"));
    const record = { url: String(url), caFile: String(caFile), pid: Number(pid) };
    return (await requestStatus(record, "GET", "/")) === 200 ? record : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Deletes the state of the stack, and restores the seed of the running service.
 * @param {Service} service
 */
async function resetDemo(service) {
  const status = await requestStatus(service, "POST", "/control/reset");
  if (status !== 200) {
    throw new Failure(
      `The simulator at ${service.url} cannot be reset: status ${status}.\nStop it, then run the command again.`,
    );
  }
  fs.rmSync(path.join(demoFolder, "backend"), { recursive: true, force: true });
}
