/** Starts the simulator with a number of clusters, and sets its latency. */
import { type SeedCluster, type Simulator, startSimulator } from "clouddb-simulator";
import { key, projectId } from "../../tests/service";

/** Runs the work with a service, and stops the service even if the work fails. */
export async function withService<T>(
  clusters: number,
  work: (service: Simulator) => Promise<T>,
): Promise<T> {
  const service = await startService(clusters);
  try {
    return await work(service);
  } finally {
    await service.stop();
  }
}

/** Starts a service without a rate limit, which would slow down `fetching`. */
function startService(clusters: number): Promise<Simulator> {
  const organization = "bench";
  const seed = {
    organizations: [
      { name: organization, apiKeys: [{ ...key, roles: [{ projectId, role: "owner" as const }] }] },
    ],
    projects: [
      {
        id: projectId,
        name: organization,
        organization,
        clusters: Array.from({ length: clusters }, (_, i) => cluster(i)),
      },
    ],
  };
  return startSimulator({ seed, port: 0, requestsPerMinute: Infinity });
}

/** Delays every response from now on. */
export function setLatency(service: Simulator, milliseconds: number): void {
  service.faults.clear();
  if (milliseconds > 0) service.faults.push({ delayMs: milliseconds, times: Infinity });
}

/** Returns a cluster with all kinds of connection strings. Every third cluster is sharded. */
function cluster(i: number): SeedCluster {
  return {
    name: `cluster-${i}`,
    type: i % 3 === 0 ? "SHARDED" : "REPLICASET",
    version: "7.0.12",
    createdAt: "2024-05-01T00:00:00Z",
    peering: true,
    privateEndpoints: [{ endpointId: `vpce-${i}`, region: "us-east-1" }],
  };
}
