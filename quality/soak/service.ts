/** A service with one project, and a faulty proxy in front of it. */
import { type Seed, type Simulator, startSimulator } from "clouddb-simulator";
import { key, settingsFor } from "../../tests/service";
import { type Credentials, requestTimeoutSeconds } from "./faultPlan";
import { type FaultyProxy, startFaultyProxy } from "./faultyProxy";

/** The cluster whose version is sometimes lowered, so that the guard refuses a disable. */
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
