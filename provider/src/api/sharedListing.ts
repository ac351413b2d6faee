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
  /** Forgets a project whose clusters may have changed. */
  forget(projectId: string): void;
}

export function sharedListing(client: Client): SharedListing {
  const listings = new Map<string, Promise<readonly Cluster[]>>();

  const freshClusters = (projectId: string) => {
    const listing = client.listClusters(projectId);
    listings.set(projectId, listing);
    // A failed reading is not shared: whoever asks next tries again.
    listing.catch(() => {
      if (listings.get(projectId) === listing) listings.delete(projectId);
    });
    return listing;
  };

  return {
    clusters: (projectId) => listings.get(projectId) ?? freshClusters(projectId),
    freshClusters,
    forget: (projectId) => void listings.delete(projectId),
  };
}
