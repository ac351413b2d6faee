/** Looks up a cluster and its strings in the lists of a project. functions.ts loads this module on the first call. */
import {
  type ClusterStrings,
  type Selection,
  clusterStrings,
  select,
} from "clouddb-connection-strings";
import type { Bound, ListedClusters, SharedListing } from "../service/clusterLists";
import { type Gap, retryAdvice } from "../service/paging";
import type { Cluster } from "../service/schemas";
import { type Code, ProviderError } from "../messages/errors";
import { counted } from "../messages/format";
import { escapeText } from "../messages/text";
import { readArguments } from "../validation/arguments";
import { byDistance, maxMisspelledEdits } from "../messages/recommendations";
import type { Session } from "../service/session";
import { type GetConnectionStringsArgs, querySchema } from "./args";
import type { GetConnectionStringsResult, ListedCluster } from "./outputs";

export type FoundStrings = Omit<GetConnectionStringsResult, "projectId" | "clusterName">;

/** The result of a lookup in a list of clusters. */
export type Lookup =
  | { readonly kind: "found"; readonly cluster: Cluster; readonly strings: FoundStrings }
  /** The arguments select no single string, or several clusters have the name. Waiting does not help. */
  | ({ readonly kind: "unusable" } & Problem)
  | NoString
  | NoCluster;

interface Problem {
  readonly problem: string;
  readonly property: keyof GetConnectionStringsArgs;
  readonly code: Code;
}

/** The cluster does not have the requested string, or does not have it yet. */
export interface NoString extends Problem {
  readonly kind: "noString";
  /** The string and its cluster, as messages name them. */
  readonly missing: string;
  /** Whether the service may add the string while an update waits. */
  readonly mayAppear: boolean;
}

/** The list does not contain the cluster. */
export interface NoCluster extends Problem {
  readonly kind: "noCluster";
  /** Whether the list contains a similar name. */
  readonly isMisspelled: boolean;
  /** What to do about the list if the cluster may exist nevertheless. Undefined if the list shows that it does not. */
  readonly listAdvice: string | undefined;
}

/**
 * Reads a verified list if something is missing, because another resource may just have created it, and because only a
 * verified list shows that a cluster does not exist.
 */
export async function findOrReread(
  listing: SharedListing,
  query: GetConnectionStringsArgs,
  bound: Bound,
): Promise<Lookup> {
  const startedAt = Date.now();
  const listed = await findListed(listing, query, bound);
  if (listed.kind === "found" || listed.kind === "unusable") return listed;
  // Concurrent lookups also share this second request.
  return findIn(await listing.verified(query.projectId, { after: startedAt }), query);
}

/** Looks only in the shared list, for a caller that reads again or waits if something is missing. */
export async function findListed(
  listing: SharedListing,
  query: GetConnectionStringsArgs,
  bound: Bound,
): Promise<Lookup> {
  return findIn(await listing.listed(query.projectId, bound), query);
}

/** Looks in a list. Only a verified one can show that a cluster does not exist. */
export function findIn(list: ListedClusters, query: GetConnectionStringsArgs): Lookup {
  const namesakes = list.clusters.filter(({ name }) => name === query.clusterName);
  const [cluster] = namesakes;
  if (cluster === undefined) return noCluster(list, query);
  if (namesakes.length === 1) return findStrings(cluster, query);
  const problem = `project ${escapeText(query.projectId)} has ${namesakes.length} clusters with the name ${escapeText(query.clusterName)} (${escapeText(list.paths.join(", "))}). If they are in two lists, remove one path from clouddb:clusterPaths.`;
  return { kind: "unusable", property: "clusterName", problem, code: "ambiguous-cluster" };
}

/** Implements `getConnectionStrings`. Throws a ProviderError, or an ApiError if the service fails. */
export async function findConnectionStrings(
  session: Pick<Session, "listing" | "log">,
  args: unknown,
  bound: Bound,
): Promise<GetConnectionStringsResult> {
  const query = readArguments(querySchema, "lookup arguments", args);
  const lookup = await findOrReread(session.listing, query, bound);
  if (lookup.kind !== "found") {
    const { problem, property, code } = lookup;
    const advice = lookup.kind === "noString" && lookup.mayAppear ? resourceAdvice : "";
    throw new ProviderError(problem + advice, { property, code });
  }
  const { projectId, clusterName } = query;
  await warnOfDeletion(session, projectId, [lookup.cluster]);
  return { projectId, clusterName, ...lookup.strings };
}

