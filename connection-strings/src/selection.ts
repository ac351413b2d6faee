/** Selects the connection string for the network that an application runs in (service document 2.6). */
import { classifyHosts, isOptimized } from "./classification";
import { type ClusterStrings, isClusterStrings } from "./clusterStrings";
import type { StringForm } from "./parsing";
import type { PrivateEndpointStrings } from "./privateEndpoints";
import { distinctRegions, isSameRegion, regionKey, regionName, regionsInHosts } from "./regions";

/**
 * The network that the application runs in. It determines the kind of connection string
 * ([the kinds](https://github.com/pulumi-clouddb/pulumi-clouddb/blob/main/docs/internals/service.md#26-connection-strings)).
 *
 * @example
 * const network: Network = { kind: "privateEndpoint", region: "us-east-1" };
 */
export type Network =
  /** The Internet. */
  | {
      /** The Internet. */
      readonly kind: "internet";
    }
  /** A virtual network peered with the cluster's. */
  | {
      /** A virtual network peered with the cluster's. */
      readonly kind: "peering";
    }
  /** A virtual network with a private endpoint. If there are several, the ID or region identifies one. */
  | PrivateEndpointNetwork;

/** A virtual network with a private endpoint. If there are several, the ID or region identifies one. */
export interface PrivateEndpointNetwork {
  /** A virtual network with a private endpoint. */
  readonly kind: "privateEndpoint";
  /**
   * The ID of the endpoint, in upper or lower case.
   *
   * @default any endpoint
   */
  readonly endpointId?: string | undefined;
  /**
   * The region of the endpoint, as the service's record or the host names show it, such as `EASTERN_US`, `us-east1` or
   * `us-east1-gcp`, in upper or lower case. In AWS, `US_EAST_1` and `us-east-1` are the same.
   *
   * @default any region
   */
  readonly region?: string | undefined;
}

/** Which string an application needs. */
export interface Wanted {
  /**
   * The network that the application runs in.
   *
   * @default { kind: "internet" }
   */
  readonly network?: Network | undefined;
  /**
   * SRV form, or the list of hosts.
   *
   * @default "srv"
   */
  readonly form?: StringForm | undefined;
  /**
   * True requires the optimized SRV string. False excludes optimized strings, which are recognized by their host name.
   * They need a driver that supports them; no minimum version is documented.
   *
   * @default the optimized string if there is one, for clusters of any age, because the date in rule 8 is not
   * documented and the service creates one only where it works (rule 4); else the plain one
   */
  readonly optimized?: boolean | undefined;
}

/** The result of `select`. Check its `kind` first. */
export type Selection =
  /** The cluster has the requested string. */
  | {
      /** Distinguishes the results. */
      readonly kind: "selected";
      /** The string, exactly as the service returned it. */
      readonly connectionString: string;
      /** The kind of the string. */
      readonly connectionStringKind: ConnectionStringKind;
    }
  /** The cluster does not have the requested string, or not yet. */
  | {
      /** Distinguishes the results. */
      readonly kind: "missing";
      /** The name of the missing string, for messages. */
      readonly missing: string;
      /** The reason, the remedy and the existing strings, as sentences for a message. */
      readonly why: string;
      /** The property of {@link Wanted} that requires the missing string. */
      readonly property: keyof Wanted;
    }
  /** Several private endpoints match. Waiting does not help. */
  | {
      /** Distinguishes the results. */
      readonly kind: "ambiguous";
      /** Which endpoints match, as a sentence for a message. */
      readonly problem: string;
      /** The property of {@link Wanted} to change. */
      readonly property: "network";
      /** The properties of the network that can select one of the private endpoints. */
      readonly selectBy: readonly ("endpointId" | "region")[];
    }
  /** No cluster can have such a string, or the strings are not those of a cluster. Waiting does not help. */
  | {
      /** Distinguishes the results. */
      readonly kind: "invalid";
      /** What is wrong with the request, as a sentence for a message. */
      readonly problem: string;
      /** The property of {@link Wanted} to change; undefined if the strings are not from `clusterStrings`. */
      readonly property: keyof Wanted | undefined;
    };

