// @ts-check
/** The seeds of quality/bench/simulator.mjs. */

/** @param {number} index */
const projectId = (index) => (index + 1).toString(16).padStart(24, "0");

/** The path of the list of clusters of the first project. */
export const listPath = `/api/service/v1.0/groups/${projectId(0)}/clusters`;

/** The API key of the seeds. */
export const apiKey = { publicKey: "demo", privateKey: "demo-secret" };

/**
 * @param {number} projects
 * @param {number} clusters of the first project; the others have five
 * @returns {import("clouddb-simulator").Seed}
 */
export function seed(projects, clusters) {
  return {
    organizations: [{ name: "acme", apiKeys: [{ ...apiKey, roles: [{ role: "owner" }] }] }],
    projects: Array.from({ length: projects }, (_, index) => ({
      id: projectId(index),
      name: `project-${index}`,
      organization: "acme",
      clusters: Array.from({ length: index === 0 ? clusters : 5 }, (_each, at) => ({
        name: `cluster-${at}`,
        peering: true,
      })),
    })),
  };
}
