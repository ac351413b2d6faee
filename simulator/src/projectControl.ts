/** Access to a project for tests. */
import type { SeedCluster } from "./seed/clusterFormat";
import type { PrivateIpMode } from "./seed/format";
import type { Cluster } from "./store/cluster";

/**
 * Gives tests access to one project, without the checks and delays of the API. After the project is
 * deleted, all members except `id` throw a ServiceError.
 */
export interface ProjectControl {
  /** Project ID. */
  readonly id: string;
  /** Name of the project. */
  readonly name: string;
  /** Private IP mode of the project. */
  readonly privateIpMode: Readonly<PrivateIpMode>;
  /** Clusters in the order of their creation. */
  readonly clusters: readonly Cluster[];
  /**
   * Sets private IP mode, even if a cluster's version is too low for a disable.
   *
   * @param enabled the new value
   * @throws ServiceError if the project was deleted
   */
  setPrivateIpMode(enabled: boolean): void;
  /**
   * Returns a cluster.
   *
   * @param name the name of the cluster
   * @returns the cluster as it is now
   * @throws ServiceError if the project has no cluster with this name
   */
  cluster(name: string): Cluster;
  /**
   * Adds a cluster.
   *
   * @param cluster the cluster, in the format of the seed
   * @returns the cluster with its defaults
   * @throws SeedError if the cluster is invalid
   * @throws ServiceError if it conflicts with another cluster
   */
  addCluster(cluster: SeedCluster): Cluster;
  /**
   * Updates fields of a cluster.
   *
   * @param name the name of the cluster
   * @param change the new values, for example of `version`, `peering` or `state`
   * @returns the updated cluster
   * @throws SeedError if a value is invalid
   * @throws ServiceError if there is no such cluster, or the change conflicts with another cluster
   */
  updateCluster(name: string, change: Partial<SeedCluster>): Cluster;
  /**
   * Removes a cluster immediately.
   *
   * @param name the name of the cluster
   * @throws ServiceError if the project has no cluster with this name
   */
  removeCluster(name: string): void;
}
