// @ts-check
/** The simulator of the demo stack. A lock ensures that only one process serves its state. */
import { once } from "node:events";
import fs from "node:fs";
import https from "node:https";
import path from "node:path";
import { withLock } from "../firstRun/lock.mjs";
import { Failure, say } from "../terminal.mjs";
import { demoFolder, root } from "../workspace.mjs";

/** The port of the simulator, unless it is in use. With the same address at every start, a stack can keep it. */
export const usualPort = 8443;
const requestTimeout = 5_000;
const recordFile = path.join(demoFolder, "service.json");
/** Outside the folder, because `--fresh` deletes the folder. */
const lock = `${demoFolder}.lock`;
const waiting = `Waiting for another command that uses the simulator (lock: ${lock}).`;

/**
 * @typedef {"atlas" | "default"} Profile the family of services
 *
 * @typedef {object} Service
 * @property {string} url
 * @property {string} caFile path of the CA certificate
 * @property {Profile} profile
 * @property {number} [pid] the process of `npm run simulator`
 *
 * @typedef {Service & { pid: number }} Record
 */

/**
 * Runs work that needs the service. Uses the service of `npm run simulator` if it is running; otherwise, starts one and
 * stops it after the work.
 * @template T
 * @param {{ fresh: boolean }} options fresh: whether to delete the state of the stack and the service first
 * @param {(service: Service) => Promise<T>} work
 * @returns {Promise<T>} the result of the work
 */
export async function withDemoService({ fresh }, work) {
  fs.mkdirSync(path.dirname(lock), { recursive: true });
  /** @returns {Promise<T | undefined>} */
  const unless = async () => {
    const running = await findService();
    if (running === undefined) return undefined;
    say(`Using the simulator of npm run simulator: ${running.url}`);
    if (fresh) await resetDemo(running);
    return work(running);
  };
  const own = () => {
    if (fresh) fs.rmSync(demoFolder, { recursive: true, force: true });
    return withSimulator({ profile: "atlas" }, work);
  };
  return withLock(lock, own, { waiting, unless });
}

/**
 * Serves the demo with /control until the work is done. Other commands can use the service, too.
 * @template T
 * @param {Profile} profile
 * @param {(service: Service) => Promise<T>} work
 * @returns {Promise<T>} the result of the work
 * @throws {Failure} if another `npm run simulator` is running
 */
export async function serveDemo(profile, work) {
  fs.mkdirSync(path.dirname(lock), { recursive: true });
  const unless = async () => {
    const running = await findService();
    if (running === undefined) return undefined;
    throw new Failure(
      `The simulator is already running: ${running.url}\n` +
        `To stop it, press Ctrl-C in its terminal or end the process ${running.pid}.`,
    );
  };
  const serve = () =>
    withSimulator({ control: true, profile }, async (service) => {
      fs.writeFileSync(recordFile, `${JSON.stringify({ ...service, pid: process.pid })}\n`);
      try {
        return await work(service);
      } finally {
        fs.rmSync(recordFile, { force: true });
      }
    });
  return withLock(lock, serve, { waiting, unless });
}

/**
 * Starts the simulator with the quickstart's seed, runs the work, and stops the simulator. Its state persists between
 * runs. If the usual port is in use, the simulator takes a free one.
 * @template T
 * @param {{ control?: true, profile: Profile }} settings
 * @param {(service: Service) => Promise<T>} work
 * @returns {Promise<T>} the result of the work
 */
async function withSimulator(settings, work) {
  fs.mkdirSync(demoFolder, { recursive: true });
  const seed = path.join(root, "examples", "quickstart", "seed.json");
  const caFile = path.join(demoFolder, "ca.pem");
  // Not at the start, because the package may have to be built first.
  const { startSimulator } = await import("clouddb-simulator");
  const start = (/** @type {number} */ port) =>
    startSimulator({
      seed: JSON.parse(fs.readFileSync(seed, "utf8")),
      stateFile: path.join(demoFolder, "simulator.json"),
      caFile,
      ...settings,
      port,
    });
  const simulator = await start(usualPort)
    .catch((error) => {
      // Windows answers EACCES for a port that it has reserved.
      if (error.code === "EADDRINUSE" || error.code === "EACCES") return start(0);
      throw error;
    })
    .catch((error) => {
      throw new Failure(`The simulator cannot start: ${error.message}`);
    });
  try {
    return await work({ url: simulator.url, caFile, profile: settings.profile });
  } finally {
    await simulator.stop();
  }
}

/**
 * Returns the service of `npm run simulator` if it is running. Ignores the file of a killed command, because no running
 * server has a certificate from its authority.
 * @returns {Promise<Record | undefined>}
 */
async function findService() {
  try {
    /** @type {Record} */
    const record = JSON.parse(fs.readFileSync(recordFile, "utf8"));
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

/**
 * Sends a request to the simulator. The body of a POST is an empty JSON object.
 * @param {Service} service
 * @param {"GET" | "POST"} method
 * @param {string} location
 * @returns {Promise<number | undefined>} the status of the response
 */
async function requestStatus({ url, caFile }, method, location) {
  const request = https.request(new URL(location, url), {
    method,
    ca: fs.readFileSync(caFile),
    headers: { "content-type": "application/json" },
    signal: AbortSignal.timeout(requestTimeout),
  });
  request.end(method === "POST" ? "{}" : undefined);
  const [response] = await once(request, "response");
  response.resume();
  await once(response, "end");
  return response.statusCode;
}
