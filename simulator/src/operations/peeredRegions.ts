/**
 * Peered clusters in provider B with several regions. They need peering-private strings, so private
 * IP mode must be disabled in their project (service document 2.6 rule 11).
 */
import type { SeedCluster } from "../seed/clusterFormat";
import { regionsOf } from "../store/cluster";
import type { Project } from "../store/project";
import { ServiceError } from "../store/serviceError";

/** The fields of a cluster that the rule depends on. */
type RegionFields = Pick<SeedCluster, "provider" | "peering" | "regions" | "additionalRegions">;

/**
 * Checks the cluster that results from a creation, an update or a replacement.
 *
 * @param project the project of the cluster
 * @param cluster the resulting cluster
 * @throws ServiceError 400 if private IP mode is enabled and the cluster requires it to be disabled
 */
export function rejectPeeredRegions(project: Project, cluster: RegionFields): void {
  if (!project.privateIpMode.enabled || !isPeeredAcrossRegions(cluster)) return;
  throw new ServiceError(
    400,
    "PRIVATE_IP_MODE_ENABLED",
    "A peered cluster in provider B can span several regions only if private IP mode of its project is disabled.",
    ["providerSettings.regionNames"],
  );
}

/**
 * Checks the clusters of a project before private IP mode is enabled.
 *
 * @param project the project
 * @throws ServiceError 400 that names the clusters that require the mode to be disabled
 */
export function rejectModeWithPeeredRegions(project: Project): void {
  const names = project.clusters.filter(isPeeredAcrossRegions).map(({ name }) => name);
  if (names.length === 0) return;
  throw new ServiceError(
    400,
    "CANNOT_UPDATE_PRIVATE_IP_MODE",
    `Private IP mode cannot be enabled while peered clusters in provider B span several regions: ${names.join(", ")}.`,
    names,
  );
}

function isPeeredAcrossRegions({
  provider = "A",
  peering = false,
  regions = [],
  additionalRegions = [],
}: RegionFields): boolean {
  const inB = regionsOf({ provider, regions, additionalRegions }).filter(
    (each) => each.provider === "B",
  );
  return peering && inB.length > 1;
}
