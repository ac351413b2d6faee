/** Finds the clusters that `getClusters` returns, with their strings. functions.ts loads this module on the first call. */
import { type ClusterStrings, clusterStrings, select } from "clouddb-connection-strings";
import { ProviderError } from "../messages/errors";
import { escapeText } from "../messages/text";
import type { Bound } from "../service/clusterLists";
import type { Cluster } from "../service/schemas";
import type { Session } from "../service/session";
import { readArguments } from "../validation/arguments";
import { type GetConnectionStringsArgs, getClustersSchema } from "./args";
import {
  type FoundStrings,
  findIn,
  findOrReread,
  gapOfNames,
  versionOutput,
  warnOfDeletion,
} from "./lookup";
import type { GetClustersResult, ListedCluster } from "./outputs";

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
  const gap = gapOfNames(list);
  if (gap !== undefined) {
    throw new ProviderError(
      `cannot list the clusters of project ${escapeText(projectId)}, because ${gap.reason}. ${gap.advice}`,
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
export function listedCluster(
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
