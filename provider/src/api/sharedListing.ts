/**
 * One listing of a project's clusters for all who ask in this process, also those in flight: a
 * stack's lookups and guards cost one listing a project, whatever their number.
 */
import type { Client } from "./client";
import type { Cluster } from "./schemas";

export interface SharedListing {
  /** The clusters as last read; reads them if nobody has. */
  clusters(projectId: string): Promise<readonly Cluster[]>;
  /** The clusters as they are now; who asks for {@link clusters} later shares what was read. */
  freshClusters(projectId: string): Promise<readonly Cluster[]>;
  /**
   * The clusters as they were at a time (milliseconds since 1970) or later: many who look again and
   * again share what one of them has just read.
   */
  clustersSince(projectId: string, time: number): Promise<readonly Cluster[]>;
  /** Forgets a project whose clusters may have changed. */
  forget(projectId: string): void;
}

interface Reading {
  readonly began: number;
  readonly clusters: Promise<readonly Cluster[]>;
}

export function sharedListing(client: Pick<Client, "listClusters">): SharedListing {
  const readings = new Map<string, Reading>();

  const freshClusters = (projectId: string) => {
    const clusters = client.listClusters(projectId);
    const reading = { began: Date.now(), clusters };
    readings.set(projectId, reading);
    // A failed reading is not shared: whoever asks next tries again.
    clusters.catch(() => {
      if (readings.get(projectId) === reading) readings.delete(projectId);
    });
    return clusters;
  };

  return {
    clusters: (projectId) => readings.get(projectId)?.clusters ?? freshClusters(projectId),
    freshClusters,
    clustersSince: (projectId, time) => {
      const reading = readings.get(projectId);
      return reading !== undefined && reading.began >= time
        ? reading.clusters
        : freshClusters(projectId);
    },
    forget: (projectId) => void readings.delete(projectId),
  };
}
