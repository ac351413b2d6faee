/**
 * Determines whether private IP mode of a project can be disabled now, and what prevents it.
 * functions.ts loads this module on the first call.
 */
import { pagingAdvice } from "../service/paging";
import { escapeText } from "../messages/text";
import * as z from "../messages/zod";
import { projectIdSchema, readArguments } from "../messages/arguments";
import { ProviderError } from "../messages/errors";
import type { Session } from "../service/session";
import { blockingClusters, minimumVersion, uncertaintyOf, versionTable } from "./guard";
import { peeredClusters } from "./peeringWarning";
import type { ClusterVersion, PrivateIpModeReadiness } from "./readinessResult";

interface ReadinessSession {
  readonly client: Pick<Session["client"], "getPrivateIpMode">;
  readonly listing: Pick<Session["listing"], "clusters">;
}

const argsSchema = z.strictObject({ projectId: projectIdSchema });

/** Validates the arguments of `getPrivateIpModeReadiness`, and reads the readiness of the project. */
export async function findReadiness(
  session: ReadinessSession,
  args: unknown,
): Promise<PrivateIpModeReadiness> {
  const name = "arguments for getPrivateIpModeReadiness";
  return await readReadiness(session, readArguments(argsSchema, name, args).projectId);
}

/** Reads the setting and all clusters of the project. Throws if the list of clusters may be incomplete. */
export async function readReadiness(
  { client, listing }: ReadinessSession,
  projectId: string,
): Promise<PrivateIpModeReadiness> {
  const [observed, list] = await Promise.all([
    client.getPrivateIpMode(projectId),
    listing.clusters(projectId),
  ]);
  const mode =
    observed.kind === "unsupported" ? "unknown" : observed.enabled ? "enabled" : "disabled";
  // If the mode is off, an incomplete list does not matter.
  const uncertainty = uncertaintyOf(list);
  if (uncertainty !== undefined && mode !== "disabled") {
    throw new ProviderError(
      `cannot determine whether private IP mode of project ${escapeText(projectId)} can be disabled: its list of clusters may be incomplete. ${uncertainty}. ${pagingAdvice}`,
    );
  }
  const blocking = blockingClusters(list);
  const versionsOf = (clusters: typeof blocking) =>
    clusters.map(({ name, version }) => ({ name, version }));
  return {
    projectId,
    mode,
    ready: mode === "disabled" || blocking.length === 0,
    clusterCount: list.clusters.length + list.malformed.length,
    clustersBelowMinimum: versionsOf(blocking.filter(({ reason }) => reason === "tooLow")),
    clustersWithoutVersion: versionsOf(blocking.filter(({ reason }) => reason !== "tooLow")),
    clustersWithPeeringStrings: peeredClusters(list.clusters),
  };
}

export function readinessReport(readiness: PrivateIpModeReadiness): string[] {
  const { projectId, mode, clusterCount, clustersWithPeeringStrings: peered } = readiness;
  return [
    `Private IP mode of project ${escapeText(projectId)} is ${mode}; ${clusterCount} ${clusterCount === 1 ? "cluster" : "clusters"}.`,
    verdict(readiness),
    ...table(`Clusters below ${minimumVersion}:`, readiness.clustersBelowMinimum),
    ...table("Clusters without a usable version:", readiness.clustersWithoutVersion),
    ...(peered.length === 0
      ? []
      : [
          "Clusters whose applications in peered networks should already use the peering-private strings:",
          ...peered.map((name) => `  ${escapeText(name, 100)}`),
        ]),
  ];
}

function verdict({ mode, ready }: PrivateIpModeReadiness): string {
  if (mode === "disabled") return "Ready: there is nothing to disable.";
  if (!ready) return "Not ready: disabling it would be refused.";
  return `Ready: every cluster runs version ${minimumVersion} or later.`;
}

function table(title: string, clusters: readonly ClusterVersion[]): string[] {
  return clusters.length === 0 ? [] : [title, ...versionTable(clusters)];
}
