// @ts-check
/**
 * A server that quality/bench/requests.ts measures. The parent process sends a seed, for the simulator, or a
 * path and a body, for a bare handler; this process sends its URL back.
 */
import { once } from "node:events";
import process from "node:process";
import Fastify from "fastify";
import { generate } from "selfsigned";
import { startSimulator } from "clouddb-simulator";

const [{ seed, path, body }] = await once(process, "message");
process.send?.(seed === undefined ? await startBareHandler() : await startService());

async function startService() {
  return (await startSimulator({ seed, requestsPerMinute: Infinity })).url;
}

async function startBareHandler() {
  const { cert, private: key } = await generate([{ name: "commonName", value: "localhost" }], {
    keyType: "ec",
    algorithm: "sha256",
  });
  const app = Fastify({ https: { key, cert } });
  app.get(path, (_request, reply) => reply.type("application/json; charset=utf-8").send(body));
  return app.listen({ port: 0, host: "127.0.0.1" });
}
