/**
 * The result of `getPrivateIpModeReadiness`. Separate from readiness.ts, whose types include those of the
 * HTTP client and of zod: the compiler of a user's program would check them.
 */

/** Whether private IP mode of a project can be disabled now, and what prevents it. */
export interface PrivateIpModeReadiness {
  /** The ID of the project. */
  readonly projectId: string;
  /** The current setting; `unknown` if the service does not expose the setting. */
  readonly mode: ModeState;
  /** Whether disabling would be allowed: every cluster runs 7.0.0 or later, or the mode is already off. */
  readonly ready: boolean;
  /** The number of clusters in the project, including those whose record cannot be parsed. */
  readonly clusterCount: number;
  /** The clusters below 7.0.0, sorted by name. */
  readonly clustersBelowMinimum: readonly ClusterVersion[];
  /** The clusters without a usable version, sorted by name. They also prevent disabling. */
  readonly clustersWithoutVersion: readonly ClusterVersion[];
  /**
   * The names of the clusters with peering-private strings, sorted. Applications in peered networks
   * should already use these strings (service document 3).
   */
  readonly clustersWithPeeringStrings: readonly string[];
}

/** The current setting of private IP mode. */
export type ModeState =
  /** The mode is on. */
  | "enabled"
  /** The mode is off. */
  | "disabled"
  /** The service does not expose the setting. */
  | "unknown";

/** A cluster and its version. */
export interface ClusterVersion {
  /** The name of the cluster. */
  readonly name: string;
  /** The version that the service returned, or what is wrong with it. */
  readonly version: string;
}
