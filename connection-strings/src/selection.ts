/** Selects the connection string for the network that an application runs in (service document 2.6). */
import type { ClusterStrings, PrivateEndpointStrings } from "./clusterStrings";
import { type PrivateEndpointNetwork, endpointsFor, sortedByHost } from "./endpointMatching";
import { type ConnectionStringKind, labels } from "./connectionStringKind";
import { inventory, listed } from "./inventory";
import { isOptimized } from "./kinds";
import { distinctRegions, regionsOf } from "./regions";

export type { ConnectionStringKind } from "./connectionStringKind";

/** Where the application runs. */
export type Network =
  | { readonly kind: "internet" }
  /** A virtual network peered with the cluster's. */
  | { readonly kind: "peering" }
  /** A virtual network with a private endpoint. If there are several, the ID or region identifies one. */
  | PrivateEndpointNetwork;

/** Which string an application needs. */
export interface Wanted {
  /** @default { kind: "internet" } */
  readonly network?: Network | undefined;
  /**
   * SRV form, or the list of hosts.
   *
   * @default "srv"
   */
  readonly form?: "srv" | "hosts" | undefined;
  /**
   * True requires the optimized SRV string. False excludes optimized strings, which are recognized by
   * their host name.
   *
   * @default the optimized string if there is one, else the plain one (rule 8)
   */
  readonly optimized?: boolean | undefined;
}

/** The result of `select`. */
export type Selection =
  | {
      readonly kind: "selected";
      readonly connectionString: string;
      readonly connectionStringKind: ConnectionStringKind;
    }
  /** `missing` names the missing string; `why` gives the reason, what to do, and the existing strings. */
  | {
      readonly kind: "missing";
      readonly missing: string;
      readonly why: string;
      /** The property of {@link Wanted} that requires the missing string. */
      readonly property: "network" | "optimized";
    }
  /** The request matches several strings, or can never match one. Waiting does not help. */
  | {
      readonly kind: "unclear";
      readonly problem: string;
      /** The property of {@link Wanted} to change. */
      readonly property: "network" | "optimized";
    };

/**
 * Selects the connection string for an application's network from those that the service returned.
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
    ? onlyOptimized(strings, selection.connectionStringKind)
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
        ? choose(strings, "standardSrv", strings.standardSrv, noneYet)
        : choose(strings, "standard", strings.standard, noneYet);
    case "peering":
      return form === "srv"
        ? choose(strings, "privateSrv", strings.privateSrv, noPeering)
        : choose(strings, "private", strings.private, noPeering);
    case "privateEndpoint":
      return selectPrivateEndpoint(strings, network, form, optimized);
  }
}

const noneYet = "The service has not returned one for this cluster yet.";
const noPeering =
  "A cluster has one only if network peering is configured: set up peering, or choose another network.";
const noneOfEndpoint = "The service has not returned one for this endpoint yet.";
const noOptimized =
  "The service creates one only for sharded clusters of version 5.0 or later in provider A, in one region or with regionalized private endpoints: omit optimized to use the plain string.";

function choose(
  strings: ClusterStrings,
  kind: ConnectionStringKind,
  text: string | undefined,
  why: string,
): Selection {
  if (text !== undefined) {
    return { kind: "selected", connectionString: text, connectionStringKind: kind };
  }
  const property = kind === "privateEndpointOptimizedSrv" ? "optimized" : "network";
  return { kind: "missing", missing: labels[kind], why: `${why} ${inventory(strings)}`, property };
}

/** Reports that the requested string only exists as an optimized one, which the request excludes. */
function onlyOptimized(strings: ClusterStrings, kind: ConnectionStringKind): Selection {
  const form = kind.endsWith("Srv") ? "SRV string" : "host list";
  const why = `The only ${form} that the service returns is the optimized one, which optimized: false excludes: omit optimized to use it.`;
  const missing = labels[kind];
  return { kind: "missing", missing, why: `${why} ${inventory(strings)}`, property: "optimized" };
}

function unclear(property: "network" | "optimized", problem: string): Selection {
  return { kind: "unclear", problem, property };
}

function selectPrivateEndpoint(
  strings: ClusterStrings,
  network: PrivateEndpointNetwork,
  form: "srv" | "hosts",
  optimized: boolean | undefined,
): Selection {
  const matching = endpointsFor(strings.privateEndpoints, network);
  const [endpoint, another] = matching;
  if (endpoint === undefined) return noEndpoint(strings, network);
  if (another !== undefined) return severalFit(matching, network);
  const { hosts, srv, optimizedSrv } = sortedByHost(endpoint);
  if (form === "hosts") return choose(strings, "privateEndpoint", hosts, noneOfEndpoint);
  if (optimized === true || (optimized === undefined && optimizedSrv !== undefined)) {
    return choose(strings, "privateEndpointOptimizedSrv", optimizedSrv, noOptimized);
  }
  return srv === undefined && optimizedSrv !== undefined
    ? onlyOptimized(strings, "privateEndpointSrv")
    : choose(strings, "privateEndpointSrv", srv, noneOfEndpoint);
}

/** Reports several matches. Names of different regions can look the same, so none is picked. */
function severalFit(
  matching: readonly PrivateEndpointStrings[],
  { endpointId, region }: PrivateEndpointNetwork,
): Selection {
  const regions = distinctRegions(matching.flatMap(regionsOf));
  const ways = [
    ...(endpointId === undefined ? ["network.endpointId"] : []),
    ...(region === undefined && regions.length > 1 ? ["network.region"] : []),
  ];
  const how = ways.length === 0 ? "" : `; select one with ${ways.join(" or ")}`;
  return unclear("network", `several private endpoints match${how}: ${listed(matching)}.`);
}

function noEndpoint(
  strings: ClusterStrings,
  { endpointId, region }: PrivateEndpointNetwork,
): Selection {
  const asked = [
    ...(endpointId === undefined ? [] : [`endpoint ${endpointId}`]),
    ...(region === undefined ? [] : [`region ${region}`]),
  ];
  const of = asked.length > 0 ? ` for ${asked.join(" in ")}` : "";
  const why =
    strings.privateEndpoints.length === 0
      ? "The cluster has no private endpoint: set one up, or choose another network."
      : "No private endpoint of the cluster matches: use one that exists.";
  const missing = `private endpoint string${of}`;
  return { kind: "missing", missing, why: `${why} ${inventory(strings)}`, property: "network" };
}
