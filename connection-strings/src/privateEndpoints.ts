/** Reads the strings of a cluster's private endpoints from the list and the deprecated maps. */
import { type Candidate, type Slot, sortStrings } from "./endpointStrings";
import { type Classification, type ClassifyOptions, classifyHosts } from "./kinds";
import { distinctRegions } from "./regions";
import { fieldsOf, objectsOf, textOf, textsOf } from "./serviceStrings";

/** The strings of one private endpoint, or of several that share them. */
export interface PrivateEndpointStrings {
  /** Index of the endpoint in its host names. */
  readonly index?: number;
  /** The first region that the service returned, or else the one in the host names. */
  readonly region?: string;
  /** All regions, sorted. Only present if endpoints in several regions share the strings. */
  readonly regions?: readonly string[];
  readonly endpointIds: readonly string[];
  readonly hosts?: string;
  /** The plain SRV string: never one with `lb` in its host name. */
  readonly srv?: string;
  /**
   * Limits connections to sharded clusters (service document 2.6 rule 4). Recognized by `lb` in its
   * host name, whichever field the service returned it in.
   */
  readonly optimizedSrv?: string;
  /** Other strings that the service returned, under their own names; absent if there are none. */
  readonly others?: Readonly<Record<string, unknown>>;
}

/** The fields of a cluster's record that this module reads. */
export const endpointFields = ["privateEndpoint", "awsPrivateLink", "awsPrivateLinkSrv"] as const;

/** A string and the field that it arrived in. */
interface Arrived extends Candidate {
  readonly field: string;
  /** The endpoint ID, if the string is from a deprecated map. */
  readonly key?: string;
}

/** One private endpoint, or several that share their strings. */
interface EndpointRecord {
  readonly ids: readonly string[];
  /** Regions in the spelling and order of the service. */
  readonly regions: readonly string[];
  readonly arrived: readonly Arrived[];
}

/**
 * Reads the private endpoints of a cluster's record.
 *
 * @param given the fields of the record
 * @param options the service's cluster domain, if it is known
 * @returns one entry for each private endpoint, in the order of their index
 */
export function privateEndpointsOf(
  given: ReadonlyMap<string, unknown>,
  options: ClassifyOptions,
): PrivateEndpointStrings[] {
  return withDeprecatedMaps(given)
    .map((record) => ({ strings: stringsOf(record, options) }))
    .map(({ strings }) => ({ strings, key: sortKey(strings) }))
    .sort((a, b) => (a.key === b.key ? 0 : a.key < b.key ? -1 : 1))
    .map(({ strings }) => strings);
}

/** The service can list endpoints in any order; a different order must not show as a change. */
function sortKey({ index, region, regions, endpointIds, srv, hosts }: PrivateEndpointStrings) {
  const number = String(index ?? "").padStart(4, index === undefined ? "9" : "0");
  return [number, regions?.join("+") ?? region, ...endpointIds, srv, hosts].join(" ");
}

/**
 * Returns the records of the list, completed from the deprecated maps, and a record for every endpoint
 * that is only in the maps. A record without an ID gets the ID under which a map has the same string.
 */
function withDeprecatedMaps(given: ReadonlyMap<string, unknown>): EndpointRecord[] {
  const hosts = textsOf(given.get("awsPrivateLink"));
  const srvs = textsOf(given.get("awsPrivateLinkSrv"));
  const mapped = (id: string): Arrived[] => [
    ...arrivedIf(hosts.get(id), { field: "awsPrivateLink", key: id, meantFor: "hosts" }),
    ...arrivedIf(srvs.get(id), { field: "awsPrivateLinkSrv", key: id, meantFor: "srv" }),
  ];
  const listed = objectsOf(given.get("privateEndpoint")).map(recordOf);
  const listedIds = new Set(listed.flatMap(({ ids }) => ids));
  const unlisted = [...new Set([...hosts.keys(), ...srvs.keys()])].filter(
    (id) => !listedIds.has(id),
  );
  const completed = listed.map(({ ids, regions, arrived }) => {
    const texts = new Set(arrived.map(({ text }) => text));
    const same = unlisted.filter((id) => mapped(id).some(({ text }) => texts.has(text)));
    const all = [...ids, ...same];
    return { ids: all, regions, arrived: [...arrived, ...all.flatMap(mapped)] };
  });
  const completedIds = new Set(completed.flatMap(({ ids }) => ids));
  const onlyInMaps = unlisted
    .filter((id) => !completedIds.has(id))
    .map((id) => ({ ids: [id], regions: [], arrived: mapped(id) }));
  return [...completed, ...onlyInMaps];
}

