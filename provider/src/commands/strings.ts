/** `pulumi-clouddb strings`: prints the connection strings of a project's clusters. */
import { ConnectionStringError, type Network } from "clouddb-connection-strings";
import { withCode, ProviderError } from "../messages/errors";
import { setToOutput } from "../messages/recommendations";
import { escapeMessage, escapeText, jsonText } from "../messages/text";
import { querySchema } from "../clusterConnectionStrings/args";
import { findClusters, findOrReread, warnOfDeletion } from "../clusterConnectionStrings/lookup";
import type { GetClustersResult, ListedCluster } from "../clusterConnectionStrings/outputs";
import * as z from "zod/mini";
import {
  type CommandResult,
  UsageError,
  defineCommand,
  failureResult,
  readOption,
  forCommand,
  requiredProject,
  success,
  commandSession,
  settingsHelp,
  columns,
} from "./command";
import { checkConnection } from "./connectionCheck";

export const strings = defineCommand({
  name: "strings",
  summary: "print the connection strings of a project's clusters",
  usage: "--project ID [--cluster NAME], or --check",
  help: `Usage: pulumi-clouddb strings --project ID [--cluster NAME] [options]

       pulumi-clouddb strings --check --variable NAME [options]

Without --cluster, prints a table of the project's clusters. With --cluster, prints the string to use, and
nothing else:

  DATABASE_URL=$(npx pulumi-clouddb strings --project ID --cluster orders --network peering)

With --check, finds mistakes in a string, and shows what its names resolve to and whether the hosts accept TLS
connections. It is no driver: it does not log in, and a driver can refuse options that it accepts. Run it where the
application runs. It needs no account if an environment variable contains the string. With --project and --cluster, it
looks up the string and checks it.

  --project ID       the ID of the project
  --cluster NAME     the name of the cluster
  --network KIND     the network that the application runs in: internet (the default), peering or
                     privateEndpoint
  --endpoint-id ID   select a private endpoint if the cluster has several
  --region REGION    select the private endpoint by region
  --form FORM        srv (the default), or hosts for the list of hosts
  --check            check a string in this network; prints only whether its hosts accept connections
  --variable NAME    for --check, the environment variable that contains the string
  --resolver ADDRESS for --check, the DNS server to query, such as 10.0.0.2 or 127.0.0.1:5353
  --stack NAME       read the configuration of this stack before the environment, in the program's folder
  --json             print every string as JSON: the result of getClusters or getConnectionStrings
  --help             print this help

${settingsHelp}

Exit code: 0 printed, or the string is reachable; 1 failure, or the cluster or the string does not exist; 2 wrong
usage.`,
  failure: "Could not read the connection strings",
  options: {
    project: { type: "string" },
    stack: { type: "string" },
    cluster: { type: "string" },
    network: { type: "string" },
    "endpoint-id": { type: "string" },
    region: { type: "string" },
    form: { type: "string" },
    check: { type: "boolean", default: false },
    variable: { type: "string" },
    resolver: { type: "string" },
    json: { type: "boolean", default: false },
  },
  async run({ project, stack, cluster, json, check, variable, resolver, ...selection }) {
    if (check && json) throw new UsageError("--json cannot be combined with --check");
    if (!check && (variable ?? resolver) !== undefined)
      throw new UsageError("--variable and --resolver require --check");
    if (check && (variable === undefined) === (cluster === undefined))
      throw new UsageError("--check requires either --variable or --project and --cluster");
    if (variable !== undefined) return await reportCheck(valueOf(variable), resolver);
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
      return success(table(result, paused, wanted.network));
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
    if (check) return await reportCheck(lookup.strings.recommended, resolver);
    const result = { projectId, clusterName, ...lookup.strings };
    return success(json ? jsonText(result) : escapeMessage(result.recommended));
  },
});

async function reportCheck(string: string, resolver: string | undefined): Promise<CommandResult> {
  try {
    const { report, isReachable } = await checkConnection(string, { resolver });
    return success(report, isReachable ? 0 : 1);
  } catch (error) {
    // Its message contains no part of the string.
    if (error instanceof ConnectionStringError) throw new ProviderError(error.message);
    throw error;
  }
}

/** Returns the string to check. Does not repeat what is not a name, because it can be a string with a password. */
function valueOf(variable: string): string {
  const value = process.env[variable];
  if (value?.trim()) return value;
  if (!/^\w{1,100}$/.test(variable)) {
    throw new ProviderError(
      "--variable must be the name of an environment variable, not its value.",
    );
  }
  const output = `pulumi stack output ${variable} --show-secrets`;
  const check = `npx pulumi-clouddb strings --check --variable ${variable}`;
  throw new ProviderError(
    `${variable} is not set here, or empty. To check the output ${variable} of a stack:\n\n  ${setToOutput(variable, output, check)}`,
  );
}

const networkSchema = z.enum(["internet", "peering", "privateEndpoint"], {
  error: "must be internet, peering or privateEndpoint",
});

function networkOf(
  kind: Network["kind"],
  endpointId: string | undefined,
  region: string | undefined,
): Network {
  if (kind === "privateEndpoint") return { kind, endpointId, region };
  if (endpointId === undefined && region === undefined) return { kind };
  throw new UsageError("--endpoint-id and --region require --network privateEndpoint");
}

function table(
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

function networksOf(cluster: ListedCluster): string {
  const endpoints = cluster.privateEndpoints.length;
  const available = [
    ...((cluster.standard ?? cluster.standardSrv) ? ["internet"] : []),
    ...((cluster.private ?? cluster.privateSrv) ? ["peering"] : []),
    ...(endpoints === 0 ? [] : [`privateEndpoint${endpoints === 1 ? "" : ` (${endpoints})`}`]),
  ];
  return available.join(", ") || "-";
}
