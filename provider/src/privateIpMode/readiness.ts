/**
 * Determines whether private IP mode of a project can be disabled now, and what prevents it.
 * functions.ts loads this module on the first call.
 */
import { clusterStrings } from "clouddb-connection-strings";
import type { Cluster } from "../service/schemas";
import { escapeText } from "../messages/text";
import * as z from "../messages/zod";
import { projectIdSchema, readArguments } from "../messages/arguments";
import { ProviderError } from "../messages/errors";
import type { Session } from "../service/session";
import {
  adviceWithoutVersion,
  blockingClusters,
  minimumVersion,
  noVersion,
  peeredClusters,
  versionTable,
} from "./guard";
import type { ClusterVersion, PrivateIpModeReadiness } from "./args";

interface ReadinessSession {
  readonly client: Pick<Session["client"], "getPrivateIpMode">;
  readonly listing: Pick<Session["listing"], "verified">;
}

/** Also says whose applications in peered networks can break without the mode (service document 2.6 and 3). */
export interface ReadinessDetails {
  readonly readiness: PrivateIpModeReadiness;
  /** Sorted by name. When the mode is off, the host names in legacy strings resolve to public addresses. */
  readonly clustersWithLegacyStrings: readonly {
    readonly name: string;
    readonly strings: readonly string[];
  }[];
}

const argsSchema = z.strictObject({ projectId: projectIdSchema });

/** Validates the arguments of `getPrivateIpModeReadiness`, and reads the readiness of the project. */
export async function findReadiness(
  session: ReadinessSession,
  args: unknown,
): Promise<PrivateIpModeReadiness> {
  const name = "arguments for getPrivateIpModeReadiness";
  const { projectId } = readArguments(argsSchema, name, args);
  return (await readReadiness(session, projectId)).readiness;
}

/** Reads the setting and all clusters of the project. Throws if the list of clusters may be incomplete. */
export async function readReadiness(
  { client, listing }: ReadinessSession,
  projectId: string,
): Promise<ReadinessDetails> {
  const [enabled, list] = await Promise.all([
    client.getPrivateIpMode(projectId),
    listing.verified(projectId),
  ]);
  const mode = enabled === undefined ? "unknown" : enabled ? "enabled" : "disabled";
  // If the mode is off, an incomplete list does not matter.
  if (list.incomplete !== undefined && mode !== "disabled") {
    throw new ProviderError(
      `cannot determine whether private IP mode of project ${escapeText(projectId)} can be disabled: its list of clusters may be incomplete. ${list.incomplete.reason}. ${list.incomplete.advice}`,
      { code: "incomplete-list" },
    );
  }
  const blocking = blockingClusters(list);
  const versionsOf = (clusters: typeof blocking) =>
    clusters.map(({ name, version }) => ({ name, version }));
  const readiness: PrivateIpModeReadiness = {
    projectId,
    mode,
    ready: mode === "disabled" || blocking.length === 0,
    clusterCount: list.records.length,
    clustersBelowMinimum: versionsOf(blocking.filter(({ reason }) => reason === "tooLow")),
    clustersWithoutVersion: versionsOf(blocking.filter(({ reason }) => reason !== "tooLow")),
    clustersWithPeeringStrings: peeredClusters(list.clusters),
  };
  return { readiness, clustersWithLegacyStrings: clustersWithLegacyStrings(list.clusters) };
}

function clustersWithLegacyStrings(clusters: readonly Cluster[]) {
  const sorted = clusters.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  return sorted.flatMap(({ name, connectionStrings }) => {
    const { legacy, legacySrv } = clusterStrings(connectionStrings);
    const strings = [legacySrv, legacy].filter((each) => each !== undefined);
    return strings.length === 0 ? [] : [{ name, strings }];
  });
}

/** Returns what to do before the mode can be disabled without breaking applications. */
export function nextSteps({
  readiness,
  clustersWithLegacyStrings: legacy,
}: ReadinessDetails): string[] {
  const { mode, ready, clustersBelowMinimum, clustersWithoutVersion } = readiness;
  const steps: [isNeeded: boolean, step: string][] = [
    [clustersBelowMinimum.length > 0, `Upgrade the clusters below ${minimumVersion}.`],
    [clustersWithoutVersion.some(({ version }) => version === noVersion), adviceWithoutVersion],
    [!ready, "Run this command again."],
    [
      legacy.length > 0,
      "Before you disable the mode, replace legacy strings in applications (in peered networks, with peering-private strings), and restart the applications.",
    ],
  ];
  return steps.flatMap(([isNeeded, step]) => (isNeeded && mode !== "disabled" ? [step] : []));
}

export function readinessReport({
  readiness,
  clustersWithLegacyStrings: legacy,
}: ReadinessDetails): string[] {
  const { projectId, mode, clusterCount, clustersWithPeeringStrings: peered } = readiness;
  return [
    `Private IP mode of project ${escapeText(projectId)} is ${mode}; ${clusterCount} ${clusterCount === 1 ? "cluster" : "clusters"}.`,
    verdict(readiness),
    ...table(`Clusters below ${minimumVersion}:`, readiness.clustersBelowMinimum),
    ...table("Clusters without a usable version:", readiness.clustersWithoutVersion),
    ...table(
      "Clusters with legacy strings, whose host names resolve to public addresses when the mode is off:",
      legacy.map(({ name, strings: [version = ""] }) => ({ name, version })),
    ),
    ...(peered.length === 0
      ? []
      : [
          "Clusters whose applications in peered networks should already use the peering-private strings:",
          ...peered.map((name) => `  ${escapeText(name, 100)}`),
        ]),
  ];
}

function verdict({ mode, ready, clusterCount, ...blocking }: PrivateIpModeReadiness): string {
  if (mode === "disabled") return "Ready: there is nothing to disable.";
  const count = blocking.clustersBelowMinimum.length + blocking.clustersWithoutVersion.length;
  if (!ready) {
    return `Not ready: the mode cannot be disabled, because ${count} of ${clusterCount} ${clusterCount === 1 ? "cluster" : "clusters"} must be upgraded or checked first. Follow the next steps.`;
  }
  return `Ready: every cluster runs version ${minimumVersion} or later.`;
}

function table(title: string, clusters: readonly ClusterVersion[]): string[] {
  return clusters.length === 0 ? [] : [title, ...versionTable(clusters)];
}