function arrivedIf(text: string | undefined, from: Omit<Arrived, "text">): Arrived[] {
  return text === undefined ? [] : [{ ...from, text }];
}

const namedFields: ReadonlyMap<string, Slot> = new Map([
  ["connectionString", "hosts"],
  ["srvConnectionString", "srv"],
  ["srvShardOptimizedConnectionString", "optimizedSrv"],
]);

/** Reads a record of the list. Also includes any other field that contains a connection string. */
function recordOf(given: Readonly<Record<string, unknown>>): EndpointRecord {
  const texts = textsOf(given);
  const named = Array.from(namedFields, ([field, meantFor]) =>
    arrivedIf(texts.get(field), { field, meantFor }),
  );
  const others = Array.from(texts, ([field, text]) =>
    namedFields.has(field) || !text.includes("://") ? [] : { field, text, meantFor: undefined },
  );
  const endpoints = objectsOf(given["endpoints"]);
  return {
    ids: endpoints.flatMap(({ endpointId }) => textOf(endpointId) ?? []),
    regions: endpoints.flatMap(({ region }) => textOf(region) ?? []),
    arrived: [...named, ...others].flat(),
  };
}

function stringsOf(
  { ids, regions, arrived }: EndpointRecord,
  options: ClassifyOptions,
): PrivateEndpointStrings {
  const { hosts, srv, optimizedSrv } = sortStrings(arrived);
  const classified = [hosts, srv, optimizedSrv].flatMap((found) =>
    found === undefined ? [] : hostsOf(found.text, options),
  );
  const index = first(classified, (of) => ("endpointIndex" in of ? of.endpointIndex : undefined));
  const distinct = distinctRegions(regions);
  const region = distinct[0] ?? first(classified, (of) => ("region" in of ? of.region : undefined));
  const others = othersOf(arrived, [hosts, srv, optimizedSrv]);
  return {
    ...(index === undefined ? {} : { index }),
    ...(region === undefined ? {} : { region }),
    ...(distinct.length > 1 ? { regions: [...distinct].sort() } : {}),
    ...(hosts === undefined ? {} : { hosts: hosts.text }),
    ...(srv === undefined ? {} : { srv: srv.text }),
    ...(optimizedSrv === undefined ? {} : { optimizedSrv: optimizedSrv.text }),
    endpointIds: [...ids].sort(),
    ...(others.size === 0 ? {} : { others: Object.fromEntries(others) }),
  };
}

/**
 * Classifies each host separately, because the list of a shared endpoint may include several regions.
 * Falls back to any domain, because endpoints may use a different domain than the cluster's own strings.
 */
function hostsOf(text: string, options: ClassifyOptions): Classification[] {
  const classified = classifyHosts(text, options);
  return classified.every(({ kind }) => kind === "unknown") ? classifyHosts(text) : classified;
}

/**
 * Returns the strings that are not in any output, by the fields that they arrived in. Omits a string
 * from a known field or a deprecated map if an output has the same text.
 */
function othersOf(
  arrived: readonly Arrived[],
  outputs: readonly (Arrived | undefined)[],
): Map<string, unknown> {
  const texts = new Set(outputs.map((output) => output?.text));
  const others = new Map<string, unknown>();
  for (const one of arrived) {
    const { field, key, text, meantFor } = one;
    if (outputs.includes(one) || (meantFor !== undefined && texts.has(text))) continue;
    const before = fieldsOf(others.get(field));
    others.set(field, key === undefined ? text : Object.fromEntries([...before, [key, text]]));
  }
  return others;
}

function first<Result>(
  classified: readonly Classification[],
  wanted: (of: Classification) => Result | undefined,
): Result | undefined {
  return classified.map(wanted).find((result) => result !== undefined);
}
