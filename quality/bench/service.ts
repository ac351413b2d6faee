/** Starts the simulator with a number of clusters, and sets its latency. */
import { type Seed, type Simulator, startSimulator } from "clouddb-simulator";
import { key } from "../../tests/service";

/** Runs the work with a service, and stops the service even if the work fails. */
export async function withService<T>(
  clusters: number,
  work: (service: Simulator) => Promise<T>,
  projects = 1,
): Promise<T> {
  // Without a rate limit, which would slow down `fetching`.
  const seed = seedOf(projects, clusters);
  const service = await startSimulator({ seed, port: 0, requestsPerMinute: Infinity });
  try {
    return await work(service);
  } finally {
    await service.stop();
  }
}

/** Returns the ID of a project. */
export function projectIdOf(index: number): string {
  return (index + 1).toString(16).padStart(24, "0");
}

/** Returns projects with clusters that have all kinds of connection strings. Every third one is sharded. */
export function seedOf(projects: number, clusters: number): Seed {
  const organization = "bench";
  return {
    organizations: [{ name: organization, apiKeys: [{ ...key, roles: [{ role: "owner" }] }] }],
    projects: Array.from({ length: projects }, (_, project) => ({
      id: projectIdOf(project),
      name: `project-${project}`,
      organization,
      clusters: Array.from({ length: clusters }, (_each, i) => ({
        name: `cluster-${i}`,
        type: i % 3 === 0 ? ("SHARDED" as const) : ("REPLICASET" as const),
        version: "7.0.12",
        createdAt: "2024-05-01T00:00:00Z",
        peering: true,
        privateEndpoints: [{ endpointId: `vpce-${i}`, region: "us-east-1" }],
      })),
    })),
  };
}

/** Forgets all received requests, and delays every response from now on. */
export function resetService(service: Simulator, latency = 0): void {
  service.reset();
  if (latency > 0) service.faults.push({ delayMs: latency, times: Infinity });
}
