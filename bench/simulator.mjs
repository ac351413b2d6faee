// How many authenticated list requests of 20 clusters the simulator answers in a second, beside a
// bare handler of the same framework that sends the same bytes. Over HTTPS with keep-alive; server
// and client are processes of their own. Prints a Markdown table:
//   npm run build && node bench/simulator.mjs [seconds] [rounds]
import { fork } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { request } from "node:https";
import { fileURLToPath } from "node:url";
import autocannon from "autocannon";
import Fastify from "fastify";
import { generate } from "selfsigned";
import { startSimulator } from "clouddb-simulator";

const PROJECT = "64a0c0ffee0000000000a001";
const PATH = `/api/service/v1.0/groups/${PROJECT}/clusters`;
const KEY = { publicKey: "demo", privateKey: "demo-secret" };
const REALM = "MMS Public API";

if (process.send) await serve(process.argv[2]);
else await measure(Number(process.argv[2] ?? 5), Number(process.argv[3] ?? 5));

async function serve(kind) {
  if (kind === "simulator") {
    const { url } = await startSimulator({ seed: seed(), requestsPerMinute: Infinity });
    process.send({ url });
    return;
  }
  const [body] = await once(process, "message");
  const { cert, private: key } = await generate([{ name: "commonName", value: "localhost" }], {
    keyType: "ec",
    algorithm: "sha256",
  });
  const app = Fastify({ https: { key, cert } });
  app.get(PATH, (_request, reply) => reply.type("application/json; charset=utf-8").send(body));
  process.send({ url: await app.listen({ port: 0, host: "127.0.0.1" }) });
}

async function measure(seconds, rounds) {
  const simulator = start("simulator");
  const simulated = await simulator.url;
  const challenge = await get(simulated);
  const nonce = /nonce="([^"]+)"/.exec(challenge.headers["www-authenticate"])[1];
  let count = 0;
  const authorization = () => digest(nonce, ++count);
  const { text } = await get(simulated, { authorization: authorization() });
  const bare = start("bare");
  bare.child.send(text);
  const servers = [
    { name: "bare Fastify handler, the same bytes", url: await bare.url, rates: [] },
    { name: "clouddb-simulator, digest checked", url: simulated, rates: [] },
  ];
  // In turns, so that whatever else the machine does falls on both.
  for (let round = 0; round <= rounds; round++) {
    for (const server of servers) {
      const rate = await run(server.url, round === 0 ? 2 : seconds, authorization);
      if (round > 0) server.rates.push(rate);
    }
  }
  simulator.child.kill();
  bare.child.kill();
  const [first, second] = servers.map(({ rates }) => median(rates));
  console.log(
    `| ${rounds} rounds of ${seconds} s, lists of 20 clusters (${text.length} bytes) | requests/s, median | lowest to highest |`,
  );
  console.log("|---|---|---|");
  for (const { name, rates } of servers) {
    const sorted = [...rates].sort((a, b) => a - b);
    console.log(
      `| ${name} | ${Math.round(median(rates))} | ${Math.round(sorted[0])} to ${Math.round(sorted.at(-1))} |`,
    );
  }
  console.log(
    `\nThe simulator reaches ${Math.round((100 * second) / first)} % of the bare handler.`,
  );
}

function start(kind) {
  const child = fork(fileURLToPath(import.meta.url), [kind]);
  return { child, url: once(child, "message").then(([{ url }]) => url) };
}

async function run(url, seconds, authorization) {
  const result = await autocannon({
    url,
    duration: seconds,
    connections: 10,
    // The same work for the client, whichever server it asks.
    requests: [
      {
        method: "GET",
        path: PATH,
        setupRequest: (outgoing) => ({
          ...outgoing,
          headers: { ...outgoing.headers, authorization: authorization() },
        }),
      },
    ],
  });
  if (result.non2xx > 0 || result.errors > 0) {
    throw new Error(`${url}: ${result.non2xx} refusals, ${result.errors} errors`);
  }
  return result.requests.average;
}

function digest(nonce, count) {
  const hash = (text) => createHash("md5").update(text).digest("hex");
  const nc = count.toString(16).padStart(8, "0");
  const first = hash(`${KEY.publicKey}:${REALM}:${KEY.privateKey}`);
  const response = hash(`${first}:${nonce}:${nc}:abc:auth:${hash(`GET:${PATH}`)}`);
  return `Digest username="${KEY.publicKey}", realm="${REALM}", nonce="${nonce}", uri="${PATH}", response="${response}", qop=auth, nc=${nc}, cnonce="abc"`;
}

function get(url, headers = {}) {
  return new Promise((resolve, reject) => {
    request(new URL(PATH, url), { headers, rejectUnauthorized: false }, async (response) => {
      let text = "";
      for await (const chunk of response) text += chunk;
      resolve({ headers: response.headers, text });
    })
      .on("error", reject)
      .end();
  });
}

function seed() {
  return {
    organizations: [
      { name: "acme", apiKeys: [{ ...KEY, roles: [{ projectId: PROJECT, role: "owner" }] }] },
    ],
    projects: [
      {
        id: PROJECT,
        name: "orders",
        organization: "acme",
        clusters: Array.from({ length: 20 }, (_, at) => ({ name: `cluster-${at}`, peering: true })),
      },
    ],
  };
}

function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  return (sorted[Math.floor(middle)] + sorted[Math.ceil(middle)]) / 2;
}
