/** The right connection string of a cluster for the network that an application runs in (service document 2.6). */
import type { ClusterStrings, PrivateEndpointStrings } from "./clusterStrings";

/** Where the application runs. */
export type Network =
  | { readonly kind: "internet" }
  /** A virtual network peered with the cluster's. */
  | { readonly kind: "peering" }
  /** A virtual network with a private endpoint; id or region tell which, where there are several. */
  | {
      readonly kind: "privateEndpoint";
      readonly endpointId?: string | undefined;
      readonly region?: string | undefined;
    };

type PrivateEndpointNetwork = Extract<Network, { kind: "privateEndpoint" }>;

export interface Wanted {
  /** Default: `{ kind: "internet" }`. */
  readonly network?: Network | undefined;
  /** SRV form, or the list of hosts. Default: `srv`. */
  readonly form?: "srv" | "hosts" | undefined;
  /**
   * True: only the optimized SRV string will do. False: never it. Default: it, where there is one
   * (rule 8).
   */
  readonly optimized?: boolean | undefined;
}

export type ConnectionStringKind =
  | "standard"
  | "standardSrv"
  | "private"
  | "privateSrv"
  | "privateEndpoint"
  | "privateEndpointSrv"
  | "privateEndpointOptimizedSrv";

export type Selection =
  | {
      readonly kind: "selected";
      readonly connectionString: string;
      readonly connectionStringKind: ConnectionStringKind;
    }
  /** `missing` names what is not there, `why` what to do about it, with what there is instead. */
  | {
      readonly kind: "missing";
      readonly missing: string;
      readonly why: string;
      /** Which of {@link Wanted} asks for it. */
      readonly property: "network" | "optimized";
    }
  /** What was asked for fits several strings, or none that could ever be: waiting does not help. */
  | {
      readonly kind: "unclear";
      readonly problem: string;
      /** Which of {@link Wanted} is to be changed. */
      readonly property: "network" | "optimized";
    };

/** Selects among the strings that the service gave; never makes one up. */
export function select(strings: ClusterStrings, wanted: Wanted = {}): Selection {
  const { network = { kind: "internet" }, form = "srv", optimized } = wanted;
  if (optimized === true && (network.kind !== "privateEndpoint" || form === "hosts")) {
    return unclear(
      "optimized",
      'optimized: true goes with a privateEndpoint network and form "srv" only: there is no other optimized string.',
    );
  }
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

const noneYet = "The service gives none for this cluster yet.";
const noPeering =
  "A cluster has it only when network peering is configured: set up peering, or choose another network.";
const noneOfEndpoint = "The service gives none for this endpoint yet.";
const noOptimized =
  "The service gives one only to sharded clusters of version 5.0 or later in provider A, in one region or with regionalized private endpoints: leave optimized out to take the plain one.";

const labels: Record<ConnectionStringKind, string> = {
  standard: "standard string (host list)",
  standardSrv: "standard string (SRV)",
  private: "peering-private string (host list)",
  privateSrv: "peering-private string (SRV)",
  privateEndpoint: "private endpoint string (host list)",
  privateEndpointSrv: "private endpoint string (SRV)",
  privateEndpointOptimizedSrv: "optimized private endpoint string (SRV)",
};

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

function unclear(property: "network" | "optimized", problem: string): Selection {
  return { kind: "unclear", problem, property };
}

function selectPrivateEndpoint(
  strings: ClusterStrings,
  network: PrivateEndpointNetwork,
  form: "srv" | "hosts",
  optimized: boolean | undefined,
): Selection {
  const matching = strings.privateEndpoints.filter((endpoint) => serves(endpoint, network));
  const [endpoint, another] = matching;
  if (endpoint === undefined) return noEndpoint(strings, network);
  if (another !== undefined) {
    const regions = new Set(matching.map(({ region }) => region));
    const how = regions.size > 1 ? "network.endpointId or network.region" : "network.endpointId";
    return unclear(
      "network",
      `several private endpoints fit; name one by ${how}: ${listed(matching)}.`,
    );
  }
  if (form === "hosts") return choose(strings, "privateEndpoint", endpoint.hosts, noneOfEndpoint);
  if (optimized === true || (optimized !== false && endpoint.optimizedSrv !== undefined)) {
    return choose(strings, "privateEndpointOptimizedSrv", endpoint.optimizedSrv, noOptimized);
  }
  return choose(strings, "privateEndpointSrv", endpoint.srv, noneOfEndpoint);
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
      : "No private endpoint of the cluster fits: name one that is there.";
  const missing = `private endpoint string${of}`;
  return { kind: "missing", missing, why: `${why} ${inventory(strings)}`, property: "network" };
}

function serves(
  { endpointIds, region }: PrivateEndpointStrings,
  wanted: PrivateEndpointNetwork,
): boolean {
  return (
    (wanted.endpointId === undefined || endpointIds.includes(wanted.endpointId)) &&
    (wanted.region === undefined || sameRegion(region, wanted.region))
  );
}

/** Services write a region as `us-east-1` in host names and as `US_EAST_1` in records. */
function sameRegion(one: string | undefined, other: string): boolean {
  const plain = (region: string) => region.toLowerCase().replaceAll("_", "-");
  return one !== undefined && plain(one) === plain(other);
}

/** What a cluster has, by the names of the networks that lead to it. */
function inventory(strings: ClusterStrings): string {
  const forms = (srv: string | undefined, hosts: string | undefined) =>
    [...(srv === undefined ? [] : ["srv"]), ...(hosts === undefined ? [] : ["hosts"])].join(", ");
  const internet = forms(strings.standardSrv, strings.standard);
  const peering = forms(strings.privateSrv, strings.private);
  const there = [
    ...(internet === "" ? [] : [`internet (${internet})`]),
    ...(peering === "" ? [] : [`peering (${peering})`]),
    ...(strings.privateEndpoints.length === 0
      ? []
      : [`privateEndpoint (${listed(strings.privateEndpoints)})`]),
  ];
  return there.length === 0
    ? "It has no connection strings at all."
    : `It has strings for: ${there.join("; ")}.`;
}

function listed(endpoints: readonly PrivateEndpointStrings[]): string {
  return endpoints
    .map(({ endpointIds, region }) => {
      const ids = endpointIds.length === 0 ? "(no id)" : endpointIds.join("+");
      return region === undefined ? ids : `${ids} in ${region}`;
    })
    .join(", ");
}
