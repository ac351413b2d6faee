/** A cluster's connection strings by kind, every one to the letter as the service gave it. */
import { classify } from "./kinds";
import { parseConnectionString } from "./parsing";

/** What a service says of a cluster's strings; all of it may be missing. */
export interface ServiceStrings {
  readonly standard?: string | undefined;
  readonly standardSrv?: string | undefined;
  readonly private?: string | undefined;
  readonly privateSrv?: string | undefined;
  readonly privateEndpoint: readonly ServicePrivateEndpoint[];
  readonly [other: string]: unknown;
}

interface ServicePrivateEndpoint {
  readonly connectionString?: string | undefined;
  readonly srvConnectionString?: string | undefined;
  readonly srvShardOptimizedConnectionString?: string | undefined;
  readonly endpoints: readonly {
    readonly endpointId?: string | undefined;
    readonly region?: string | undefined;
  }[];
}

export interface ClusterStrings {
  /** For the Internet; from peered networks in provider A it resolves to private addresses. */
  readonly standard?: string;
  readonly standardSrv?: string;
  /** For peered networks. */
  readonly private?: string;
  readonly privateSrv?: string;
  /** Kept by clusters created before 31 March 2020 (service document 2.6 rule 7). */
  readonly legacy?: string;
  readonly legacySrv?: string;
  readonly privateEndpoints: readonly PrivateEndpointStrings[];
}

/** The strings of one private endpoint, or of several that share them. */
export interface PrivateEndpointStrings {
  /** Index of the endpoint in its host names. */
  readonly index?: number;
  readonly region?: string;
  readonly endpointIds: readonly string[];
  readonly hosts?: string;
  readonly srv?: string;
  /** Limits connections of sharded clusters (service document 2.6 rule 4). */
  readonly optimizedSrv?: string;
}

const named = ["standard", "standardSrv", "private", "privateSrv"] as const;

export function clusterStrings(given: ServiceStrings | undefined): ClusterStrings {
  if (given === undefined) return { privateEndpoints: [] };
  return {
    ...present(named.map((field) => [field, given[field]])),
    ...legacyStrings(given),
    privateEndpoints: given.privateEndpoint.map(privateEndpointStrings),
  };
}

/** A legacy string has no field of its own in the document: it is told by its form, wherever it stands. */
function legacyStrings(given: ServiceStrings): Pick<ClusterStrings, "legacy" | "legacySrv"> {
  const legacy = Object.values(given)
    .filter((value) => typeof value === "string")
    .filter((text) => classify(text).kind === "legacy");
  const ofForm = (form: "hosts" | "srv") =>
    legacy.find((text) => parseConnectionString(text)?.form === form);
  return present([
    ["legacy", ofForm("hosts")],
    ["legacySrv", ofForm("srv")],
  ]);
}

function privateEndpointStrings(given: ServicePrivateEndpoint): PrivateEndpointStrings {
  const { connectionString: hosts, srvConnectionString: srv, endpoints } = given;
  const optimizedSrv = given.srvShardOptimizedConnectionString;
  const kinds = [hosts, srv, optimizedSrv].map((text) => classify(text ?? ""));
  const index = kinds.flatMap((kind) => ("index" in kind ? [kind.index] : []))[0];
  const regionInName = kinds.flatMap((kind) => ("region" in kind ? (kind.region ?? []) : []))[0];
  const region = endpoints.flatMap((endpoint) => endpoint.region ?? [])[0] ?? regionInName;
  return {
    ...(index === undefined ? {} : { index }),
    ...present([
      ["region", region],
      ["hosts", hosts],
      ["srv", srv],
      ["optimizedSrv", optimizedSrv],
    ]),
    endpointIds: endpoints.flatMap(({ endpointId }) => endpointId ?? []),
  };
}

function present<Key extends string>(
  entries: readonly (readonly [Key, string | undefined])[],
): Partial<Record<Key, string>> {
  const result: Partial<Record<Key, string>> = {};
  for (const [key, value] of entries) if (value) result[key] = value;
  return result;
}
