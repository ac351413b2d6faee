/** The rules that every cluster of a project must comply with. */
import { type Cluster, providerOf, type TakenNames } from "./cluster";
import { ServiceError } from "./serviceError";

/**
 * Checks a cluster against the rules of the service and the other clusters of its project.
 *
 * @param cluster the new or changed cluster
 * @param taken names and indexes that clusters of the project use
 * @throws ServiceError 400 or 409 if the cluster breaks a rule
 */
export function checkCluster(cluster: Cluster, taken: TakenNames): void {
  checkHostName(cluster, taken);
  checkPrivateEndpoints(cluster, taken);
}

/** Checks that the host names are unique (service document 1 rule 8). */
function checkHostName({ name, hostName }: Cluster, taken: TakenNames): void {
  // Other kinds of string use these forms.
  if (/-pri$|-shard-\d\d-\d\d$|(?:^|-)pl-\d+-/.test(hostName)) {
    throw invalid(
      "name",
      `The name "${name}" is not allowed: its host names could be those of another cluster.`,
    );
  }
  const conflict = taken.hostNames.get(hostName);
  if (conflict === undefined || conflict === name) return;
  throw new ServiceError(
    409,
    "DUPLICATE_CLUSTER_NAME",
    `The name "${name}" has the same host names as the cluster "${conflict}": ` +
      "the first 23 characters must differ in more than letter case.",
    [name],
  );
}

function checkPrivateEndpoints(cluster: Cluster, taken: TakenNames): void {
  const { name, privateEndpoints } = cluster;
  if (privateEndpoints.some(({ region }) => providerOf(cluster, region) === "C")) {
    throw invalid("privateEndpoints", "Private endpoints are available in providers A and B only.");
  }
  // `<cluster>-pl-<i>-lb` is the host name of the optimized string, and
  // `<cluster>-pl-<i>-pri` would also be the peering-private host name of a cluster `<cluster>-pl-<i>`.
  const ambiguous = privateEndpoints.find(({ region }) =>
    /^(?:lb|pri|shard-\d\d-\d\d(?:-pri)?|pl-\d+-.*)$/.test(region),
  );
  if (ambiguous) {
    throw invalid(
      "privateEndpoints",
      `The region "${ambiguous.region}" is not allowed: its host names could be those of another cluster.`,
    );
  }
  if (hasDuplicates(privateEndpoints.map(({ endpointId }) => endpointId))) {
    throw invalid(
      "privateEndpoints",
      "Two private endpoints of the cluster have the same endpointId.",
    );
  }
  const indexes = privateEndpoints.map(({ index }) => index);
  const hasConflict = indexes.some((index) => (taken.endpointIndexes.get(index) ?? name) !== name);
  if (hasConflict || hasDuplicates(indexes)) {
    throw invalid("privateEndpoints", "Two private endpoints of the project have the same index.");
  }
}

function hasDuplicates(values: readonly unknown[]): boolean {
  return new Set(values).size !== values.length;
}

function invalid(field: string, detail: string): ServiceError {
  return new ServiceError(400, "INVALID_ATTRIBUTE", detail, [field]);
}
