/**
 * Warns about disabling: before it, applications in peered networks should already use the peering-private
 * strings (service document 3).
 */
import { clusterStrings } from "clouddb-connection-strings";
import type { Cluster } from "../service/schemas";
import { escapeText } from "../messages/text";

type PeerableCluster = Pick<Cluster, "name" | "connectionStrings">;

/** Returns the sorted names of the clusters that have peering-private strings (service document 2.6). */
export function peeredClusters(clusters: readonly PeerableCluster[]): string[] {
  const isPeered = ({ connectionStrings }: PeerableCluster) => {
    const { private: hosts, privateSrv } = clusterStrings(connectionStrings);
    return hosts !== undefined || privateSrv !== undefined;
  };
  return clusters
    .filter(isPeered)
    .map(({ name }) => name)
    .sort();
}

/** Returns the warning about a disable that the guard allows; undefined for a project without peering. */
export function peeringWarning(
  projectId: string,
  clusters: readonly PeerableCluster[],
): string | undefined {
  const peered = peeredClusters(clusters);
  if (peered.length === 0) return undefined;
  const names = peered.map((name) => escapeText(name, 100)).join(", ");
  return `disabling private IP mode of project ${escapeText(projectId)}: applications in peered networks should already use the peering-private connection strings of ${names}.`;
}
