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

export interface Wanted {
  readonly network: Network;
  /** SRV form, or the list of hosts. */
  readonly form: "srv" | "hosts";
  /** True: only the optimized SRV string will do. False: never it. Undefined: it, where there is one. */
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
  | { readonly kind: "missing"; readonly missing: string; readonly why: string };

/** Selects among the strings that the service gave; never makes one up. */
export function select(strings: ClusterStrings, wanted: Wanted): Selection {
  const { network, form } = wanted;
  switch (network.kind) {
    case "internet":
      return form === "srv"
        ? choose("standardSrv", strings.standardSrv, "The service gives none for this cluster yet.")
        : choose("standard", strings.standard, "The service gives none for this cluster yet.");
    case "peering": {
      const why =
        "A cluster has it only when network peering is configured: set up peering, or choose another network.";
      return form === "srv"
        ? choose("privateSrv", strings.privateSrv, why)
        : choose("private", strings.private, why);
    }
    case "privateEndpoint":
      return selectPrivateEndpoint(strings.privateEndpoints, network, wanted);
  }
}

const labels: Record<ConnectionStringKind, string> = {
  standard: "standard string (host list)",
  standardSrv: "standard string (SRV)",
  private: "peering-private string (host list)",
  privateSrv: "peering-private string (SRV)",
  privateEndpoint: "private endpoint string (host list)",
  privateEndpointSrv: "private endpoint string (SRV)",
  privateEndpointOptimizedSrv: "optimized private endpoint string (SRV)",
};

function choose(kind: ConnectionStringKind, text: string | undefined, why: string): Selection {
  return text === undefined
    ? { kind: "missing", missing: labels[kind], why }
    : { kind: "selected", connectionString: text, connectionStringKind: kind };
}

function selectPrivateEndpoint(
  endpoints: readonly PrivateEndpointStrings[],
  network: Extract<Network, { kind: "privateEndpoint" }>,
  { form, optimized }: Wanted,
): Selection {
  const matching = endpoints.filter((endpoint) => serves(endpoint, network));
  const [endpoint, another] = matching;
  if (endpoint === undefined) return noEndpoint(endpoints, network);
  if (another !== undefined) {
    return {
      kind: "missing",
      missing: "choice of a private endpoint",
      why: `There are several; name one by network.endpointId or network.region: ${listed(matching)}.`,
    };
  }
  if (form === "hosts") {
    return choose(
      "privateEndpoint",
      endpoint.hosts,
      "The service gives none for this endpoint yet.",
    );
  }
  if (optimized === true || (optimized !== false && endpoint.optimizedSrv !== undefined)) {
    return choose(
      "privateEndpointOptimizedSrv",
      endpoint.optimizedSrv,
      "The service gives one only to sharded clusters of version 5.0 or later in provider A, in one region or with regionalized private endpoints: leave optimized out to take the plain one.",
    );
  }
  return choose(
    "privateEndpointSrv",
    endpoint.srv,
    "The service gives none for this endpoint yet.",
  );
}

function noEndpoint(
  endpoints: readonly PrivateEndpointStrings[],
  { endpointId, region }: Extract<Network, { kind: "privateEndpoint" }>,
): Selection {
  const asked = [
    ...(endpointId === undefined ? [] : [`endpoint ${endpointId}`]),
    ...(region === undefined ? [] : [`region ${region}`]),
  ];
  const missing = [
    "private endpoint string",
    ...(asked.length > 0 ? ["for", asked.join(" in ")] : []),
  ];
  const why =
    endpoints.length === 0
      ? "The cluster has no private endpoint: set one up, or choose another network."
      : `The cluster has private endpoints ${listed(endpoints)}.`;
  return { kind: "missing", missing: missing.join(" "), why };
}

function serves(
  endpoint: PrivateEndpointStrings,
  { endpointId, region }: Extract<Network, { kind: "privateEndpoint" }>,
): boolean {
  return (
    (endpointId === undefined || endpoint.endpointIds.includes(endpointId)) &&
    (region === undefined || sameRegion(endpoint.region, region))
  );
}

/** Services write a region as `us-east-1` in host names and as `US_EAST_1` in records. */
function sameRegion(one: string | undefined, other: string): boolean {
  const plain = (region: string) => region.toLowerCase().replaceAll("_", "-");
  return one !== undefined && plain(one) === plain(other);
}

function listed(endpoints: readonly PrivateEndpointStrings[]): string {
  return endpoints
    .map(({ endpointIds, region }) => {
      const ids = endpointIds.length === 0 ? "(no id)" : endpointIds.join("+");
      return region === undefined ? ids : `${ids} in ${region}`;
    })
    .join(", ");
}