/** The kind of a selected string, which is the name of the output that contains it. */
export type ConnectionStringKind =
  /** The host list for the Internet. */
  | "standard"
  /** The SRV form for the Internet. */
  | "standardSrv"
  /** The host list for peered networks. */
  | "private"
  /** The SRV form for peered networks. */
  | "privateSrv"
  /** The host list of a private endpoint. */
  | "privateEndpoint"
  /** The plain SRV form of a private endpoint. */
  | "privateEndpointSrv"
  /** The optimized SRV form of a private endpoint, with `lb` in its host name. */
  | "privateEndpointOptimizedSrv";

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
  if (!isClusterStrings(strings)) {
    const problem =
      "the strings are not a result of clusterStrings. Pass clusterStrings(cluster.connectionStrings).";
    return { kind: "invalid", problem, property: undefined };
  }
  const { network = { kind: "internet" }, form = "srv", optimized } = wanted;
  if (optimized === true && (network.kind !== "privateEndpoint" || form === "hosts")) {
    const problem =
      'optimized: true requires a privateEndpoint network and form "srv": other optimized strings do not exist.';
    return { kind: "invalid", problem, property: "optimized" };
  }
  if (network.kind !== "privateEndpoint") {
    return selectionOf(strings, stringForNetwork(strings, network.kind, form), wanted);
  }
  const matches = endpointsFor(strings.privateEndpoints, network);
  const [endpoint, secondMatch] = matches;
  if (endpoint === undefined) {
    const why =
      strings.privateEndpoints.length === 0
        ? "Set up a private endpoint in each region of the cluster, because the service returns the strings only once all are available, or choose another network."
        : "The service returned only strings of other private endpoints. Use one of these, or set up the requested one.";
    return missing(strings, `private endpoint string${criteriaOf(network)}`, why, "network");
  }
  if (secondMatch !== undefined) {
    const problem = `several private endpoints match: ${endpointList(matches)}.`;
    const selectBy = distinguishingProperties(matches, network);
    return { kind: "ambiguous", problem, property: "network", selectBy };
  }
  return selectionOf(strings, stringOfEndpoint(endpoint, form, optimized), wanted);
}

/**
 * Returns the endpoints that match. Several clouds can have regions of one name, so callers must not pick one of
 * several matches.
 */
function endpointsFor(
  endpoints: readonly PrivateEndpointStrings[],
  { endpointId, region }: PrivateEndpointNetwork,
): PrivateEndpointStrings[] {
  const id = endpointId?.toLowerCase();
  const withId = endpoints.filter(
    ({ endpointIds }) =>
      id === undefined || endpointIds.some((endpointId) => endpointId.toLowerCase() === id),
  );
  if (region === undefined) return withId;
  const wanted = regionName("hosts", region);
  const places = withId.flatMap((endpoint) => {
    const { recorded, inHosts } = regionNamesOf(endpoint);
    // In AWS, a host name, which does not end in the cloud, adds nothing to the record.
    const isInAws = recorded.some(({ cloud }) => cloud === "aws");
    const fromHosts = inHosts.filter(({ cloud = "aws" }) => !isInAws || cloud !== "aws");
    return [...recorded, ...fromHosts]
      .filter((place) => isSameRegion(wanted, place))
      .map(({ source, cloud }) => ({ endpoint, source, cloud }));
  });
  // If a record in a cloud names the region, host names in that cloud do not count.
  const inRecords = places.filter(({ source }) => source === "record");
  const isDecided = (cloud: string | undefined) => inRecords.some((place) => place.cloud === cloud);
  const selected = [...inRecords, ...places.filter(({ cloud }) => !isDecided(cloud))];
  return withId.filter((endpoint) => selected.some((place) => place.endpoint === endpoint));
}

