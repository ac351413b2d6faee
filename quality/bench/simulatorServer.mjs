// @ts-check
/**
 * A server that quality/bench/simulator.mjs measures, in a process of its own: `simulator`, `large` (the simulator
 * with 1,000 projects, one of them with 10,000 clusters) or `bare`. Sends its URL to the parent process,
 * and its CPU time on request. Loads no TypeScript: ts-node enables domains, which slow down promises.
 */
import { once } from "node:events";
import { performance } from "node:perf_hooks";
import Fastify from "fastify";
import { generate } from "selfsigned";
import { startSimulator } from "clouddb-simulator";
import { listPath, seed } from "./simulatorSeed.mjs";

const kind = process.argv[2];
const started = kind === "bare" ? await startBareHandler() : await startService();
process.on("message", () => process.send?.({ cpu: process.cpuUsage() }));
process.send?.(started);

async function startService() {
  const data = kind === "large" ? seed(1000, 10_000) : seed(1, 20);
  const start = performance.now();
  const { url } = await startSimulator({ seed: data, requestsPerMinute: Infinity });
  return { url, startTime: performance.now() - start, resident: process.memoryUsage().rss };
}

async function startBareHandler() {
  const [body] = await once(process, "message");
  const { cert, private: key } = await generate([{ name: "commonName", value: "localhost" }], {
    keyType: "ec",
    algorithm: "sha256",
  });
  const app = Fastify({ https: { key, cert } });
  app.get(listPath, (_request, reply) => reply.type("application/json; charset=utf-8").send(body));
  return { url: await app.listen({ port: 0, host: "127.0.0.1" }), startTime: 0, resident: 0 };
}
