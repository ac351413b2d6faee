/** The simulator, with projects of the sizes that the benchmarks need. */
import { type Seed, type Simulator, startSimulator } from "clouddb-simulator";
import { key } from "../../tests/support/service";

/** Starts the service, without a rate limit, which would slow down `fetching`. */
export function startService(): Promise<Simulator> {
  const seed = seedOf(200, 1000, 10_000);
  return startSimulator({ seed, port: 0, requestsPerMinute: Infinity });
}

/** Returns the ID of the project with this number of clusters, or of a missing project if there is none. */
export function projectOf(clusters: number): string {
  return String(clusters).padStart(24, "0");
}

/** Returns projects with clusters that have all kinds of connection strings. Every third one is sharded. */
function seedOf(...sizes: readonly number[]): Seed {
  const organization = "bench";
  return {
    organizations: [{ name: organization, apiKeys: [{ ...key, roles: [{ role: "owner" }] }] }],
    projects: sizes.map((clusters) => ({
      id: projectOf(clusters),
      name: `project-${clusters}`,
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