/** Returns the regions in the record of an endpoint, and those in its host names. */
function regionNamesOf(endpoint: PrivateEndpointStrings) {
  const { region, regions = [], cloud, endpoints, hosts, srv } = endpoint;
  const recorded = endpoints ?? [region, ...regions].map((name) => ({ region: name, cloud }));
  const inHosts = [hosts, srv].flatMap((text = "") => regionsInHosts(classifyHosts(text)));
  return {
    recorded: distinctRegions("record", recorded),
    inHosts: distinctRegions(
      "hosts",
      inHosts.map((place) => ({ cloud, ...place })),
    ),
  };
}

/** The string that a request means. */
interface RequestedString {
  readonly kind: ConnectionStringKind;
  /** Undefined if the service did not return it. */
  readonly text: string | undefined;
  /** Why it may be missing. */
  readonly why: string;
  /** The property of {@link Wanted} that requires it. */
  readonly property: keyof Wanted;
}

/** Returns the string for a network without private endpoints. */
function stringForNetwork(
  strings: ClusterStrings,
  network: "internet" | "peering",
  form: StringForm,
): RequestedString {
  const hosts = network === "peering" ? "private" : "standard";
  const kind = form === "srv" ? (`${hosts}Srv` as const) : hosts;
  const isPeered = (strings.private ?? strings.privateSrv) !== undefined;
  const why =
    network === "peering" && !isPeered
      ? "In a peered network in AWS without custom DNS, use the network internet, whose string resolves to private addresses there. Elsewhere, set up network peering, or choose another network."
      : "A cluster that was just created or changed may get it later.";
  return { kind, text: strings[kind], why, property: "network" };
}

/** Returns the string of a private endpoint that the form and `optimized` mean. */
function stringOfEndpoint(
  { hosts, srv, optimizedSrv }: PrivateEndpointStrings,
  form: StringForm,
  optimized: boolean | undefined,
): RequestedString {
  const plain = {
    why: "An endpoint that was just set up may get it later.",
    property: "network",
  } as const;
  if (form === "hosts") return { kind: "privateEndpoint", text: hosts, ...plain };
  if (optimized === true || (optimized === undefined && optimizedSrv !== undefined)) {
    const why =
      "Omit optimized to use the plain string. The service creates an optimized one only for sharded clusters of version 5.0 or later in AWS (provider A), in one region or with regionalized private endpoints.";
    const kind = "privateEndpointOptimizedSrv";
    return { kind, text: optimizedSrv, why, property: "optimized" };
  }
  const excluded = { why: onlyOptimized("SRV string"), property: "optimized" } as const;
  const reason = optimizedSrv === undefined ? plain : excluded;
  return { kind: "privateEndpointSrv", text: srv, ...reason };
}

function onlyOptimized(what: string): string {
  return `The only ${what} that the service returns is the optimized one, which optimized: false excludes. Omit optimized to use it.`;
}

function selectionOf(
  strings: ClusterStrings,
  { kind, text, why, property }: RequestedString,
  { form = "srv", optimized }: Wanted,
): Selection {
  if (text === undefined) return missing(strings, kindLabels[kind], why, property);
  if (optimized === false && isOptimized(text)) {
    const reason = onlyOptimized(form === "srv" ? "SRV string" : "host list");
    return missing(strings, kindLabels[kind], reason, "optimized");
  }
  return { kind: "selected", connectionString: text, connectionStringKind: kind };
}

/** Returns the result without a string, whose reason also lists the strings that there are. */
function missing(
  strings: ClusterStrings,
  name: string,
  why: string,
  property: keyof Wanted,
): Selection {
  const { privateEndpoints, others, ...known } = strings;
  const isEmpty = Object.keys(known).length + privateEndpoints.length === 0;
  // In snake case, as Terraform returns the record, `standard` has the same name.
  const isOther = others !== undefined && (isEmpty || others["standard_srv"] !== undefined);
  const reason = isOther
    ? "None of the fields of the record is known. It must be connectionStrings of a cluster, as the service's API returns it, with fields such as standardSrv, and not the cluster, a secret, or a record with names of another tool."
    : `${why} ${inventory(strings)}`;
  return { kind: "missing", missing: name, why: reason, property };
}

