// @ts-check
/**
 * Measures the simulator, and prints the results as JSON (simulatorResult.ts):
 * - requests for a list of 20 clusters with digest authentication, compared with a bare handler of the same
 *   framework that sends the same bytes, over HTTPS with keep-alive
 * - the start with 10,000 clusters and 1,000 projects, and the time of a page of 20 of these clusters
 * Server and client are separate processes. Run after `npm run build`:
 *   node --require ts-node/register quality/bench/simulator.mjs [seconds] [rounds]
 */
import { fork } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { Agent, request } from "node:https";
import { createRequire } from "node:module";
import { performance } from "node:perf_hooks";
import { fileURLToPath } from "node:url";
import autocannon from "autocannon";
import { apiKey, listPath } from "./simulatorSeed.mjs";

// With ts-node, only require() loads TypeScript.
/** @type {typeof import("../statistics.js")} */
const { median, spread } = createRequire(import.meta.url)("../statistics");

const realm = "MMS Public API";
const pageRuns = 300;
const warmUpRuns = 50;
/** Keeps one connection to each server open. */
const agent = new Agent({ keepAlive: true, maxSockets: 1, rejectUnauthorized: false });

const [seconds, rounds] = [Number(process.argv[2] ?? 2), Number(process.argv[3] ?? 9)];
const throughput = await measureThroughput();
const load = await measureLoad();
agent.destroy();
/** @type {import("./simulatorResult.js").SimulatorResult} */
const result = { seconds, rounds, throughput, load };
console.log(JSON.stringify(result));

async function measureThroughput() {
  const simulator = start("simulator");
  const bare = start("bare");
  try {
    const { url } = await simulator.started;
    const authorization = await signer(url);
    const { text } = await get(url, listPath, authorization(listPath));
    bare.child.send(text);
    const servers = {
      bare: { ...bare, url: (await bare.started).url, ...samples() },
      simulator: { ...simulator, url, ...samples() },
    };
    // Alternates, so that other load on the machine affects both. The first round compiles the code.
    for (let round = 0; round <= rounds; round++) {
      for (const server of Object.values(servers)) {
        const before = await cpuTime(server.child);
        const { average, total } = await run(server.url, () => authorization(listPath));
        const cpu = (await cpuTime(server.child)) - before;
        if (round === 0) continue;
        server.rates.push(average);
        server.cpuTimes.push(cpu / total);
      }
    }
    const summary = (/** @type {ReturnType<typeof samples>} */ { rates, cpuTimes }) => ({
      rate: spread(rates),
      cpuMicroseconds: spread(cpuTimes),
    });
    return {
      bytes: text.length,
      bare: summary(servers.bare),
      simulator: summary(servers.simulator),
    };
  } finally {
    simulator.child.kill();
    bare.child.kill();
  }
}

/** @returns {{ rates: number[], cpuTimes: number[] }} */
function samples() {
  return { rates: [], cpuTimes: [] };
}

async function measureLoad() {
  const small = start("simulator");
  const large = start("large");
  try {
    const { startTime, resident } = await large.started;
    const few = await pageReader(small, 1);
    const many = await pageReader(large, 10);
    /** @type {[number[], number[]]} */
    const times = [[], []];
    // Alternates. The first runs compile the code and render each page for the first time.
    for (let at = -warmUpRuns; at < pageRuns; at++) {
      const pair = [await few(at + warmUpRuns), await many(at + warmUpRuns)];
      if (at >= 0) pair.forEach((time, index) => times[index]?.push(time));
    }
    return { startTime, resident, fewPage: median(times[0]), manyPage: median(times[1]) };
  } finally {
    small.child.kill();
    large.child.kill();
  }
}

/**
 * Returns a function that reads a page of 20 clusters, and returns the time in milliseconds.
 * @param {ReturnType<typeof start>} server
 * @param {number} pages
 */
async function pageReader({ started }, pages) {
  const { url } = await started;
  const authorization = await signer(url);
  return async (/** @type {number} */ at) => {
    const path = `${listPath}?itemsPerPage=20&pageNum=${(at % pages) + 1}`;
    const header = authorization(path);
    const begin = performance.now();
    await get(url, path, header);
    return performance.now() - begin;
  };
}

/**
 * Starts a server in a separate process.
 * @param {"simulator" | "large" | "bare"} kind
 */
function start(kind) {
  const script = fileURLToPath(new URL("simulatorServer.mjs", import.meta.url));
  const child = fork(script, [kind], { execArgv: [] });
  /** @type {Promise<{ url: string, startTime: number, resident: number }>} */
  const started = new Promise((resolve, reject) => {
    child.once(
      "message",
      (/** @type {{ url: string, startTime: number, resident: number }} */ message) =>
        resolve(message),
    );
    child.once("exit", () => reject(new Error(`The ${kind} server ended.`)));
  });
  // The measurement awaits the server and reports the failure.
  started.catch(() => undefined);
  return { child, started };
}

/**
 * Returns the CPU time of a server in microseconds.
 * @param {import("node:child_process").ChildProcess} child
 */
async function cpuTime(child) {
  child.send("cpu");
  const [{ cpu }] = await once(child, "message");
  return cpu.user + cpu.system;
}

/**
 * @param {string} url
 * @param {() => string} authorization
 */
async function run(url, authorization) {
  const { non2xx, errors, requests } = await autocannon({
    url,
    duration: seconds,
    connections: 10,
    // The client does the same work for both servers.
    requests: [
      {
        method: "GET",
        path: listPath,
        setupRequest: (outgoing) => ({
          ...outgoing,
          headers: { ...outgoing.headers, authorization: authorization() },
        }),
      },
    ],
  });
  if (non2xx > 0 || errors > 0) {
    throw new Error(`${url}: ${non2xx} error responses, ${errors} errors`);
  }
  return requests;
}

/**
 * Requests a challenge, and returns a function that creates the header for a path.
 * @param {string} url
 */
async function signer(url) {
  const { nonce } = await get(url, listPath);
  const hash = (/** @type {string} */ text) => createHash("md5").update(text).digest("hex");
  const first = hash(`${apiKey.publicKey}:${realm}:${apiKey.privateKey}`);
  let count = 0;
  return (/** @type {string} */ path) => {
    const nc = (++count).toString(16).padStart(8, "0");
    const response = hash(`${first}:${nonce}:${nc}:abc:auth:${hash(`GET:${path}`)}`);
    return `Digest username="${apiKey.publicKey}", realm="${realm}", nonce="${nonce}", uri="${path}", response="${response}", qop=auth, nc=${nc}, cnonce="abc"`;
  };
}

/**
 * @param {string} url
 * @param {string} path
 * @param {string} [authorization]
 * @returns {Promise<{ nonce: string, text: string }>} the nonce of the challenge, if any, and the body
 */
function get(url, path, authorization) {
  const headers = authorization === undefined ? {} : { authorization };
  return new Promise((resolve, reject) => {
    request(new URL(path, url), { headers, agent }, async (response) => {
      let text = "";
      for await (const chunk of response) text += chunk;
      if (authorization !== undefined && response.statusCode !== 200) {
        reject(new Error(`${path}: status ${response.statusCode}`));
      }
      const challenge = String(response.headers["www-authenticate"]);
      resolve({ nonce: /nonce="([^"]+)"/.exec(challenge)?.[1] ?? "", text });
    })
      .on("error", reject)
      .end();
  });
}
