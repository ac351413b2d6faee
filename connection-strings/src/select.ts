/** Selects the connection string for the network that an application runs in (service document 2.6). */
import type { ClusterStrings, PrivateEndpointStrings } from "./clusterStrings";
import { type PrivateEndpointNetwork, endpointsFor, sortedByHost } from "./endpointMatching";
import { type ConnectionStringKind, kindLabels } from "./connectionStringKind";
import { endpointList, inventory } from "./inventory";
import { isOptimized } from "./kinds";
import { distinctRegions, regionsOf } from "./regions";
import type { Network, Selection, Wanted } from "./selection";

export type { ConnectionStringKind } from "./connectionStringKind";
export type { Network, Selection, Wanted } from "./selection";

/**
 * Selects the connection string for an application's network from those that the service returned
 * (service document 2.6 rules 3, 4 and 8).
 *
 * @param strings the cluster's strings, from `clusterStrings`
 * @param wanted the application's network, and the form of string that it needs
 * @default wanted: the standard SRV string
 * @returns the string; or what is missing and why; or why the request is ambiguous or can never match.
 * Never throws, and never constructs a string.
 * @example
 * const network = { kind: "privateEndpoint", region: "us-east-1" } as const;
 * const selection = select(clusterStrings(record), { network, optimized: false });
 * if (selection.kind === "selected") connect(selection.connectionString);
 */
export function select(strings: ClusterStrings, wanted: Wanted = {}): Selection {
  const { network = { kind: "internet" }, form = "srv", optimized } = wanted;
  if (optimized === true && (network.kind !== "privateEndpoint" || form === "hosts")) {
    return unclear(
      "optimized",
      'optimized: true requires a privateEndpoint network and form "srv": other optimized strings do not exist.',
    );
  }
  const selection = selectFor(strings, network, form, optimized);
  return optimized === false &&
    selection.kind === "selected" &&
    isOptimized(selection.connectionString)
    ? onlyOptimized(strings, selection.connectionStringKind, form)
    : selection;
}

function selectFor(
  strings: ClusterStrings,
  network: Network,
  form: "srv" | "hosts",
  optimized: boolean | undefined,
): Selection {
  switch (network.kind) {
    case "internet":
      return form === "srv"
        ? selectedOrMissing(strings, "standardSrv", strings.standardSrv, notReturnedYet)
        : selectedOrMissing(strings, "standard", strings.standard, notReturnedYet);
    case "peering":
      return form === "srv"
        ? selectedOrMissing(strings, "privateSrv", strings.privateSrv, noPeering)
        : selectedOrMissing(strings, "private", strings.private, noPeering);
    case "privateEndpoint":
      return selectPrivateEndpoint(strings, network, form, optimized);
  }
}

function selectPrivateEndpoint(
  strings: ClusterStrings,
  network: PrivateEndpointNetwork,
  form: "srv" | "hosts",
  optimized: boolean | undefined,
): Selection {
  const matches = endpointsFor(strings.privateEndpoints, network);
  const [endpoint, secondMatch] = matches;
  if (endpoint === undefined) return noMatchingEndpoint(strings, network);
  if (secondMatch !== undefined) return severalMatchingEndpoints(matches, network);
  const { hosts, srv, optimizedSrv } = sortedByHost(endpoint);
  if (form === "hosts") {
    return selectedOrMissing(strings, "privateEndpoint", hosts, notReturnedForEndpoint);
  }
  if (optimized === true || (optimized === undefined && optimizedSrv !== undefined)) {
    return selectedOrMissing(strings, "privateEndpointOptimizedSrv", optimizedSrv, noOptimized);
  }
  return srv === undefined && optimizedSrv !== undefined
    ? onlyOptimized(strings, "privateEndpointSrv", form)
    : selectedOrMissing(strings, "privateEndpointSrv", srv, notReturnedForEndpoint);
}

const notReturnedYet = "The service has not returned one for this cluster yet.";
const noPeering =
  "A cluster has one only if network peering is configured: set up peering, or choose another network.";
const notReturnedForEndpoint = "The service has not returned one for this endpoint yet.";
const noOptimized =
  "The service creates one only for sharded clusters of version 5.0 or later in provider A, in one region or with regionalized private endpoints: omit optimized to use the plain string.";

function selectedOrMissing(
  strings: ClusterStrings,
  kind: ConnectionStringKind,
  text: string | undefined,
  why: string,
): Selection {
  if (text !== undefined) {
    return { kind: "selected", connectionString: text, connectionStringKind: kind };
  }
  const property = kind === "privateEndpointOptimizedSrv" ? "optimized" : "network";
  return missing(strings, kindLabels[kind], why, property);
}

/** Reports that the requested string only exists as an optimized one, which the request excludes. */
function onlyOptimized(
  strings: ClusterStrings,
  kind: ConnectionStringKind,
  form: "srv" | "hosts",
): Selection {
  const why = `The only ${form === "srv" ? "SRV string" : "host list"} that the service returns is the optimized one, which optimized: false excludes: omit optimized to use it.`;
  return missing(strings, kindLabels[kind], why, "optimized");
}

function noMatchingEndpoint(
  strings: ClusterStrings,
  { endpointId, region }: PrivateEndpointNetwork,
): Selection {
  const criteria = [
    ...(endpointId === undefined ? [] : [`endpoint ${endpointId}`]),
    ...(region === undefined ? [] : [`region ${region}`]),
  ];
  const suffix = criteria.length > 0 ? ` for ${criteria.join(" in ")}` : "";
  const why =
    strings.privateEndpoints.length === 0
      ? "The cluster has no private endpoint: set one up, or choose another network."
      : "No private endpoint of the cluster matches: use one that exists.";
  return missing(strings, `private endpoint string${suffix}`, why, "network");
}

/** Reports several matches. Names of different regions can look the same, so none is picked. */
function severalMatchingEndpoints(
  matches: readonly PrivateEndpointStrings[],
  { endpointId, region }: PrivateEndpointNetwork,
): Selection {
  const regions = distinctRegions(matches.flatMap(regionsOf));
  const properties = [
    ...(endpointId === undefined ? ["network.endpointId"] : []),
    ...(region === undefined && regions.length > 1 ? ["network.region"] : []),
  ];
  const hint = properties.length === 0 ? "" : `; select one with ${properties.join(" or ")}`;
  return unclear("network", `several private endpoints match${hint}: ${endpointList(matches)}.`);
}

function missing(
  strings: ClusterStrings,
  name: string,
  why: string,
  property: "network" | "optimized",
): Selection {
  return { kind: "missing", missing: name, why: `${why} ${inventory(strings)}`, property };
}

function unclear(property: "network" | "optimized", problem: string): Selection {
  return { kind: "unclear", problem, property };
}