/** Returns the criteria that no endpoint matches, such as ` for endpoint vpce-1 in region us-east-1`. */
function criteriaOf({ endpointId, region }: PrivateEndpointNetwork): string {
  const criteria = [
    endpointId === undefined ? [] : `endpoint ${endpointId}`,
    region === undefined ? [] : `region ${region}`,
  ].flat();
  return criteria.length > 0 ? ` for ${criteria.join(" in ")}` : "";
}

/** Lists the strings by network: `The service returned strings for: internet (srv, hosts); peering (srv).` */
function inventory(strings: ClusterStrings): string {
  const formsOf = (srv: string | undefined, hosts: string | undefined) =>
    [srv === undefined ? [] : "srv", hosts === undefined ? [] : "hosts"].flat().join(", ");
  const networks = [
    ["internet", formsOf(strings.standardSrv, strings.standard)],
    ["peering", formsOf(strings.privateSrv, strings.private)],
    ["privateEndpoint", endpointList(strings.privateEndpoints)],
  ].flatMap(([network, content]) => (content ? `${network} (${content})` : []));
  return networks.length === 0
    ? "The service returned no strings for any network."
    : `The service returned strings for: ${networks.join("; ")}.`;
}

/** Returns the properties of a network that can select one of several endpoints. */
function distinguishingProperties(
  matches: readonly PrivateEndpointStrings[],
  { endpointId }: PrivateEndpointNetwork,
): ("endpointId" | "region")[] {
  const hasId = matches.some(({ endpointIds }) => endpointIds.length > 0);
  const regions = matches.map((endpoint) => {
    const { recorded, inHosts } = regionNamesOf(endpoint);
    return [...recorded, ...inHosts].map(regionKey).join();
  });
  return [
    ...(endpointId === undefined && hasId ? (["endpointId"] as const) : []),
    ...(new Set(regions).size > 1 ? (["region"] as const) : []),
  ];
}

/** A message lists this number of endpoints. */
const maxListed = 5;

/** Lists endpoints: `vpce-1 in US_EAST_1 (AWS, us-east-1), pe-2+pe-3 in EASTERN_US (GCP, us-east1)`. */
function endpointList(endpoints: readonly PrivateEndpointStrings[]): string {
  const rest = endpoints.length - maxListed;
  return endpoints
    .slice(0, maxListed)
    .map((endpoint) => {
      const { endpointIds, cloud, endpoints: places = [{ cloud }] } = endpoint;
      const ids = endpointIds.length === 0 ? "(no ID)" : endpointIds.join("+");
      const { recorded, inHosts } = regionNamesOf(endpoint);
      const regions = recorded.map(({ text }) => text);
      const clouds = places.flatMap((place) => place.cloud ?? []);
      const details = new Set([...clouds, ...inHosts.map(({ text }) => text)]);
      for (const region of regions) details.delete(region);
      const where = regions.length === 0 ? "" : ` in ${regions.join(" and ")}`;
      return `${ids}${where}${details.size === 0 ? "" : ` (${[...details].join(", ")})`}`;
    })
    .concat(rest > 0 ? [`and ${rest} more`] : [])
    .join(", ");
}

/** The name of each kind in messages. */
const kindLabels: Record<ConnectionStringKind, string> = {
  standard: "standard string (host list)",
  standardSrv: "standard string (SRV)",
  private: "peering-private string (host list)",
  privateSrv: "peering-private string (SRV)",
  privateEndpoint: "private endpoint string (host list)",
  privateEndpointSrv: "private endpoint string (SRV)",
  privateEndpointOptimizedSrv: "optimized private endpoint string (SRV)",
};
