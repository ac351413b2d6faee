// @ts-check
/**
 * The simulator of the demo stack. A lock ensures that only one process serves its state: `npm run simulator`, or
 * a command that needs the service. A file contains the address of the service of `npm run simulator`.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import https from "node:https";
import path from "node:path";
import readline from "node:readline";
import { clearTimeout, setTimeout } from "node:timers";
import { withLock } from "../firstRun/lock.mjs";
import { Failure, say } from "../terminal.mjs";
import { demoFolder, root } from "../workspace.mjs";

const readyTimeout = 30_000;
const stopTimeout = 5_000;
const requestTimeout = 5_000;
const recordFile = path.join(demoFolder, "service.json");
/** Outside the folder, because `--fresh` deletes the folder. */
const lock = `${demoFolder}.lock`;
const waiting = `Waiting for another command that uses the simulator (lock: ${lock}).`;

/**
 * @typedef {object} Service
 * @property {string} url
 * @property {string} caFile path of the CA certificate
 *
 * @typedef {Service & { pid: number }} Record
 * @typedef {Record & { ended: Promise<never> }} RunningSimulator ended: rejects when the simulator ends
 */

/**
 * Runs work that needs the service. Uses the service of `npm run simulator` if it is running; otherwise,
 * starts one and stops it after the work.
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
    return withSimulator([], work);
  };
  return withLock(lock, own, { waiting, unless });
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
    withSimulator(options, async (simulator) => {
      const { url, caFile, pid } = simulator;
      fs.writeFileSync(recordFile, `${JSON.stringify({ url, caFile, pid })}\n`);
      try {
        return await work(simulator);
      } finally {
        fs.rmSync(recordFile, { force: true });
      }
    });
  return withLock(lock, serve, { waiting, unless });
}

/**
 * Starts the simulator with the quickstart's seed, runs the work, and stops the simulator. Its state persists
 * between runs.
 * @template T
 * @param {string[]} options further options of clouddb-simulator
 * @param {(simulator: RunningSimulator) => Promise<T>} work
 * @returns {Promise<T>} the result of the work
 * @throws {Failure} if the simulator does not start
 */
async function withSimulator(options, work) {
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
  const simulator = spawn(process.execPath, args, {
    cwd: root,
    detached: true,
    // Not a terminal, on which the simulator would introduce itself, because the commands print their own messages.
    stdio: ["ignore", "pipe", "pipe"],
  });
  simulator.stderr.pipe(process.stderr, { end: false });
  const closed = once(simulator, "close");
  let timer;
  try {
    const ended = closed.then(([code, signal]) => {
      throw new Failure(`The simulator ended with ${signal ?? `exit code ${code}`}.`);
    });
    const timeout = new Promise((_, reject) => {
      const failure = new Failure(`The simulator was not ready within ${readyTimeout / 1000} s.`);
      timer = setTimeout(() => reject(failure), readyTimeout);
    });
    const line = once(readline.createInterface({ input: simulator.stdout }), "line");
    const [ready] = await Promise.race([line, ended, timeout]);
    return await work({ ...parseService(ready), pid: simulator.pid ?? 0, ended });
  } finally {
    clearTimeout(timer);
    simulator.kill();
    const kill = setTimeout(() => simulator.kill("SIGKILL"), stopTimeout);
    await closed;
    clearTimeout(kill);
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

/**
 * Returns the service of `npm run simulator` if it is running. Ignores the file of a killed command, because no
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
