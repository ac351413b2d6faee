/** A service whose connections and responses fail. */
import { once } from "node:events";
import { type AddressInfo, type Socket, connect, createServer } from "node:net";
import { Transform, pipeline } from "node:stream";
import { type Seed, type Simulator, startSimulator } from "clouddb-simulator";
import type { Cleanup } from "../../tests/support/cleanup";
import { key, settingsFor } from "../../tests/support/service";
import { type Credentials, type Random, requestTimeoutSeconds } from "./faults";

/** The cluster whose version is sometimes lowered, so that the guard refuses disabling. */
export const upgradedCluster = "billing";

/** A running service. */
export interface FaultyService {
  readonly projectId: string;
  readonly simulator: Simulator;
  readonly proxy: FaultyProxy;
  /** Returns the settings of a stack, which connects to the service through the proxy. */
  settings(credentials: Credentials): Record<string, string>;
}

/**
 * Starts a service whose project allows 100 requests per minute.
 *
 * @param number the number of the project, from 1
 * @param release stops the service
 */
export async function startFaultyService(number: number, release: Cleanup): Promise<FaultyService> {
  const projectId = `64a0c0ffee000000000050${String(number).padStart(2, "0")}`;
  const simulator = await startSimulator({ seed: seedOf(projectId), requestsPerMinute: 100 });
  release(() => simulator.stop());
  const proxy = await startFaultyProxy(Number(new URL(simulator.url).port), release);
  const { CLOUDDB_PUBLIC_KEY, CLOUDDB_PRIVATE_KEY, ...settings } = settingsFor({
    url: `https://127.0.0.1:${proxy.port}`,
    ca: simulator.ca,
  });
  return {
    projectId,
    simulator,
    proxy,
    settings: (credentials) => ({
      ...settings,
      CLOUDDB_REQUEST_TIMEOUT_SECONDS: String(requestTimeoutSeconds),
      ...(credentials === "apiKey"
        ? { CLOUDDB_PUBLIC_KEY: key.publicKey, CLOUDDB_PRIVATE_KEY: key.privateKey }
        : { CLOUDDB_CLIENT_ID: account.clientId, CLOUDDB_CLIENT_SECRET: account.clientSecret }),
    }),
  };
}

const account = { clientId: "svc_soak", clientSecret: "svc-secret" };

function seedOf(id: string): Seed {
  const roles = [{ projectId: id, role: "owner" as const }];
  const privateEndpoints = [{ endpointId: "vpce-0a1", region: "us-east-1" }];
  const apiKeys = [{ ...key, roles }];
  const serviceAccounts = [{ ...account, roles }];
  return {
    organizations: [{ name: "acme", apiKeys, serviceAccounts }],
    projects: [
      {
        id,
        name: "soak",
        organization: "acme",
        privateIpMode: { enabled: true },
        clusters: [
          { name: "orders", type: "REPLICASET", version: "7.0.12", peering: true },
          { name: "analytics", type: "SHARDED", version: "8.0.4", privateEndpoints },
          { name: upgradedCluster, type: "REPLICASET", version: "7.0.12" },
        ],
      },
    ],
  };
}

/** A running proxy. */
export interface FaultyProxy {
  /** The port on 127.0.0.1. */
  readonly port: number;
  /** How many connections got a fault. */
  readonly faults: () => number;
  /** Sets the random choices for the next connections; undefined injects no faults. */
  readonly choose: (random: Random | undefined) => void;
}

/** The probability that a connection is reset, truncated or slow. */
const faultProbability = 0.2;

/** The most bytes before a fault: fewer than the handshake and the responses of one operation. */
const maxBytes = 5000;

async function startFaultyProxy(servicePort: number, release: Cleanup): Promise<FaultyProxy> {
  const state: { random: Random | undefined; faults: number } = { random: undefined, faults: 0 };
  const clients = new Set<Socket>();
  const server = createServer((client) => {
    clients.add(client);
    client.setNoDelay(true).once("close", () => clients.delete(client));
    const service = connect({ port: servicePort, host: "127.0.0.1", noDelay: true });
    const responses = faultyResponses(client, state.random, () => (state.faults += 1));
    // A failure of one side destroys the other.
    pipeline(client, service, () => undefined);
    pipeline(service, responses, client, () => service.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  release(() => {
    for (const client of clients) client.destroy();
    server.close();
  });
  return {
    port: (server.address() as AddressInfo).port,
    faults: () => state.faults,
    choose: (random) => {
      state.random = random;
    },
  };
}

/** Passes the bytes of the service on to the client; some connections get a fault. */
function faultyResponses(client: Socket, random: Random | undefined, onFault: () => void) {
  const isFaulty = random?.chance(faultProbability) === true;
  const fault = isFaulty ? random.pick(["reset", "truncated", "slow"]) : undefined;
  const delay = random?.integer(20, 400);
  let left = fault === "slow" ? Infinity : (random?.integer(0, maxBytes) ?? Infinity);
  if (fault === "slow") onFault();
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      if (fault === "slow") setTimeout(done, delay, null, chunk);
      else if (fault === undefined || chunk.length < left) {
        left -= chunk.length;
        done(null, chunk);
      } else {
        onFault();
        if (fault === "reset") client.resetAndDestroy();
        else client.end(chunk.subarray(0, left));
      }
    },
  });
}
