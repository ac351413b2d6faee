/** Moves of a cluster to another cloud provider (service document 2.6 rule 10). */
import type { SeedCluster } from "../seed/clusterFormat";
import type { Cluster } from "../store/cluster";
import { ServiceError } from "../store/serviceError";

/** Dedicated clusters created before then in providers B and C move in two steps. */
const twoStepsBefore = Date.parse("2020-11-03T00:00:00Z");

/**
 * Returns what else changes if an update moves a cluster to another provider. The second of two steps
 * replaces the nodes, and with them the host list; every other move changes no string.
 *
 * @param cluster the current cluster
 * @param requested the update
 * @returns the further changes
 * @throws ServiceError 400 if the first step is missing: a read-only node in the new provider
 */
export function providerMove(
  cluster: Cluster,
  { provider, additionalRegions = cluster.additionalRegions }: Partial<SeedCluster>,
): Partial<SeedCluster> {
  const needsTwoSteps =
    cluster.tier === "DEDICATED" &&
    cluster.provider !== "A" &&
    Date.parse(cluster.createdAt) < twoStepsBefore;
  if (provider === undefined || provider === cluster.provider || !needsTwoSteps) return {};
  if (!cluster.additionalRegions.some((each) => each.readOnly && each.provider === provider)) {
    throw new ServiceError(
      400,
      "PROVIDER_CHANGE_NEEDS_READ_ONLY_NODES",
      `A cluster in provider ${cluster.provider} that was created before 3 November 2020 moves in two steps: ` +
        `first add a read-only node in provider ${provider} to additionalRegions, then change the provider.`,
      ["providerSettings.providerName"],
    );
  }
  return {
    additionalRegions: additionalRegions.filter(
      (each) => !(each.readOnly && each.provider === provider),
    ),
    firstNode: cluster.firstNode + cluster.nodes + cluster.additionalRegions.length,
  };
}
