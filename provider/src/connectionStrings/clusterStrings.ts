/** A cluster's connection strings by kind, every one to the letter as the service gave it. */
import { type Classification, type ClassifyOptions, classify, clusterDomain } from "./kinds";

/** What a service says of a cluster's strings; all of it may be missing. */
export interface ServiceStrings {
  readonly standard?: string | undefined;
  readonly standardSrv?: string | undefined;
  readonly private?: string | undefined;
  readonly privateSrv?: string | undefined;
  readonly privateEndpoint?: readonly ServicePrivateEndpoint[] | undefined;
  /** Deprecated: host list by endpoint id. */
  readonly awsPrivateLink?: Readonly<Record<string, string>> | undefined;
  /** Deprecated: SRV form by endpoint id. */
  readonly awsPrivateLinkSrv?: Readonly<Record<string, string>> | undefined;
  readonly [other: string]: unknown;
}

export interface ServicePrivateEndpoint {
  readonly connectionString?: string | undefined;
  readonly srvConnectionString?: string | undefined;
  readonly srvShardOptimizedConnectionString?: string | undefined;
  readonly endpoints?:
    | readonly {
        readonly endpointId?: string | undefined;
        readonly region?: string | undefined;
      }[]
    | undefined;
  readonly [other: string]: unknown;
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
  /** In the order of their index. */
  readonly privateEndpoints: readonly PrivateEndpointStrings[];
  /** What else the service gave, by its own names; absent where there is nothing else. */
  readonly others?: Readonly<Record<string, unknown>>;
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
  /** Further strings that the service gave, by its own names; absent where there are none. */
  readonly others?: Readonly<Record<string, unknown>>;
}

export function clusterStrings(given: ServiceStrings = {}): ClusterStrings {
  const { legacy, legacySrv, others } = legacyAndOthers(given);
  return {
    ...present(named.map((field) => [field, given[field]])),
    ...present([
      ["legacy", legacy],
      ["legacySrv", legacySrv],
    ]),
    privateEndpoints: privateEndpoints(given),
    ...(Object.keys(others).length === 0 ? {} : { others }),
  };
}

const named = ["standard", "standardSrv", "private", "privateSrv"] as const;

const ofEndpoints = ["privateEndpoint", "awsPrivateLink", "awsPrivateLinkSrv"];

/** Fields that never hold the legacy string, whatever it looks like. */
const elsewhere = [...ofEndpoints, "private", "privateSrv"];

/**
 * A legacy string has no field of its own in the service's document. Services that have one call it
 * legacy; elsewhere it is told by its form, wherever it stands. Of what is left nothing is dropped.
 */
function legacyAndOthers(given: ServiceStrings) {
  const domain = domainOf(given);
  const classified = Object.entries(given).flatMap(([field, text]) =>
    isText(text) && !elsewhere.includes(field) ? [{ field, text, of: classify(text, domain) }] : [],
  );
  const ofForm = (name: string, form: "hosts" | "srv") =>
    classified.find(({ field }) => field === name) ??
    classified.find(({ of }) => of.kind === "legacy" && of.form === form);
  const legacy = ofForm("legacy", "hosts");
  const legacySrv = ofForm("legacySrv", "srv");
  const taken = [...named, ...ofEndpoints, legacy?.field, legacySrv?.field];
  const others = Object.entries(given).filter(
    ([field, value]) => !taken.includes(field) && value !== undefined && value !== null,
  );
  return {
    legacy: legacy?.text,
    legacySrv: legacySrv?.text,
    others: Object.fromEntries(others),
  };
}

/** The cluster's own strings tell the domain, which tells legacy SRV strings from standard ones. */
function domainOf({ standard, private: peered }: ServiceStrings): ClassifyOptions {
  return { domain: clusterDomain([standard, peered].filter(isText)) };
}

function privateEndpoints(given: ServiceStrings): PrivateEndpointStrings[] {
  return withDeprecatedMaps(given)
    .map((endpoint) => privateEndpointStrings(endpoint))
    .sort((a, b) => (order(a) < order(b) ? -1 : 1));
}

/** A service may give them in another order each time: theirs must not show as a change. */
function order({ index, region, endpointIds, srv, hosts }: PrivateEndpointStrings): string {
  const number = String(index ?? "").padStart(4, index === undefined ? "9" : "0");
  return [number, region, ...endpointIds, srv, hosts].join(" ");
}

/** The deprecated maps, for endpoints that the array lacks, or of which it lacks the id or a string. */
function withDeprecatedMaps({
  privateEndpoint = [],
  awsPrivateLink: hosts = {},
  awsPrivateLinkSrv: srvs = {},
}: ServiceStrings): ServicePrivateEndpoint[] {
  const mapped = Object.keys({ ...hosts, ...srvs });
  const completed = privateEndpoint.map((endpoint) => {
    const { connectionString, srvConnectionString, endpoints = [] } = endpoint;
    const ids = idsOf(endpoint);
    const same = mapped.filter(
      (id) =>
        !ids.includes(id) &&
        (isSame(hosts[id], connectionString) || isSame(srvs[id], srvConnectionString)),
    );
    const known = [...ids, ...same];
    return {
      ...endpoint,
      connectionString: connectionString || first(known, (id) => hosts[id]),
      srvConnectionString: srvConnectionString || first(known, (id) => srvs[id]),
      endpoints: [...endpoints, ...same.map((endpointId) => ({ endpointId }))],
    };
  });
  const listed = new Set(completed.flatMap((endpoint) => idsOf(endpoint)));
  const lacking = mapped
    .filter((id) => !listed.has(id))
    .map((endpointId) => ({
      connectionString: hosts[endpointId],
      srvConnectionString: srvs[endpointId],
      endpoints: [{ endpointId }],
    }));
  return [...completed, ...lacking];
}

function isSame(one: string | undefined, other: string | undefined): boolean {
  return one !== undefined && one === other;
}

function privateEndpointStrings({
  connectionString: hosts,
  srvConnectionString: srv,
  srvShardOptimizedConnectionString: optimizedSrv,
  endpoints = [],
  ...more
}: ServicePrivateEndpoint): PrivateEndpointStrings {
  const classified = [hosts, srv, optimizedSrv].map((text) => classify(text ?? ""));
  const index = first(classified, (of) => ("endpointIndex" in of ? of.endpointIndex : undefined));
  const region =
    first(endpoints, (endpoint) => endpoint.region || undefined) ??
    first(classified, (of: Classification) => ("region" in of ? of.region : undefined));
  const others = Object.entries(more).filter(([, value]) => isConnectionString(value));
  return {
    ...(index === undefined ? {} : { index }),
    ...present([
      ["region", region],
      ["hosts", hosts],
      ["srv", srv],
      ["optimizedSrv", optimizedSrv],
    ]),
    endpointIds: idsOf({ endpoints }).sort(),
    ...(others.length === 0 ? {} : { others: Object.fromEntries(others) }),
  };
}

function isConnectionString(value: unknown): boolean {
  return typeof value === "string" && value.includes("://");
}

function idsOf({ endpoints = [] }: ServicePrivateEndpoint): string[] {
  return endpoints.flatMap(({ endpointId }) => endpointId || []);
}

function first<T, R>(values: readonly T[], wanted: (value: T) => R | undefined): R | undefined {
  return values.map(wanted).find((result) => result !== undefined);
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

function present<Key extends string>(
  entries: readonly (readonly [Key, string | undefined])[],
): Partial<Record<Key, string>> {
  const result: Partial<Record<Key, string>> = {};
  for (const [key, value] of entries) if (value) result[key] = value;
  return result;
}
