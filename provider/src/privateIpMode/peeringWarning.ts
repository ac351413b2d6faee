/**
 * Warns about a disable: before it, applications in peered networks should already use the
 * peering-private strings (service document 3). The engine checks the resources of a stack in any
 * order and does not report when it is done, so the warning is delayed until no more resources arrive,
 * or until the engine ends the process: it sends SIGINT and still accepts messages after that.
 */
import { escapeText } from "../api/escapeText";
import type { ConnectionStringKind } from "clouddb-connection-strings";
import type { Log } from "../session/log";

/** The fields of a cluster that the warning uses. */
export interface PeerableCluster {
  readonly name: string;
  readonly connectionStrings?:
    | { readonly private?: string | undefined; readonly privateSrv?: string | undefined }
    | undefined;
}

/** A lookup in this process that found its string. */
export interface LookedUp {
  readonly projectId: string;
  readonly clusterName: string;
  readonly recommendedKind: ConnectionStringKind;
  /** The peering-private strings, if the cluster has them. */
  readonly private?: string | undefined;
  readonly privateSrv?: string | undefined;
}

export interface PeeringWarning {
  /** Records a disable that the guard allows. */
  disabling(projectId: string, clusters: readonly PeerableCluster[]): void;
  /** Records a lookup. */
  lookedUp(lookup: LookedUp): void;
  /** Logs the pending warnings now. */
  flush(): Promise<void>;
}

/** Returns the names of the clusters that have peering-private strings, sorted. */
export function peeredClusters(clusters: readonly PeerableCluster[]): string[] {
  return clusters
    .filter(({ connectionStrings: s }) => s?.private !== undefined || s?.privateSrv !== undefined)
    .map(({ name }) => name)
    .sort();
}

/** What is known about one project. */
interface ProjectNotes {
  isDisabled: boolean;
  readonly peered: Set<string>;
  /** Lookups that return an Internet string although the cluster has a peering-private one. */
  readonly lookups: Set<string>;
}

/**
 * Collects what the warning needs, and logs each fact once per process.
 *
 * @param log receives the warning
 * @param quietTime how long to wait for further resources before logging the warning, in milliseconds
 */
export function peeringWarning(log: Log, quietTime = 1000): PeeringWarning {
  const projects = new Map<string, ProjectNotes>();
  const pending: { timer?: NodeJS.Timeout } = {};

  const notesOf = (projectId: string): ProjectNotes => {
    const notes = projects.get(projectId) ?? {
      isDisabled: false,
      peered: new Set(),
      lookups: new Set(),
    };
    projects.set(projectId, notes);
    return notes;
  };
  const flush = async () => {
    clearTimeout(pending.timer);
    for (const signal of endingSignals) process.off(signal, flushAndExit);
    const due = [...projects].flatMap(([projectId, notes]) => warningOf(projectId, notes) ?? []);
    for (const message of due) await log("warning", message);
  };
  const flushAndExit = () => void flush().finally(() => process.exit());
  const flushSoon = () => {
    clearTimeout(pending.timer);
    for (const signal of endingSignals)
      process.off(signal, flushAndExit).once(signal, flushAndExit);
    pending.timer = setTimeout(() => void flush(), quietTime);
  };

  return {
    disabling(projectId, clusters) {
      const notes = notesOf(projectId);
      notes.isDisabled = true;
      for (const name of peeredClusters(clusters)) notes.peered.add(name);
      flushSoon();
    },
    lookedUp(lookup) {
      if (!usesInternetString(lookup)) return;
      const notes = notesOf(lookup.projectId);
      notes.lookups.add(`${escapeText(lookup.clusterName, 100)} (${lookup.recommendedKind})`);
      if (notes.isDisabled) flushSoon();
    },
    flush,
  };
}

const endingSignals = ["SIGINT", "SIGTERM"] as const;

/** Returns the pending warning and clears it; undefined if there is nothing to warn about. */
function warningOf(projectId: string, notes: ProjectNotes): string | undefined {
  if (!notes.isDisabled || notes.peered.size + notes.lookups.size === 0) return undefined;
  const clusters = [...notes.peered].map((name) => escapeText(name, 100)).join(", ");
  const lookups = [...notes.lookups].sort().join(", ");
  notes.peered.clear();
  notes.lookups.clear();
  return [
    `disabling private IP mode of project ${escapeText(projectId)}:`,
    ...(clusters === ""
      ? []
      : [
          `applications in peered networks should already use the peering-private connection strings of ${clusters}.`,
        ]),
    ...(lookups === ""
      ? []
      : [
          `These lookups of this stack return other strings: ${lookups}. For applications in a peered network, set network: { kind: "peering" } on them.`,
        ]),
  ].join(" ");
}

/**
 * Returns whether the lookup returns an Internet string although the cluster has a peering-private
 * one. The mode does not affect what the strings of a private endpoint resolve to.
 */
function usesInternetString({ recommendedKind, ...strings }: LookedUp): boolean {
  const peered = Boolean(strings.private ?? strings.privateSrv);
  return peered && (recommendedKind === "standard" || recommendedKind === "standardSrv");
}
