/** Looks up clusters and their strings, and waits for one. functions.ts loads this module on the first call. */
import { setTimeout as sleep } from "node:timers/promises";
import {
  type ClusterStrings,
  type Selection,
  clusterStrings,
  select,
} from "clouddb-connection-strings";
import type {
  Bound,
  ListedClusters,
  SharedListing,
  VerifiedClusters,
} from "../service/clusterLists";
import { isTransient } from "../service/requestErrors";
import { retryAdvice } from "../service/paging";
import type { Cluster } from "../service/schemas";
import { type Code, ProviderError } from "../messages/errors";
import { escapeText } from "../messages/text";
import { readArguments } from "../validation/arguments";
import { byDistance, maxMisspelledEdits } from "../messages/recommendations";
import type { Session } from "../service/session";
import {
  type GetConnectionStringsArgs,
  type ValidLookupArgs,
  getClustersSchema,
  querySchema,
} from "./args";
import type { GetClustersResult, GetConnectionStringsResult, ListedCluster } from "./outputs";

export type FoundStrings = Omit<GetConnectionStringsResult, "projectId" | "clusterName">;

/** The result of a lookup in a list that was read up to its count. It does not show that a cluster is missing. */
export type ListedLookup = Listed | NotListed;

/** The result of a lookup in a verified list. */
export type Lookup = Listed | NoCluster;

type Listed = Found | WithoutString | Unusable;

interface Found {
  readonly kind: "found";
  readonly cluster: Cluster;
  readonly strings: FoundStrings;
}

interface Failure<Kind> {
  readonly kind: Kind;
  readonly problem: string;
  readonly property: keyof GetConnectionStringsArgs;
  readonly code: Code;
}

/** The arguments select no single string, or several clusters have the name. Waiting does not help. */
type Unusable = Failure<"unusable">;

/** The cluster does not have the requested string, or does not have it yet. */
export interface WithoutString extends Failure<"noString"> {
  readonly missing: string;
  /** Whether the service may add the string while an update waits. */
  readonly mayAppear: boolean;
}

/** A list that was read up to its count does not contain the cluster. */
export interface NotListed extends Failure<"notListed"> {
  readonly missing: string;
  /** Whether the list contains a similar name. */
  readonly isMisspelled: boolean;
}

/** A verified list does not contain the cluster. With `listAdvice`, it may exist nevertheless. */
export interface NoCluster extends Failure<"noCluster"> {
  /** Whether the list contains a similar name. */
  readonly isMisspelled: boolean;
  /** What to do about the list, if it may be incomplete. */
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
  return findVerified(await listing.verified(query.projectId, { after: startedAt }), query);
}

/** Looks only in the shared list, for a caller that reads again or waits if something is missing. */
export async function findListed(
  listing: SharedListing,
  query: GetConnectionStringsArgs,
  bound: Bound,
): Promise<ListedLookup> {
  return findIn(await listing.listed(query.projectId, bound), query);
}

/** Looks in a verified list, which shows that a cluster is missing, unless it may be incomplete. */
export function findVerified(list: VerifiedClusters, query: GetConnectionStringsArgs): Lookup {
  const lookup = findIn(list, query);
  if (lookup.kind !== "notListed") return lookup;
  const listAdvice = gapAdvice(list);
  const problem = listAdvice === undefined ? noClusterProblem(list, query) : lookup.problem;
  return { ...lookup, kind: "noCluster", listAdvice, problem };
}

