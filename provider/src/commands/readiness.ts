/** `pulumi-clouddb readiness`: whether private IP mode of a project can be disabled now, and what prevents it. */
import { ProviderError } from "../messages/errors";
import { escapeText, jsonText } from "../messages/text";
import {
  type BlockingCluster,
  adviceBesideUpgrade,
  blockingClusters,
  countClusters,
  legacyClusters,
  minimumMajorVersion,
  peeredClusters,
  versionTable,
} from "../privateIpMode/guard";
import type { Session } from "../service/session";
import {
  commandSession,
  settingsHelp,
  defineCommand,
  forCommand,
  requiredProject,
  success,
} from "./command";

export const readiness = defineCommand({
  name: "readiness",
  summary: "report whether private IP mode of a project can be disabled now",
  usage: "--project ID [--stack NAME]",
  help: `Usage: pulumi-clouddb readiness --project ID [--stack NAME] [--json]

Reports whether private IP mode of a project can be disabled now: whether every cluster runs version
${minimumMajorVersion} or later. Lists the next steps, and the clusters with legacy strings, because applications in
peered networks that use them can break. Changes nothing.

  --project ID   the ID of the project
  --stack NAME   read the configuration of this stack before the environment, in the program's folder
  --json         print one JSON object: projectId, mode (enabled, disabled or unknown), ready, clusterCount,
                 clustersBelowMinimum and clustersWithoutVersion (the name and the version of each),
                 clustersWithPeeringStrings (names), clustersWithLegacyStrings (the name and the strings of each)
                 and nextSteps
  --help         print this help

${settingsHelp}

Exit code: 0 ready, 1 not ready or not known, 2 wrong usage.`,
  failure: "Could not determine readiness",
  options: {
    project: { type: "string" },
    stack: { type: "string" },
    json: { type: "boolean", default: false },
  },
  async run({ project, stack, json }) {
    const projectId = requiredProject(project);
    const result = await readReadiness(await commandSession(stack), projectId);
    const steps = result.nextSteps.map((step) => forCommand(step, stack !== undefined));
    const lines = [
      ...readinessReport(result),
      ...(steps.length === 0 ? [] : ["Next steps:", ...steps.map((step) => `  - ${step}`)]),
    ];
    const output = json ? jsonText({ ...result, nextSteps: steps }) : lines.join("\n");
    return success(output, result.ready ? 0 : 1);
  },
});

/** What {@link readReadiness} needs of a session. */
interface ReadinessSession {
  readonly client: Pick<Session["client"], "getPrivateIpMode">;
  readonly listing: Pick<Session["listing"], "verifiedAnew">;
}

/** What `--json` prints. The clusters are sorted by name. */
type Readiness = Awaited<ReturnType<typeof readReadiness>>;

/** Reads the setting and all clusters of the project. Throws if the list of clusters may be incomplete. */
export async function readReadiness({ client, listing }: ReadinessSession, projectId: string) {
  const [enabled, list] = await Promise.all([
    client.getPrivateIpMode(projectId),
    listing.verifiedAnew(projectId),
  ]);
  const mode = enabled === undefined ? "unknown" : enabled ? "enabled" : "disabled";
  // If the mode is off, an incomplete list does not matter.
  if (list.gap !== undefined && mode !== "disabled") {
    throw new ProviderError(
      `cannot determine whether private IP mode of project ${escapeText(projectId)} can be disabled: its list of clusters may be incomplete. ${list.gap.reason}. ${list.gap.advice}`,
      { code: "incomplete-list" },
    );
  }
  const blocking = blockingClusters(list);
  const isBelow = ({ reason }: BlockingCluster) => reason === "tooLow" || reason === "pinned";
  const versionsOf = (clusters: readonly BlockingCluster[]) =>
    clusters.map(({ name, version }) => ({ name, version }));
  const legacy = legacyClusters(list.clusters);
  return {
    projectId,
    mode,
    ready: mode === "disabled" || blocking.length === 0,
    clusterCount: countClusters(list.records),
    clustersBelowMinimum: versionsOf(blocking.filter(isBelow)),
    clustersWithoutVersion: versionsOf(blocking.filter((cluster) => !isBelow(cluster))),
    clustersWithPeeringStrings: peeredClusters(list.clusters),
    clustersWithLegacyStrings: legacy,
    nextSteps: mode === "disabled" ? [] : nextSteps(blocking, legacy.length > 0),
  };
}

/** Says what to do until the mode can be disabled, in the order in which to do it. */
function nextSteps(blocking: readonly BlockingCluster[], hasLegacy: boolean): string[] {
  const isTooLow = blocking.some(({ reason }) => reason === "tooLow");
  const upgrade = `Upgrade the clusters below ${minimumMajorVersion}.`;
  const replaceLegacy =
    "Before you disable the mode, replace legacy strings in applications (in peered networks, with peering-private strings), and restart the applications.";
  return [
    ...(isTooLow ? [upgrade] : []),
    ...adviceBesideUpgrade(blocking),
    ...(blocking.length > 0 ? ["Run this command again."] : []),
    ...(hasLegacy ? [replaceLegacy] : []),
  ];
}

/** Writes the result as lines, without the next steps. */
function readinessReport(readiness: Readiness): string[] {
  const { projectId, mode, clusterCount, clustersWithPeeringStrings: peered } = readiness;
  const status = `Private IP mode of project ${escapeText(projectId)} is ${mode}; ${clusterCount} ${clusterCount === 1 ? "cluster" : "clusters"}.`;
  if (mode === "disabled") return [status, "Ready: there is nothing to disable."];
  return [
    status,
    verdict(readiness),
    ...titledTable(`Clusters below ${minimumMajorVersion}:`, readiness.clustersBelowMinimum),
    ...titledTable("Clusters without a usable version:", readiness.clustersWithoutVersion),
    ...titledTable(
      "Clusters with legacy strings, whose host names resolve to public addresses when the mode is off:",
      readiness.clustersWithLegacyStrings.map(({ name, strings: [version = ""] }) => ({
        name,
        version,
      })),
    ),
    ...(peered.length === 0
      ? []
      : [
          "Clusters whose applications in peered networks should already use the peering-private strings:",
          ...peered.map((name) => `  ${escapeText(name, 100)}`),
        ]),
  ];
}

/** Says whether the mode can be disabled, and how many clusters prevent it. */
function verdict({ ready, clusterCount, ...blocking }: Readiness): string {
  // A cluster that changed while the list was read can be in both lists, or twice in one.
  const all = [...blocking.clustersBelowMinimum, ...blocking.clustersWithoutVersion];
  const count = new Set(all.map(({ name }) => name)).size;
  if (!ready) {
    return `Not ready: the mode cannot be disabled, because ${count} of ${clusterCount} ${clusterCount === 1 ? "cluster" : "clusters"} must be upgraded or checked first. Follow the next steps.`;
  }
  return `Ready: every cluster runs version ${minimumMajorVersion} or later.`;
}

/** Returns a title and a table; nothing if no cluster would be in it. */
function titledTable(title: string, clusters: Parameters<typeof versionTable>[0]): string[] {
  return clusters.length === 0 ? [] : [title, ...versionTable(clusters)];
}
