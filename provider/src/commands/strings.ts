/** `pulumi-clouddb strings`: prints the connection strings of a project's clusters. */
import type { Network } from "clouddb-connection-strings";
import { withCode } from "../messages/errors";
import { columns } from "../messages/format";
import { escapeMessage, escapeText, jsonText } from "../messages/text";
import { querySchema } from "../clusterConnectionStrings/args";
import { findClusters } from "../clusterConnectionStrings/findClusters";
import { findOrReread, warnOfDeletion } from "../clusterConnectionStrings/lookup";
import type { GetClustersResult, ListedCluster } from "../clusterConnectionStrings/outputs";
import * as z from "zod/mini";
import {
  UsageError,
  defineCommand,
  failureResult,
  readOption,
  forCommand,
  requiredProject,
  success,
  commandSession,
  settingsHelp,
} from "./command";

export const strings = defineCommand({
  name: "strings",
  summary: "print the connection strings of a project's clusters",
  usage: "--project ID [--cluster NAME]",
  help: `Usage: pulumi-clouddb strings --project ID [--cluster NAME] [options]

Without --cluster, prints a table of the project's clusters. With --cluster, prints the string to use, and
nothing else:

  DATABASE_URL=$(npx pulumi-clouddb strings --project ID --cluster orders --network peering)

To check the string where the application runs, pipe it into the check:

  npx pulumi-clouddb strings --project ID --cluster orders | npx clouddb-connection-strings check

  --project ID       the ID of the project
  --cluster NAME     the name of the cluster
  --network KIND     the network that the application runs in: internet (the default), peering or
                     privateEndpoint
  --endpoint-id ID   select a private endpoint if the cluster has several
  --region REGION    select the private endpoint by region
  --form FORM        srv (the default), or hosts for the list of hosts
  --stack NAME       read the configuration of this stack before the environment, in the program's folder
  --json             print every string as JSON: the result of getClusters or getConnectionStrings
  --help             print this help

${settingsHelp}

Exit code: 0 printed; 1 failure, or the cluster or the string does not exist; 2 wrong usage.`,
  failure: "Could not read the connection strings",
  options: {
    project: { type: "string" },
    stack: { type: "string" },
    cluster: { type: "string" },
    network: { type: "string" },
    "endpoint-id": { type: "string" },
    region: { type: "string" },
    form: { type: "string" },
    json: { type: "boolean", default: false },
  },
  async run({ project, stack, cluster, json, ...selection }) {
    const projectId = requiredProject(project);
    const { network = "internet", "endpoint-id": endpointId, region, form = "srv" } = selection;
    const wanted = {
      network: networkOf(readOption("network", networkSchema, network), endpointId, region),
      form: readOption("form", querySchema.shape.form, form),
    };
    if (cluster === undefined) {
      const session = await commandSession(stack);
      const result = await findClusters(session, { projectId, ...wanted }, "recent");
      if (json) return success(jsonText(result));
      const { clusters } = await session.listing.listed(projectId, "recent");
      const paused = clusters.filter(({ isPaused }) => isPaused).map(({ name }) => name);
      return success(clusterTable(result, paused, wanted.network));
    }
    const clusterName = readOption("clusterName", querySchema.shape.clusterName, cluster);
    const query = querySchema.parse({ projectId, clusterName, ...wanted });
    const session = await commandSession(stack);
    const lookup = await findOrReread(session.listing, query, "recent");
    if (lookup.kind !== "found") {
      const problem = forCommand(lookup.problem, stack !== undefined);
      return failureResult(withCode(problem, lookup.code));
    }
    await warnOfDeletion(session, projectId, [lookup.cluster]);
    if (lookup.cluster.isPaused) {
      await session.log(
        "warning",
        `cluster ${escapeText(clusterName)} is paused, so nothing can connect to it.`,
      );
    }
    const result = { projectId, clusterName, ...lookup.strings };
    return success(json ? jsonText(result) : escapeMessage(result.recommended));
  },
});

const networkSchema = z.enum(["internet", "peering", "privateEndpoint"], {
  error: "must be internet, peering or privateEndpoint",
});

/** Reads the options of the network. Throws a UsageError for those of another kind. */
function networkOf(
  kind: Network["kind"],
  endpointId: string | undefined,
  region: string | undefined,
): Network {
  if (kind === "privateEndpoint") return { kind, endpointId, region };
  if (endpointId === undefined && region === undefined) return { kind };
  throw new UsageError("--endpoint-id and --region require --network privateEndpoint");
}

/** Lists the clusters with the networks that they have strings for, and the string for the requested one. */
function clusterTable(
  { projectId, clusters }: GetClustersResult,
  paused: readonly string[],
  network: Network,
): string {
  if (clusters.length === 0) return `Project ${escapeText(projectId)} has no clusters.`;
  const rows = clusters.map((cluster) => {
    const { name, databaseVersion = "-", state: known = "-", recommended = "-" } = cluster;
    const state = paused.includes(name) ? `${known}, paused` : known;
    return [name, databaseVersion, state, networksOf(cluster), recommended].map(escapeMessage);
  });
  return columns([
    ["CLUSTER", "VERSION", "STATE", "NETWORKS", `STRING (${network.kind})`],
    ...rows,
  ]);
}

/** Names the networks for which a cluster has strings. */
function networksOf(cluster: ListedCluster): string {
  const endpoints = cluster.privateEndpoints.length;
  const available = [
    ...((cluster.standard ?? cluster.standardSrv) ? ["internet"] : []),
    ...((cluster.private ?? cluster.privateSrv) ? ["peering"] : []),
    ...(endpoints === 0 ? [] : [`privateEndpoint${endpoints === 1 ? "" : ` (${endpoints})`}`]),
  ];
  return available.join(", ") || "-";
}