const resourceAdvice = " The resource ClusterConnectionStrings waits for it with waitSeconds.";

function findStrings(cluster: Cluster, query: GetConnectionStringsArgs): Lookup {
  const strings = clusterStrings(cluster.connectionStrings);
  const selection = select(strings, query);
  const name = `${escapeText(cluster.name)}${stateSuffix(cluster)}`;
  const subject = `cluster ${name} of project ${escapeText(query.projectId)}`;
  switch (selection.kind) {
    case "selected":
      return { kind: "found", cluster, strings: foundStrings(cluster, strings, selection) };
    case "invalid": {
      // `select` finds nothing else invalid in strings that `clusterStrings` returned.
      const property = "optimized";
      const problem = `${subject}: ${selection.problem}`;
      return { kind: "unusable", property, problem, code: "argument" };
    }
    case "ambiguous": {
      const { property, selectBy } = selection;
      const names = selectBy.map((field) => `network.${field}`);
      const advice = names.length === 0 ? "" : ` Select one with ${names.join(" or ")}.`;
      const problem = `${subject}: ${escapeText(selection.problem, maxReasonLength)}${advice}`;
      return { kind: "unusable", property, problem, code: "ambiguous-endpoint" };
    }
    case "missing": {
      const missing = escapeText(selection.missing);
      const reason = escapeText(selection.why, maxReasonLength);
      const { why, mayAppear } = explainAbsence(cluster, strings, reason);
      return {
        kind: "noString",
        property: selection.property,
        missing: `${missing} of cluster ${name}`,
        mayAppear,
        problem: `the service returned no ${missing} of ${subject}. ${why}`,
        code: "string-not-found",
      };
    }
  }
}

function foundStrings(
  cluster: Cluster,
  strings: ClusterStrings,
  { connectionString, connectionStringKind }: Extract<Selection, { kind: "selected" }>,
): FoundStrings {
  return {
    ...strings,
    privateEndpoints: [...strings.privateEndpoints],
    ...versionOutput(cluster),
    recommended: connectionString,
    recommendedKind: connectionStringKind,
  };
}

export function versionOutput({ version }: Cluster): Pick<FoundStrings, "databaseVersion"> {
  return typeof version === "string" ? { databaseVersion: version } : {};
}

/** Returns the state of a cluster, as messages show it behind its name. */
function stateSuffix({ state, isPaused }: Cluster): string {
  const states = [...(state === undefined ? [] : [state]), ...(isPaused ? ["paused"] : [])];
  return states.length === 0 ? "" : ` (state ${escapeText(states.join(", "), 100)})`;
}

/** The texts of a selection quote names of endpoints and regions from the service. */
const maxReasonLength = 2000;

export async function warnOfDeletion(
  { log }: Pick<Session, "log">,
  projectId: string,
  clusters: readonly (Pick<ListedCluster, "name"> & { readonly state?: string | undefined })[],
): Promise<void> {
  for (const { name, state } of clusters) {
    if (!state?.startsWith("DELET")) continue;
    const subject = `cluster ${escapeText(name)} of project ${escapeText(projectId)}`;
    const warning = `${subject} is being deleted, so its connection strings will stop working.`;
    await log("warning", warning, "cluster-not-found");
  }
}

/**
 * Returns why a cluster may lack a string, which is its state, the reason of the selection, or both. Also returns
 * whether the service may add the string while an update waits.
 */
