/**
 * Warns about a disable: before it, applications in peered networks should already use the
 * peering-private strings (service document 3). The engine checks the resources of a stack in any
 * order and does not report when it is done, so the warning is delayed until no more resources arrive,
 * or until the engine ends the process: it sends SIGINT and still accepts messages after that.
 */
import { AsyncResource } from "node:async_hooks";
import { escapeText } from "../api/text";
import type { ConnectionStringKind } from "clouddb-connection-strings";
import type { Log } from "../session/session";

/** The fields of a cluster that the warning uses. */
export interface PeerableCluster {
  /** The name of the cluster. */
  readonly name: string;
  /** Its peering-private strings: a host list and an SRV form (service document 2.6). */
  readonly connectionStrings?:
    | { readonly private?: string | undefined; readonly privateSrv?: string | undefined }
    | undefined;
}

/** A lookup in this process that found its string. */
export interface LookedUp {
  /** The project of the cluster. */
  readonly projectId: string;
  /** The name of the cluster. */
  readonly clusterName: string;
  /** The kind of the string that the lookup recommends. */
  readonly recommendedKind: ConnectionStringKind;
  /** The peering-private string as a host list, if the cluster has one. */
  readonly private?: string | undefined;
  /** The peering-private string in SRV form, if the cluster has one. */
  readonly privateSrv?: string | undefined;
}

/**
 * Returns the names of the clusters that have peering-private strings (service document 2.6).
 *
 * @param clusters all clusters of a project
 * @returns the names, sorted
 */
export function peeredClusters(clusters: readonly PeerableCluster[]): string[] {
  return clusters
    .filter(({ connectionStrings: s }) => s?.private !== undefined || s?.privateSrv !== undefined)
    .map(({ name }) => name)
    .sort();
}

/** What is known about one project. */
interface ProjectFacts {
  isDisabled: boolean;
  /** Logs in the context of the disable, so that the plugin's log names its resource. */
  log: Log;
  /** Names of the clusters that have peering-private strings. */
  readonly peered: Set<string>;
  /** Lookups that return an Internet string although the cluster has a peering-private one. */
  readonly lookups: Set<string>;
}

/** How long to wait for further resources before logging the warning, in milliseconds. */
const quietTime = 1000;

/** Collects the facts for the warning, and logs each of them once per process. */
export class PeeringWarning {
  readonly #log: Log;
  readonly #projects = new Map<string, ProjectFacts>();
  readonly #flushAndExit = () => void this.flush().finally(() => process.exit());
  #timer: NodeJS.Timeout | undefined;

  /**
   * Creates a warning without any facts.
   *
   * @param log receives the warning
   */
  constructor(log: Log) {
    this.#log = log;
  }

  /**
   * Records a disable that the guard allows. The warning is logged when no more resources arrive.
   *
   * @param projectId the project whose mode is disabled
   * @param clusters all clusters of the project
   */
  disabling(projectId: string, clusters: readonly PeerableCluster[]): void {
    const facts = this.#factsOf(projectId);
    facts.isDisabled = true;
    facts.log = AsyncResource.bind(this.#log);
    for (const name of peeredClusters(clusters)) facts.peered.add(name);
    this.#flushSoon();
  }

  /**
   * Records a lookup. It belongs in the warning if it returns an Internet string although the cluster
   * has a peering-private one.
   *
   * @param lookup the lookup and the strings that it found
   */
  lookedUp(lookup: LookedUp): void {
    if (!usesInternetString(lookup)) return;
    const facts = this.#factsOf(lookup.projectId);
    facts.lookups.add(`${escapeText(lookup.clusterName, 100)} (${lookup.recommendedKind})`);
    if (facts.isDisabled) this.#flushSoon();
  }

  /** Logs the pending warnings now. */
  async flush(): Promise<void> {
    this.#cancel();
    const warnings = [...this.#projects].map(([id, facts]) => {
      return { log: facts.log, message: takeWarning(id, facts) };
    });
    for (const { log, message } of warnings) {
      if (message !== undefined) await log("warning", message);
    }
  }

  #factsOf(projectId: string): ProjectFacts {
    const known = this.#projects.get(projectId);
    if (known !== undefined) return known;
    const facts: ProjectFacts = {
      isDisabled: false,
      log: this.#log,
      peered: new Set(),
      lookups: new Set(),
    };
    this.#projects.set(projectId, facts);
    return facts;
  }

  #flushSoon(): void {
    this.#cancel();
    for (const signal of endingSignals) process.once(signal, this.#flushAndExit);
    this.#timer = setTimeout(() => void this.flush(), quietTime);
  }

  #cancel(): void {
    clearTimeout(this.#timer);
    for (const signal of endingSignals) process.off(signal, this.#flushAndExit);
  }
}

/** The signals with which the engine ends a provider process. */
const endingSignals = ["SIGINT", "SIGTERM"] as const;

/** Returns the pending warning and clears it; undefined if there is nothing to warn about. */
function takeWarning(projectId: string, facts: ProjectFacts): string | undefined {
  if (!facts.isDisabled || facts.peered.size + facts.lookups.size === 0) return undefined;
  const clusters = [...facts.peered].map((name) => escapeText(name, 100)).join(", ");
  const lookups = [...facts.lookups].sort().join(", ");
  facts.peered.clear();
  facts.lookups.clear();
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
