/**
 * Warns about disabling: before it, applications in peered networks should already use the peering-private
 * strings (service document 3). The engine checks the resources of a stack in an order that follows their
 * dependencies, so the warning names the lookups that were checked before, and a later lookup logs its own warning.
 */
import { escapeText } from "../messages/text";
import type { ConnectionStringKind } from "clouddb-connection-strings";
import type { Log } from "../service/session";

/** The peering-private strings of a cluster: a host list and an SRV form (service document 2.6). */
interface PeeringStrings {
  readonly private?: string | undefined;
  readonly privateSrv?: string | undefined;
}

export interface PeerableCluster {
  readonly name: string;
  readonly connectionStrings?: PeeringStrings | undefined;
}

/** A lookup in this process that found its string. */
export interface FoundLookup extends PeeringStrings {
  readonly projectId: string;
  readonly clusterName: string;
  readonly recommendedKind: ConnectionStringKind;
}

/** Returns the sorted names of the clusters that have peering-private strings (service document 2.6). */
export function peeredClusters(clusters: readonly PeerableCluster[]): string[] {
  return clusters
    .filter(({ connectionStrings: s }) => s?.private !== undefined || s?.privateSrv !== undefined)
    .map(({ name }) => name)
    .sort();
}

/** Logs what to check before disabling, once for each project and lookup of this process. */
export class PeeringWarning {
  readonly #log: Log;
  readonly #disabled = new Set<string>();
  /** The lookups of Internet strings of clusters that have peering-private ones, by project. */
  readonly #lookups = new Map<string, Set<string>>();

  constructor(log: Log) {
    this.#log = log;
  }

  /**
   * Warns about a disable that the guard allows, and names the lookups so far. Called by `check`, so that
   * the warning comes before the change in a preview and in an update.
   */
  async recordDisable(projectId: string, clusters: readonly PeerableCluster[]): Promise<void> {
    if (this.#disabled.has(projectId)) return;
    this.#disabled.add(projectId);
    const peered = peeredClusters(clusters);
    if (peered.length === 0) return;
    const names = peered.map((name) => escapeText(name, 100)).join(", ");
    const lookups = [...(this.#lookups.get(projectId) ?? [])].sort();
    await this.#warn(projectId, [
      `applications in peered networks should already use the peering-private connection strings of ${names}.`,
      ...(lookups.length === 0 ? [] : [otherStrings(lookups)]),
    ]);
  }

  /** Records a lookup that found its string. After its mode was disabled, warns about it at once. */
  async recordLookup(lookup: FoundLookup): Promise<void> {
    if (!usesInternetString(lookup)) return;
    const { projectId, clusterName, recommendedKind } = lookup;
    const lookups = this.#lookups.get(projectId) ?? new Set();
    this.#lookups.set(projectId, lookups);
    const name = `${escapeText(clusterName, 100)} (${recommendedKind})`;
    if (lookups.has(name)) return;
    lookups.add(name);
    if (this.#disabled.has(projectId)) await this.#warn(projectId, [otherStrings([name])]);
  }

  async #warn(projectId: string, sentences: readonly string[]): Promise<void> {
    const project = `disabling private IP mode of project ${escapeText(projectId)}:`;
    await this.#log("warning", [project, ...sentences].join(" "), "disabling");
  }
}

function otherStrings(lookups: readonly string[]): string {
  return `These lookups of this stack return other strings: ${lookups.join(", ")}. For applications in a peered network, set network: { kind: "peering" } on them.`;
}

/**
 * Returns whether the lookup returns an Internet string although the cluster has a peering-private
 * one. The mode does not affect what the strings of a private endpoint resolve to.
 */
function usesInternetString({ recommendedKind, ...strings }: FoundLookup): boolean {
  const peered = Boolean(strings.private ?? strings.privateSrv);
  return peered && (recommendedKind === "standard" || recommendedKind === "standardSrv");
}
