/**
 * Measures how many authenticated requests for a list of 20 clusters the simulator handles per second,
 * compared with a bare handler of the same framework that sends the same bytes. Uses HTTPS with
 * keep-alive; server and client are separate processes. Prints a Markdown table:
 *   npm run build && node bench/simulator.mjs [seconds] [rounds]
 */
import { fork } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { request } from "node:https";
import { fileURLToPath } from "node:url";
import autocannon from "autocannon";
import Fastify from "fastify";
import { generate } from "selfsigned";
import { startSimulator } from "clouddb-simulator";

const projectId = "64a0c0ffee0000000000a001";
const listPath = `/api/service/v1.0/groups/${projectId}/clusters`;
const apiKey = { publicKey: "demo", privateKey: "demo-secret" };
const realm = "MMS Public API";

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
  app.get(listPath, (_request, reply) => reply.type("application/json; charset=utf-8").send(body));
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
  // Alternates, so that other load on the machine affects both.
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
    `\nThe simulator handles ${Math.round((100 * second) / first)} % of the requests that the bare handler does.`,
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

function digest(nonce, count) {
  const hash = (text) => createHash("md5").update(text).digest("hex");
  const nc = count.toString(16).padStart(8, "0");
  const first = hash(`${apiKey.publicKey}:${realm}:${apiKey.privateKey}`);
  const response = hash(`${first}:${nonce}:${nc}:abc:auth:${hash(`GET:${listPath}`)}`);
  return `Digest username="${apiKey.publicKey}", realm="${realm}", nonce="${nonce}", uri="${listPath}", response="${response}", qop=auth, nc=${nc}, cnonce="abc"`;
}

function get(url, headers = {}) {
  return new Promise((resolve, reject) => {
    request(new URL(listPath, url), { headers, rejectUnauthorized: false }, async (response) => {
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

function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  return (sorted[Math.floor(middle)] + sorted[Math.ceil(middle)]) / 2;
}
