/**
 * The warning of a disable: applications in peered networks should by then use the peering-private
 * strings (service document 3). The engine checks the resources of a stack in any order, and nothing
 * tells a provider that all of them are checked. So whichever comes second warns: the disable of all
 * lookups so far, or a lookup of itself.
 */
import type { ConnectionStringKind } from "../connectionStrings/selection";
import type { Log } from "../engine/log";

/** A cluster, as far as the warning needs it. */
export interface PeerableCluster {
  readonly name: string;
  readonly connectionStrings?:
    | { readonly private?: string | undefined; readonly privateSrv?: string | undefined }
    | undefined;
}

/** A lookup of this process that found its string. */
export interface LookedUp {
  readonly projectId: string;
  readonly clusterName: string;
  readonly recommendedKind: ConnectionStringKind;
  /** The peering-private strings, where the cluster has them. */
  readonly private?: string | undefined;
  readonly privateSrv?: string | undefined;
}

export interface PeeringWarning {
  /** Called for a disable that the guard lets pass. */
  disabling(projectId: string, clusters: readonly PeerableCluster[]): Promise<void>;
  /** Called for every lookup. */
  lookedUp(lookup: LookedUp): Promise<void>;
}

/** The names of the clusters that have peering-private strings. */
export function peeredClusters(clusters: readonly PeerableCluster[]): string[] {
  return clusters
    .filter(({ connectionStrings: s }) => s?.private !== undefined || s?.privateSrv !== undefined)
    .map(({ name }) => name)
    .sort();
}

/** What it says goes to the log, the same thing once a process. */
export function peeringWarning(log: Log): PeeringWarning {
  const disabled = new Set<string>();
  const lookups = new Map<string, Set<string>>();
  const said = new Set<string>();

  const warn = async (projectId: string, text: string) => {
    const message = `disabling private IP mode of project ${projectId}: ${text}`;
    if (said.has(message)) return;
    said.add(message);
    await log("warning", message);
  };

  const warnOfLookups = async (projectId: string, found: readonly string[]) => {
    if (found.length === 0) return;
    await warn(
      projectId,
      `this stack gives out other strings than the peering-private ones for ${found.join(", ")}. Where the application runs in a peered network, look up with network: { kind: "peering" }`,
    );
  };

  return {
    async disabling(projectId, clusters) {
      disabled.add(projectId);
      const peered = peeredClusters(clusters);
      if (peered.length === 0) return;
      await warn(
        projectId,
        `applications in peered networks should already use the peering-private connection strings of ${peered.join(", ")}`,
      );
      await warnOfLookups(projectId, [...(lookups.get(projectId) ?? [])].sort());
    },

    async lookedUp(lookup) {
      if (!staysBehind(lookup)) return;
      const { projectId, clusterName, recommendedKind } = lookup;
      const ofProject = lookups.get(projectId) ?? new Set<string>();
      lookups.set(projectId, ofProject);
      const found = `${clusterName} (${recommendedKind})`;
      ofProject.add(found);
      if (disabled.has(projectId)) await warnOfLookups(projectId, [found]);
    },
  };
}

/**
 * A string for the Internet, of a cluster that has a peering-private one. What a private endpoint's
 * strings lead to does not depend on the mode.
 */
function staysBehind({ recommendedKind, ...strings }: LookedUp): boolean {
  const peered = strings.private !== undefined || strings.privateSrv !== undefined;
  return peered && (recommendedKind === "standard" || recommendedKind === "standardSrv");
}