function explainAbsence({ state, isPaused }: Cluster, strings: ClusterStrings, reason: string) {
  if (state === undefined || state === "IDLE") {
    // A cluster keeps its strings when it is paused, so other strings mean that the pause is not the reason.
    if (!isPaused || hasStrings(strings)) return { why: reason, mayAppear: true };
    const why =
      "The cluster is paused, and usually must be resumed before the service returns its strings.";
    return { why, mayAppear: false };
  }
  if (state === "CREATING") return { why: "The cluster is still being created.", mayAppear: true };
  if (state === "DELETING") {
    const why =
      "The cluster is being deleted. Wait until it has been deleted, then remove this lookup or recreate the cluster.";
    return { why, mayAppear: false };
  }
  const why = `The cluster is ${escapeText(state, 100)}, which may be the reason. ${reason}`;
  return { why, mayAppear: true };
}

function hasStrings({ privateEndpoints, ...strings }: ClusterStrings): boolean {
  return privateEndpoints.length > 0 || Object.keys(strings).length > 0;
}

function noCluster(list: ListedClusters, query: GetConnectionStringsArgs): NoCluster {
  const project = escapeText(query.projectId);
  const name = escapeText(query.clusterName);
  const { text, isNear, isMisspelled } = suggestionOf(list, query);
  const code = "cluster-not-found";
  const failure = { kind: "noCluster", property: "clusterName", code, isMisspelled } as const;
  const gap = gapOfNames(list);
  if (gap !== undefined || list.readUntil === "count") {
    const reason = gap === undefined ? "" : `, and ${gap.reason}`;
    const problem = `cluster ${name} of project ${project} was not found${reason}.${text}`;
    return { ...failure, problem, listAdvice: gap?.advice ?? retryAdvice };
  }
  const names = list.clusters.length === 0 ? " It has no clusters." : text;
  const paths = escapeText(list.paths.join(" and "));
  const advice = isNear
    ? ""
    : ` If the service lists it at another path than ${paths}, set clouddb:clusterPaths.`;
  const problem = `project ${project} has no cluster ${name}.${names}${advice}`;
  return { ...failure, problem, listAdvice: undefined };
}

/**
 * Suggests at most five names: those that begin with the name or are a misspelling, or else those that are similar, or
 * else the first ones. Users shorten names, and host names contain only the first 23 characters, in lower case.
 */
function suggestionOf({ clusters }: ListedClusters, { clusterName }: GetConnectionStringsArgs) {
  const start = clusterName.toLowerCase();
  const byName = clusters.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const byEdits = byDistance(
    clusterName,
    byName.map(({ name }) => name),
  );
  const longer = byEdits.filter(({ name }) => name.toLowerCase().startsWith(start));
  const misspelled = byEdits.filter(({ edits }) => edits <= maxMisspelledEdits);
  const near = [...new Set([...longer, ...misspelled])];
  const similar = byEdits.filter(({ edits }) => edits <= clusterName.length / 3);
  const firstNames = (some: readonly { readonly name: string }[]) =>
    some.slice(0, maxSuggested).map(({ name }) => escapeText(name, 100));
  const text =
    near.length > 0
      ? ` Did you mean ${firstNames(near).join(" or ")}?`
      : similar.length > 0
        ? ` The nearest names: ${firstNames(similar).join(", ")}.`
        : allNames(clusters.length, firstNames(byName));
  return { isNear: near.length > 0, isMisspelled: misspelled.length > 0, text };
}

const maxSuggested = 5;

/** Returns the sentence with the names of all clusters, or of the first ones and how many there are. */
function allNames(count: number, names: readonly string[]): string {
  if (count === 0) return "";
  const more = count > names.length ? `, and ${count - names.length} more` : "";
  return ` It has ${counted("# {cluster|clusters}", count)}: ${names.join(", ")}${more}.`;
}

/** Returns why a list may lack the name of a cluster that exists, and what to do; undefined without such a reason. */
export function gapOfNames({ records, gap }: ListedClusters): Gap | undefined {
  const nameless = records.filter(({ name }) => name === undefined).length;
  const have = nameless === 1 ? "1 record in the list has" : `${nameless} records in the list have`;
  const reasons = [
    ...(gap === undefined ? [] : [`the list of clusters may be incomplete (${gap.reason})`]),
    ...(nameless === 0 ? [] : [`${have} no name`]),
  ];
  if (reasons.length === 0) return undefined;
  return { reason: reasons.join(", and "), advice: gap?.advice ?? retryAdvice };
}
