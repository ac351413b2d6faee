// @ts-check
/**
 * Measures how many authenticated requests for a list of 20 clusters the simulator handles per second,
 * compared with a bare handler of the same framework that sends the same bytes. Uses HTTPS with
 * keep-alive; server and client are separate processes. Prints a Markdown table:
 *   npm run build && node --require ts-node/register bench/simulator.mjs [seconds] [rounds]
 */
import { fork } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { request } from "node:https";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import autocannon from "autocannon";
import Fastify from "fastify";
import { generate } from "selfsigned";
import { startSimulator } from "clouddb-simulator";

// With ts-node, only require() loads TypeScript.
/** @type {typeof import("./statistics.js")} */
const { median } = createRequire(import.meta.url)("./statistics");

const projectId = "64a0c0ffee0000000000a001";
const listPath = `/api/service/v1.0/groups/${projectId}/clusters`;
const apiKey = { publicKey: "demo", privateKey: "demo-secret" };
const realm = "MMS Public API";

if (process.send) await serve(process.argv[2]);
else await measure(Number(process.argv[2] ?? 5), Number(process.argv[3] ?? 5));

/** @param {string | undefined} kind */
async function serve(kind) {
  if (kind === "simulator") {
    const { url } = await startSimulator({ seed: seed(), requestsPerMinute: Infinity });
    process.send?.({ url });
    return;
  }
  const [body] = await once(process, "message");
  const { cert, private: key } = await generate([{ name: "commonName", value: "localhost" }], {
    keyType: "ec",
    algorithm: "sha256",
  });
  const app = Fastify({ https: { key, cert } });
  app.get(listPath, (_request, reply) => reply.type("application/json; charset=utf-8").send(body));
  process.send?.({ url: await app.listen({ port: 0, host: "127.0.0.1" }) });
}

/**
 * @param {number} seconds
 * @param {number} rounds
 */
async function measure(seconds, rounds) {
  const simulator = start("simulator");
  const bare = start("bare");
  try {
    const simulated = await simulator.url;
    const { nonce } = await get(simulated);
    let count = 0;
    const authorization = () => digest(nonce, ++count);
    const { text } = await get(simulated, { authorization: authorization() });
    bare.child.send(text);
    const servers = [
      { name: "bare Fastify handler, the same bytes", url: await bare.url },
      { name: "clouddb-simulator, digest checked", url: simulated },
    ].map((server) => ({ ...server, rates: /** @type {number[]} */ ([]) }));
    // Alternates, so that other load on the machine affects both.
    for (let round = 0; round <= rounds; round++) {
      for (const server of servers) {
        const rate = await run(server.url, round === 0 ? 2 : seconds, authorization);
        if (round > 0) server.rates.push(rate);
      }
    }
    const size = `${rounds} rounds of ${seconds} s, lists of 20 clusters (${text.length} bytes)`;
    print(size, servers);
  } finally {
    simulator.child.kill();
    bare.child.kill();
  }
}

/**
 * @param {string} title
 * @param {{ name: string, rates: number[] }[]} servers
 */
function print(title, servers) {
  console.log(`| ${title} | requests/s, median | lowest to highest |`);
  console.log("|---|---|---|");
  for (const { name, rates } of servers) {
    const [middle, lowest, highest] = [median(rates), Math.min(...rates), Math.max(...rates)];
    console.log(
      `| ${name} | ${Math.round(middle)} | ${Math.round(lowest)} to ${Math.round(highest)} |`,
    );
  }
  const [bare = NaN, simulator = NaN] = servers.map(({ rates }) => median(rates));
  console.log(
    `\nThe simulator handles ${Math.round((100 * simulator) / bare)} % of the requests that the bare handler does.`,
  );
}

/**
 * Starts a server in a separate process.
 * @param {"simulator" | "bare"} kind
 */
function start(kind) {
  const child = fork(fileURLToPath(import.meta.url), [kind]);
  /** @type {Promise<string>} */
  const url = new Promise((resolve, reject) => {
    child.once("message", (/** @type {{ url: string }} */ message) => resolve(message.url));
    child.once("exit", () => reject(new Error(`The ${kind} server ended.`)));
  });
  // `measure` awaits the URL and reports the failure.
  url.catch(() => undefined);
  return { child, url };
}

/**
 * Measures the requests per second of a server.
 * @param {string} url
 * @param {number} seconds
 * @param {() => string} authorization
 */
async function run(url, seconds, authorization) {
  const result = await autocannon({
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
  if (result.non2xx > 0 || result.errors > 0) {
    throw new Error(`${url}: ${result.non2xx} error responses, ${result.errors} errors`);
  }
  return result.requests.average;
}

/**
 * @param {string} nonce
 * @param {number} count
 */
function digest(nonce, count) {
  const hash = (/** @type {string} */ text) => createHash("md5").update(text).digest("hex");
  const nc = count.toString(16).padStart(8, "0");
  const first = hash(`${apiKey.publicKey}:${realm}:${apiKey.privateKey}`);
  const response = hash(`${first}:${nonce}:${nc}:abc:auth:${hash(`GET:${listPath}`)}`);
  return `Digest username="${apiKey.publicKey}", realm="${realm}", nonce="${nonce}", uri="${listPath}", response="${response}", qop=auth, nc=${nc}, cnonce="abc"`;
}

/**
 * @param {string} url
 * @param {Record<string, string>} headers
 * @returns {Promise<{ nonce: string, text: string }>} the nonce of the challenge, if any, and the body
 */
function get(url, headers = {}) {
  return new Promise((resolve, reject) => {
    request(new URL(listPath, url), { headers, rejectUnauthorized: false }, async (response) => {
      const challenge = String(response.headers["www-authenticate"]);
      const nonce = /nonce="([^"]+)"/.exec(challenge)?.[1] ?? "";
      let text = "";
      for await (const chunk of response) text += chunk;
      resolve({ nonce, text });
    })
      .on("error", reject)
      .end();
  });
}

/** @returns {import("clouddb-simulator").Seed} */
function seed() {
  return {
    organizations: [
      { name: "acme", apiKeys: [{ ...apiKey, roles: [{ projectId, role: "owner" }] }] },
    ],
    projects: [
      {
        id: projectId,
        name: "orders",
        organization: "acme",
        clusters: Array.from({ length: 20 }, (_, at) => ({ name: `cluster-${at}`, peering: true })),
      },
    ],
  };
}
