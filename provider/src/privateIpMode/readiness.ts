/**
 * Determines whether private IP mode of a project can be disabled now, and what prevents it.
 * functions.ts loads this module on the first call.
 */
import { escapeText } from "../messages/text";
import * as z from "../messages/zod";
import { projectIdSchema, readArguments } from "../messages/arguments";
import { ProviderError } from "../messages/errors";
import type { Session } from "../service/session";
import { blockingClusters, legacyClusters, peeredClusters } from "./guard";
import type { PrivateIpModeReadiness } from "./args";

interface ReadinessSession {
  readonly client: Pick<Session["client"], "getPrivateIpMode">;
  readonly listing: Pick<Session["listing"], "verifiedAnew">;
}

/** Also says whose applications in peered networks can break without the mode (service document 2.6 and 3). */
export interface ReadinessDetails extends PrivateIpModeReadiness {
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
  const { clustersWithLegacyStrings: _details, ...readiness } = await readReadiness(
    session,
    projectId,
  );
  return readiness;
}

/** Reads the setting and all clusters of the project. Throws if the list of clusters may be incomplete. */
export async function readReadiness(
  { client, listing }: ReadinessSession,
  projectId: string,
): Promise<ReadinessDetails> {
  const [enabled, list] = await Promise.all([
    client.getPrivateIpMode(projectId),
    listing.verifiedAnew(projectId),
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
  return {
    projectId,
    mode,
    ready: mode === "disabled" || blocking.length === 0,
    clusterCount: list.records.length,
    clustersBelowMinimum: versionsOf(blocking.filter(({ reason }) => reason === "tooLow")),
    clustersWithoutVersion: versionsOf(blocking.filter(({ reason }) => reason !== "tooLow")),
    clustersWithPeeringStrings: peeredClusters(list.clusters),
    clustersWithLegacyStrings: legacyClusters(list.clusters),
  };
}
