/** The service that is asked: the simulator, with a project of so many clusters and a set latency. */
import { type SeedCluster, type Simulator, startSimulator } from "clouddb-simulator";
import { key, projectId } from "../tests/service";

/** A service without a limit of requests a minute: (b) would spend the bench waiting for it. */
export function startService(clusters: number): Promise<Simulator> {
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

/** Every answer from now on comes this late. */
export function setLatency(service: Simulator, milliseconds: number): void {
  service.faults.clear();
  if (milliseconds > 0) service.faults.push({ delayMs: milliseconds, times: Infinity });
}

/** With all kinds of strings, every third of them sharded. */
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
