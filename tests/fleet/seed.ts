/** The initial data of a service with several projects. */
import type { Seed } from "clouddb-simulator";

/** Returns the ID of one of the service's projects. */
export function projectId(index: number): string {
  return `64a0c0ffee${String(index).padStart(14, "0")}`;
}

/** Returns the initial data of a service whose projects each have the cluster main. */
export function fleetSeed(projectCount: number): Seed {
  const indexes = Array.from({ length: projectCount }, (_, index) => index + 1);
  const projects = indexes.map((index) => ({
    id: projectId(index),
    name: `project-${index}`,
    organization: "acme",
    privateIpMode: { enabled: true },
    clusters: [{ name: "main", version: "7.0.12" }],
  }));
  const roles = projects.map(({ id }) => ({ projectId: id, role: "owner" as const }));
  const apiKeys = [{ publicKey: "demo", privateKey: "demo-secret", roles }];
  return { organizations: [{ name: "acme", apiKeys }], projects };
}
