/** Implements `getClusters`. functions.ts loads this module on the first call. */
import { clusterStrings } from "clouddb-connection-strings";
import { pagingAdvice } from "../api/paging";
import type { ClusterList } from "../api/client";
import type { Cluster, MalformedCluster } from "../api/schemas";
import { escapeText } from "../api/text";
import { readArguments } from "../session/arguments";
import { ProviderError } from "../session/errors";
import type { Session } from "../session/session";
import { type GetClustersResult, type ListedCluster, getClustersSchema } from "./args";

/**
 * Validates the arguments of `getClusters`, and returns the clusters of the shared list.
 *
 * @throws ProviderError if an argument is invalid, if the list may be incomplete, or if a record in it is
 *   malformed; ApiError if the service fails
 */
export async function findClusters(
  { listing }: { readonly listing: Pick<Session["listing"], "clusters"> },
  args: unknown,
): Promise<GetClustersResult> {
  const { projectId } = readArguments(getClustersSchema, "arguments for getClusters", args);
  const list = await listing.clusters(projectId);
  const problem = problemOf(list);
  if (problem !== undefined) {
    throw new ProviderError(
      `cannot list the clusters of project ${escapeText(projectId)}: ${problem}`,
    );
  }
  const clusters = list.clusters.map(listedCluster);
  return { projectId, clusters: clusters.sort((a, b) => (a.name < b.name ? -1 : 1)) };
}

function listedCluster({ name, state, version, connectionStrings }: Cluster): ListedCluster {
  return {
    name,
    ...(state === undefined ? {} : { state }),
    ...(version === undefined ? {} : { version }),
    ...clusterStrings(connectionStrings),
  };
}

/** Returns why clusters may be missing from the result, and what to do; undefined if none are. */
function problemOf({ incomplete, malformed }: ClusterList): string | undefined {
  if (incomplete !== undefined) {
    return `its list of clusters may be incomplete. ${incomplete}. ${pagingAdvice}`;
  }
  const [first] = malformed;
  if (first === undefined) return undefined;
  const others = malformed.length === 1 ? "" : `, and ${malformed.length - 1} more`;
  return `the service's record of ${described(first)} is malformed: ${escapeText(first.problem)}${others}. Check apiPath and mediaType, or report this to the service's operator.`;
}

function described({ name }: MalformedCluster): string {
  return name === undefined ? "a cluster without a name" : `cluster ${escapeText(name, 100)}`;
}
