/** `pulumi-clouddb strings`: prints the connection strings of a project's clusters. */
import { type Network, select } from "clouddb-connection-strings";
import { escapeMessage, escapeText, jsonText } from "../messages/text";
import {
  type GetClustersResult,
  type ListedCluster,
  querySchema,
} from "../clusterConnectionStrings/args";
import { findCached, findClusters } from "../clusterConnectionStrings/lookup";
import { readArguments } from "../messages/arguments";
import { suggestion } from "../messages/nearest";
import { openSession } from "../service/session";
import { readSettings } from "../settings/readSettings";
import { environmentOnly } from "../settings/settings";
import { UsageError, columns, defineCommand, errorLog, requiredProject } from "./command";

export const strings = defineCommand({
  summary: "print the connection strings of a project's clusters",
  usage: "--project ID [--cluster NAME]",
  help: `Usage: pulumi-clouddb strings --project ID [--cluster NAME] [options]

Without --cluster, prints a table of the project's clusters. With --cluster, prints the string to use, and
nothing else:

  DATABASE_URL=$(npx pulumi-clouddb strings --project ID --cluster orders --network peering)

  --project ID       the ID of the project
  --cluster NAME     the name of the cluster
  --network KIND     the network that the application runs in: internet (the default), peering or
                     privateEndpoint
  --endpoint-id ID   which private endpoint, if the cluster has several
  --region REGION    the same, by region
  --form FORM        srv (the default), or hosts for the list of hosts
  --json             print every string as JSON: the result of getClusters, or getConnectionStrings
  --help             print this help

Settings are read from the provider's environment variables: CLOUDDB_BASE_URL, CLOUDDB_CLIENT_ID and
CLOUDDB_CLIENT_SECRET or CLOUDDB_PUBLIC_KEY and CLOUDDB_PRIVATE_KEY, CLOUDDB_CA_FILE, ...

Exit code: 0 printed, 1 the cluster or the string does not exist, 2 could not be determined.`,
  failure: "Could not read the connection strings",
  options: {
    project: { type: "string" },
    cluster: { type: "string" },
    network: { type: "string", default: "internet" },
    "endpoint-id": { type: "string" },
    region: { type: "string" },
    form: { type: "string", default: "srv" },
    json: { type: "boolean", default: false },
  },
  async run({ project, cluster, network, "endpoint-id": endpointId, region, form, json }) {
    const projectId = requiredProject(project);
    const wanted = {
      network: networkOf(oneOf("--network", networks, network), endpointId, region),
      form: oneOf("--form", forms, form),
    };
    const session = openSession(readSettings(environmentOnly, process.env), errorLog);
    if (cluster === undefined) {
      const result = await findClusters(session, { projectId });
      const output = json ? jsonText(result) : table(result, wanted);
      return { code: 0, output, error: "" };
    }
    const query = readArguments(querySchema, "options", {
      projectId,
      clusterName: cluster,
      ...wanted,
    });
    const lookup = await findCached(session.listing, query);
    if (lookup.kind !== "found") {
      const isAbsent =
        lookup.kind === "noString" || (lookup.kind === "noCluster" && lookup.listIsComplete);
      return { code: isAbsent ? 1 : 2, output: "", error: escapeMessage(lookup.problem) };
    }
    const result = { projectId, clusterName: cluster, ...lookup.strings };
    const output = json ? jsonText(result) : result.recommended;
    return { code: 0, output, error: "" };
  },
});

const networks = ["internet", "peering", "privateEndpoint"] as const;
const forms = ["srv", "hosts"] as const;

interface Wanted {
  readonly network: Network;
  readonly form: (typeof forms)[number];
}

function oneOf<Value extends string>(
  option: string,
  values: readonly Value[],
  text: string,
): Value {
  const value = values.find((each) => each === text);
  if (value !== undefined) return value;
  throw new UsageError(`Unknown ${option} ${escapeText(text)}; ${suggestion(text, values)}`);
}

function networkOf(
  kind: Network["kind"],
  endpointId: string | undefined,
  region: string | undefined,
): Network {
  if (kind === "privateEndpoint") return { kind, endpointId, region };
  if (endpointId === undefined && region === undefined) return { kind };
  throw new UsageError("--endpoint-id and --region require --network privateEndpoint.");
}

/** Formats clusters as a table, with the string of each for the network, or `-`. */
function table({ projectId, clusters }: GetClustersResult, wanted: Wanted): string {
  if (clusters.length === 0) return `Project ${escapeText(projectId)} has no clusters.`;
  const rows = clusters.map((cluster) => {
    const { name, databaseVersion = "-", state = "-" } = cluster;
    const selection = select(cluster, wanted);
    const string = selection.kind === "selected" ? selection.connectionString : "-";
    return [name, databaseVersion, state, networksOf(cluster), string];
  });
  return columns([
    ["CLUSTER", "VERSION", "STATE", "NETWORKS", `STRING (${wanted.network.kind})`],
    ...rows,
  ]);
}

/** Returns the networks that a cluster has strings for. */
function networksOf(cluster: ListedCluster): string {
  const endpoints = cluster.privateEndpoints.length;
  const available = [
    ...((cluster.standard ?? cluster.standardSrv) ? ["internet"] : []),
    ...((cluster.private ?? cluster.privateSrv) ? ["peering"] : []),
    ...(endpoints === 0 ? [] : [`privateEndpoint${endpoints === 1 ? "" : ` (${endpoints})`}`]),
  ];
  return available.join(", ") || "-";
}
