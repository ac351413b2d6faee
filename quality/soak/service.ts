/** A service whose connections and responses fail. */
import { once } from "node:events";
import { type AddressInfo, type Socket, connect, createServer } from "node:net";
import { type Seed, type Simulator, startSimulator } from "clouddb-simulator";
import { key, settingsFor } from "../../tests/service";
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
  stop(): Promise<void>;
}

/**
 * Starts a service whose project allows 100 requests per minute. The caller must stop it.
 *
 * @param number the number of the project, from 1
 */
export async function startFaultyService(number: number): Promise<FaultyService> {
  const projectId = `64a0c0ffee000000000050${String(number).padStart(2, "0")}`;
  const simulator = await startSimulator({ seed: seedOf(projectId), requestsPerMinute: 100 });
  const proxy = await startFaultyProxy(Number(new URL(simulator.url).port));
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
    stop: async () => {
      proxy.stop();
      await simulator.stop();
    },
  };
}

const account = { clientId: "svc_soak", clientSecret: "svc-secret" };

function seedOf(projectId: string): Seed {
  const roles = [{ projectId, role: "owner" as const }];
  const endpoints = [{ endpointId: "vpce-0a1", region: "us-east-1" }];
  return {
    organizations: [
      {
        name: "acme",
        apiKeys: [{ ...key, roles }],
        serviceAccounts: [{ ...account, roles }],
      },
    ],
    projects: [
      {
        id: projectId,
        name: "soak",
        organization: "acme",
        privateIpMode: { enabled: true },
        clusters: [
          { name: "orders", type: "REPLICASET", version: "7.0.12", peering: true },
          { name: "analytics", type: "SHARDED", version: "8.0.4", privateEndpoints: endpoints },
          { name: upgradedCluster, type: "REPLICASET", version: "7.0.12" },
        ],
      },
    ],
  };
}

/** The kinds of connection faults. */
const connectionFaults = ["reset", "truncated", "slow"] as const;

/** A kind of connection fault. */
type ConnectionFault = (typeof connectionFaults)[number];

/** A running proxy. */
export interface FaultyProxy {
  /** The port on 127.0.0.1. */
  readonly port: number;
  /** How often each kind of fault was injected. */
  readonly injected: Readonly<Record<ConnectionFault, number>>;
  /** Sets the random choices for the next connections; undefined injects no faults. */
  choose(random: Random | undefined): void;
  stop(): void;
}

/** The probability that a connection gets a fault. */
const faultProbability = 0.2;

/**
 * Starts a proxy on a free port of 127.0.0.1. The caller must stop it.
 *
 * @param servicePort the port of the service on 127.0.0.1
 */
async function startFaultyProxy(servicePort: number): Promise<FaultyProxy> {
  const state: { random: Random | undefined } = { random: undefined };
  const injected = { reset: 0, truncated: 0, slow: 0 };
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const service = connect(servicePort, "127.0.0.1");
    for (const socket of [client, service]) {
      sockets.add(socket);
      socket.setNoDelay(true).once("close", () => sockets.delete(socket));
      socket.on("error", () => {
        client.destroy();
        service.destroy();
      });
    }
    client.once("close", () => service.destroy());
    client.pipe(service);
    const { random } = state;
    if (random?.chance(faultProbability) !== true) {
      service.pipe(client);
      return;
    }
    const fault = random.pick(connectionFaults);
    const onFault = () => {
      injected[fault] += 1;
    };
    if (fault === "slow") delay(service, client, random.integer(20, 400), onFault);
    else endAfter(random.integer(0, maxBytes), service, client, fault, onFault);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    injected,
    choose: (random) => {
      state.random = random;
    },
    stop: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

/** The most bytes before a fault: fewer than the handshake and the responses of one operation. */
const maxBytes = 5000;

/** Ends the connection to the client when it has received this many bytes. */
function endAfter(
  bytes: number,
  service: Socket,
  client: Socket,
  fault: "reset" | "truncated",
  onFault: () => void,
): void {
  let left = bytes;
  service.on("end", () => client.end());
  service.on("data", (chunk: Buffer) => {
    if (chunk.length < left) {
      left -= chunk.length;
      client.write(chunk);
      return;
    }
    service.removeAllListeners("data");
    onFault();
    if (fault === "reset") client.resetAndDestroy();
    else client.end(chunk.subarray(0, left));
  });
}

/** Delays everything that the service sends. */
function delay(service: Socket, client: Socket, milliseconds: number, onFault: () => void): void {
  onFault();
  const later = (send: () => void) => {
    setTimeout(() => {
      if (!client.destroyed) send();
    }, milliseconds);
  };
  service.on("end", () => {
    later(() => client.end());
  });
  service.on("data", (chunk: Buffer) => {
    later(() => client.write(chunk));
  });
}
