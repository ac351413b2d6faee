/**
 * Measures requests: listing clusters with the client and with undici alone, which sends the same requests;
 * and the simulator and a bare handler of the same framework, which sends the same bytes.
 */
import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createSecureContext } from "node:tls";
import autocannon from "autocannon";
import type { Simulator } from "clouddb-simulator";
import { Agent, request } from "undici";
import { Client } from "../../provider/src/service/client";
import { authorization, chooseChallenge } from "../../provider/src/service/digest";
import { key } from "../../tests/service";
import { alternate, milliseconds } from "../statistics";
import { projectIdOf, resetService, seedOf } from "./service";
import type { Bench } from "./stacks";

const apiPath = "/api/service/v1.0";
const listPath = `${apiPath}/groups/${projectIdOf(0)}/clusters`;

/** Measures a listing at 30 ms latency, without a connection and a challenge at its start. */
export async function measureListing(
  { service, clusters, record }: Pick<Bench, "service" | "clusters" | "record">,
  runs: number,
): Promise<void> {
  resetService(service, 30);
  const pages = Math.ceil(clusters / 500);
  const { bare, client } = await alternate(runs, {
    bare: () => requiring(clusters, () => countBare(service, pages)),
    client: () => requiring(clusters, () => countByClient(service)),
  });
  const group = `listing of ${clusters} clusters at 30 ms`;
  record({ group, label: "bare requests", unit: "ms", values: bare, isControl: true });
  record({ group, label: "client", unit: "ms", values: client });
}

/** Measures the work. Throws unless it listed all clusters: a failed listing is fast. */
function requiring(clusters: number, work: () => Promise<number>): Promise<number> {
  return milliseconds(async () => {
    const listed = await work();
    if (listed !== clusters) throw new Error(`Listed ${listed} clusters instead of ${clusters}.`);
  });
}

async function countByClient(service: Simulator): Promise<number> {
  const client = new Client({
    baseUrl: new URL(service.url),
    extraCertificates: service.ca,
    apiPath,
    fieldPrefix: "db",
    mediaType: "application/json",
    contentType: "application/json",
    clusterPaths: [{ name: "clusters", isOptional: false }],
    requestTimeoutSeconds: 30,
    requestsPerMinute: 100,
    userAgent: "pulumi-clouddb/bench",
    credentials: { kind: "apiKey", ...key },
  });
  return (await client.listClusters(projectIdOf(0))).clusters.length;
}

async function countBare({ url, ca }: Simulator, pages: number): Promise<number> {
  const connect = { secureContext: createSecureContext({ ca }) };
  const dispatcher = new Agent({ connect });
  try {
    const sign = await signer(url, dispatcher);
    let listed = 0;
    for (let page = 1; page <= pages; page += 1) {
      const uri = `${listPath}?pageNum=${page}&itemsPerPage=500`;
      const text = await get(url + uri, sign(uri), dispatcher);
      const { results = [] } = JSON.parse(text) as { results?: unknown[] };
      listed += results.length;
    }
    return listed;
  } finally {
    await dispatcher.close();
  }
}

/** Requests a challenge, and returns a function that returns the header for a path. */
async function signer(url: string, dispatcher: Agent): Promise<(uri: string) => string> {
  const { headers, body } = await request(url + listPath, { dispatcher });
  await body.dump();
  const challenge = chooseChallenge([String(headers["www-authenticate"])]);
  if (challenge === undefined) throw new Error("The service sent no challenge.");
  let nonceCount = 0;
  return (uri) => {
    nonceCount += 1;
    return authorization(key, challenge, { method: "GET", uri, nonceCount });
  };
}

async function get(url: string, header: string, dispatcher: Agent): Promise<string> {
  const headers = { accept: "application/json", authorization: header };
  const { body } = await request(url, { dispatcher, headers });
  return await body.text();
}

/** Measures how many lists of 20 clusters the simulator and the bare handler send per second. */
export async function measureSimulator(
  record: Bench["record"],
  runs: number,
  seconds: number,
): Promise<void> {
  const simulator = await startServer({ seed: seedOf(1, 20) });
  const dispatcher = new Agent({ connect: { rejectUnauthorized: false } });
  const sign = await signer(simulator.url, dispatcher);
  const body = await get(simulator.url + listPath, sign(listPath), dispatcher);
  await dispatcher.close();
  const bare = await startServer({ path: listPath, body });
  // The client does the same work for both servers. It signs before the run, so that it is not the bottleneck.
  const rateOf = async (url: string) => {
    const signed = Array.from({ length: seconds * 15_000 }, () => sign(listPath)).reverse();
    const setupRequest = (outgoing: autocannon.Request) => ({
      ...outgoing,
      headers: { ...outgoing.headers, authorization: signed.pop() ?? sign(listPath) },
    });
    const requests = [{ method: "GET" as const, path: listPath, setupRequest }];
    const result = await autocannon({ url, duration: seconds, connections: 10, requests });
    if (result.non2xx > 0 || result.errors > 0) throw new Error(`${url} sent error responses.`);
    return result.requests.average;
  };
  try {
    const rates = await alternate(runs, {
      bare: () => rateOf(bare.url),
      simulator: () => rateOf(simulator.url),
    });
    const group = "lists of 20 clusters";
    const unit = "requests/s";
    record({ group, label: "bare Fastify handler", unit, values: rates.bare, isControl: true });
    record({ group, label: "clouddb-simulator", unit, values: rates.simulator });
  } finally {
    bare.stop();
    simulator.stop();
  }
}

/** Starts a server in a process of its own. */
async function startServer(message: object): Promise<{ url: string; stop: () => void }> {
  const child = fork(join(__dirname, "simulatorServer.mjs"), { execArgv: [] });
  child.send(message);
  const [url] = (await once(child, "message")) as [string];
  return { url, stop: () => child.kill() };
}