/** Looks in a list that was read up to its count. */
export function findIn(list: ListedClusters, query: GetConnectionStringsArgs): ListedLookup {
  const namesakes = list.clusters.filter(({ name }) => name === query.clusterName);
  const [cluster] = namesakes;
  if (cluster === undefined) return notListed(list, query);
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

/** How long before a wait its first list may have been requested, in milliseconds, so that concurrent waits share it. */
const sharedWaitTime = 1000;

/** The delays before the second poll, the third and each later one, in seconds. */
const pollDelays = [1, 3, 5] as const;

/** Polls until the string exists. Concurrent lookups share requests, so many use no more of the rate limit than one. */
export async function waitForStrings(
  { listing, log, retryPolicy }: Pick<Session, "listing" | "log" | "retryPolicy">,
  wanted: ValidLookupArgs,
  timeoutSeconds = Infinity,
): Promise<FoundStrings> {
  const start = Date.now();
  const { waitSeconds } = wanted;
  const limit = Math.min(waitSeconds, timeoutSeconds);
  const shorter = timeoutSeconds < waitSeconds ? `, customTimeouts: ${timeoutSeconds} s` : "";
  const { cancelled } = retryPolicy;
  const timeout = AbortSignal.timeout(Math.ceil(limit * 1000));
  const signal = AbortSignal.any(cancelled === undefined ? [timeout] : [timeout, cancelled]);
  let after = start - sharedWaitTime;
  let lastProblem = "the service did not respond.";
  for (let polls = 0; ; polls += 1) {
    const list = listing.listed(wanted.projectId, { after }, signal);
    const poll = await pollList(list, wanted, signal);
    if (poll.kind === "found") return poll.strings;
    if (poll.kind === "pending") lastProblem = poll.problem;
    after = Date.now();
    const waited = (after - start) / 1000;
    const left = limit - waited;
    // Node.js may collect a timeout that is only a part of another signal: https://github.com/nodejs/node/issues/57736
    if (poll.kind === "aborted" || left <= 0 || timeout.aborted || signal.aborted) {
      const end = cancelled?.aborted ? "Cancelled" : "Timed out";
      throw new ProviderError(
        `${lastProblem} ${end} after ${Math.round(waited)} s (waitSeconds: ${waitSeconds}${shorter}).`,
        { code: "wait-ended" },
      );
    }
    await log("progress", `${poll.progress} for up to ${Math.ceil(left)} s`);
    // The next poll reports the end of the wait.
    const delay = Math.min(pollDelays[polls] ?? pollDelays[2], left) * 1000;
    await sleep(delay, undefined, { signal }).catch(() => undefined);
  }
}

/** What one list of clusters means for a wait. */
type Poll =
  | { readonly kind: "found"; readonly strings: FoundStrings }
  /** The string does not exist yet, or the service is unavailable. */
  | { readonly kind: "pending"; readonly problem: string; readonly progress: string }
  /** The wait ended before the service responded. */
  | { readonly kind: "aborted" };

/** Reads a list. A transient failure does not end the wait, but a mistake does, because waiting does not mend it. */
async function pollList(
  list: Promise<ListedClusters>,
  wanted: ValidLookupArgs,
  signal: AbortSignal,
): Promise<Poll> {
  try {
    const lookup = findIn(await list, wanted);
    if (lookup.kind === "found") return { kind: "found", strings: lookup.strings };
    const { problem, code } = lookup;
    if (lookup.kind === "unusable") throw new ProviderError(problem, { code });
    return { kind: "pending", problem, progress: `waiting for the ${lookup.missing}` };
  } catch (error) {
    if (signal.aborted && !(error instanceof ProviderError)) return { kind: "aborted" };
    if (!isTransient(error)) throw error;
    return {
      kind: "pending",
      problem: error.message,
      progress: "service unavailable; retrying",
    };
  }
}

function findStrings(cluster: Cluster, query: GetConnectionStringsArgs): Listed {
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

function versionOutput({ version }: Cluster): Pick<FoundStrings, "databaseVersion"> {
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

function notListed(list: ListedClusters, query: GetConnectionStringsArgs): NotListed {
  const { projectId, clusterName } = query;
  const gaps = gapsOf(list).map((gap) => `, and ${gap}`);
  const suggestion = suggestionOf(list, query);
  return {
    kind: "notListed",
    property: "clusterName",
    missing: `cluster ${escapeText(clusterName)}`,
    problem: `cluster ${escapeText(clusterName)} of project ${escapeText(projectId)} was not found${gaps.join("")}.${suggestion.text}`,
    code: "cluster-not-found",
    isMisspelled: suggestion.isMisspelled,
  };
}

function noClusterProblem(list: VerifiedClusters, query: GetConnectionStringsArgs): string {
  const suggestion = suggestionOf(list, query);
  const names = list.clusters.length === 0 ? " It has no clusters." : suggestion.text;
  const paths = list.paths.join(" and ");
  const advice = suggestion.isNear
    ? ""
    : ` If the service lists it at another path than ${escapeText(paths)}, set clouddb:clusterPaths.`;
  return `project ${escapeText(query.projectId)} has no cluster ${escapeText(query.clusterName)}.${names}${advice}`;
}

/**
 * Suggests at most five names: those that begin with the name or are a misspelling, or else the most similar ones.
 * Users shorten names, and host names contain only the first 23 characters, in lower case.
 */
function suggestionOf({ clusters }: ListedClusters, { clusterName }: GetConnectionStringsArgs) {
  const start = clusterName.toLowerCase();
  const byEdits = byDistance(clusterName, clusters.map(({ name }) => name).sort());
  const longer = byEdits.filter(({ name }) => name.toLowerCase().startsWith(start));
  const misspelled = byEdits.filter(({ edits }) => edits <= maxMisspelledEdits);
  const near = [...new Set([...longer, ...misspelled])];
  const isNear = near.length > 0;
  const names = (isNear ? near : byEdits).slice(0, 5).map(({ name }) => escapeText(name, 100));
  const text = isNear
    ? ` Did you mean ${names.join(" or ")}?`
    : names.length === 0
      ? ""
      : ` The nearest names: ${names.join(", ")}.`;
  return { isNear, isMisspelled: misspelled.length > 0, text };
}

/** Returns why a cluster may exist although the list does not contain its name. */
function gapsOf({ records, gap }: ListedClusters): string[] {
  const nameless = records.filter(({ name }) => name === undefined).length;
  const have = nameless === 1 ? "1 record in the list has" : `${nameless} records in the list have`;
  return [
    ...(gap === undefined ? [] : [`the list of clusters may be incomplete (${gap.reason})`]),
    ...(nameless === 0 ? [] : [`${have} no name`]),
  ];
}

function gapAdvice(list: VerifiedClusters): string | undefined {
  return gapsOf(list).length === 0 ? undefined : (list.gap?.advice ?? retryAdvice);
}

/** Implements `getClusters`. Throws a ProviderError, or an ApiError if the service fails. */
export async function findClusters(
  session: Pick<Session, "listing" | "log">,
  args: unknown,
  bound: Bound,
): Promise<GetClustersResult> {
  const description = "arguments for getClusters";
  const { projectId, names, ...wanted } = readArguments(getClustersSchema, description, args);
  const selection = select({ privateEndpoints: [] }, wanted);
  if (selection.kind === "invalid") {
    // No cluster can have such a string.
    throw new ProviderError(`invalid ${description}: ${selection.problem}`, { code: "argument" });
  }
  const clusters =
    names === undefined
      ? await findAll(session, { projectId, ...wanted }, bound)
      : await findNamed(session, { projectId, ...wanted }, [...new Set(names)], bound);
  await warnOfDeletion(session, projectId, clusters);
  return { projectId, clusters: clusters.sort((a, b) => (a.name < b.name ? -1 : 1)) };
}

async function findAll(
  { listing, log }: Pick<Session, "listing" | "log">,
  { projectId, ...wanted }: Omit<GetConnectionStringsArgs, "clusterName">,
  bound: Bound,
): Promise<ListedCluster[]> {
  const list = await listing.verified(projectId, bound);
  const advice = gapAdvice(list);
  if (advice !== undefined) {
    const gaps = gapsOf(list).join(", and ");
    throw new ProviderError(
      `cannot list the clusters of project ${escapeText(projectId)}, because ${gaps}. ${advice}`,
      { code: "incomplete-list" },
    );
  }
  const lookups = list.clusters.map((cluster) => ({
    cluster,
    lookup: findIn(list, { projectId, clusterName: cluster.name, ...wanted }),
  }));
  const failures = lookups.flatMap(({ cluster: { name }, lookup }) =>
    lookup.kind === "found" ? [] : { ...lookup, name: escapeText(name, 100) },
  );
  for (const code of new Set(failures.map((failure) => failure.code))) {
    const alike = failures.filter((failure) => failure.code === code);
    const names = [...new Set(alike.map(({ name }) => name))].join(", ");
    const warning = `no string is recommended for ${alike.length} of the ${lookups.length} clusters of project ${escapeText(projectId)}: ${names}. The first reason: ${alike[0]?.problem}`;
    await log("warning", warning, code);
  }
  return lookups.map(({ cluster, lookup }) =>
    listedCluster(cluster, lookup.kind === "found" ? lookup.strings : undefined),
  );
}

async function findNamed(
  { listing }: Pick<Session, "listing">,
  wanted: Omit<GetConnectionStringsArgs, "clusterName">,
  names: readonly string[],
  bound: Bound,
): Promise<ListedCluster[]> {
  const lookups = await Promise.all(
    names.map((clusterName) => findOrReread(listing, { ...wanted, clusterName }, bound)),
  );
  const failures = lookups.filter((lookup) => lookup.kind !== "found");
  const [first] = failures;
  if (first !== undefined) {
    const problems = failures.map(({ problem }) => `\n  ${problem}`);
    throw new ProviderError(
      `getClusters cannot return ${failures.length} of the ${names.length} clusters in names:${problems.join("")}`,
      { property: "names", code: first.code },
    );
  }
  return lookups.flatMap((lookup) =>
    lookup.kind === "found" ? listedCluster(lookup.cluster, lookup.strings) : [],
  );
}

/** Returns a cluster of `getClusters`. Without `strings`, it has all of its strings, but no recommended one. */
function listedCluster(
  cluster: Cluster,
  strings: FoundStrings | ClusterStrings = clusterStrings(cluster.connectionStrings),
): ListedCluster {
  const { name, state } = cluster;
  return {
    name,
    ...(state === undefined ? {} : { state }),
    ...versionOutput(cluster),
    ...strings,
  };
}
