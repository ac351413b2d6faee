/** The strings of a cluster's private endpoints, as outputs. */
import { type EndpointRecord, type FieldString, endpointRecordsOf } from "./endpointRecords";
import { sortByForm } from "./endpointStrings";
import { type Classification, type ClassifyOptions, classifyHosts } from "./kinds";
import { distinctRegions } from "./regions";
import { fieldsOf } from "./serviceStrings";

/** The strings of one private endpoint, or of several that share them (service document 2.6). */
export interface PrivateEndpointStrings {
  /** `<i>`: the index of the endpoint in its host names; absent if they do not contain it. */
  readonly index?: number;
  /** The first region that the service returned, or else the one in the host names. */
  readonly region?: string;
  /** All regions, sorted. Only present if endpoints in several regions share the strings. */
  readonly regions?: readonly string[];
  /** The IDs of the endpoints, sorted. Empty if the service returned none. */
  readonly endpointIds: readonly string[];
  /** The host list. */
  readonly hosts?: string;
  /** The plain SRV string: never one with `lb` in its host name. */
  readonly srv?: string;
  /**
   * The optimized SRV string, which limits the connections to each router of a sharded cluster (service
   * document 2.6). Recognized by `lb` in its host name, whichever field the service returned it in.
   */
  readonly optimizedSrv?: string;
  /** Other strings that the service returned, under their own names; absent if there are none. */
  readonly others?: Readonly<Record<string, unknown>>;
}

/**
 * Reads the private endpoints of a cluster's record.
 *
 * @param fields the fields of the record
 * @param options the service's cluster domain, if it is known
 * @returns one entry for each private endpoint, ordered by index
 */
export function privateEndpointsOf(
  fields: ReadonlyMap<string, unknown>,
  options: ClassifyOptions,
): PrivateEndpointStrings[] {
  return endpointRecordsOf(fields)
    .map((record) => stringsOf(record, options))
    .sort(byIndex);
}

function stringsOf(
  { ids, regions, strings }: EndpointRecord,
  options: ClassifyOptions,
): PrivateEndpointStrings {
  const { hosts, srv, optimizedSrv } = sortByForm(strings);
  const classified = [hosts, srv, optimizedSrv].flatMap((output) =>
    output === undefined ? [] : classifyEndpointHosts(output.text, options),
  );
  const index = classified.map(endpointIndexOf).find((value) => value !== undefined);
  const distinct = distinctRegions(regions);
  const region = distinct[0] ?? classified.map(regionOf).find((value) => value !== undefined);
  const others = othersOf(strings, [hosts, srv, optimizedSrv]);
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

/** The service may list endpoints in any order, and a different order must not appear as a change. */
function byIndex(a: PrivateEndpointStrings, b: PrivateEndpointStrings): number {
  const [indexA, indexB] = [a.index ?? Infinity, b.index ?? Infinity];
  if (indexA !== indexB) return indexA < indexB ? -1 : 1;
  const [textA, textB] = [distinguishingText(a), distinguishingText(b)];
  return textA === textB ? 0 : textA < textB ? -1 : 1;
}

function distinguishingText({ region, regions, endpointIds, srv, hosts }: PrivateEndpointStrings) {
  return [regions?.join("+") ?? region, ...endpointIds, srv, hosts].join(" ");
}

/**
 * Classifies each host separately, because the list of a shared endpoint may include several regions.
 * Falls back to any domain, because endpoints may use a different domain than the cluster's own strings.
 */
function classifyEndpointHosts(text: string, options: ClassifyOptions): Classification[] {
  const classified = classifyHosts(text, options);
  return classified.every(({ kind }) => kind === "unknown") ? classifyHosts(text) : classified;
}

function endpointIndexOf(host: Classification): number | undefined {
  return "endpointIndex" in host ? host.endpointIndex : undefined;
}

function regionOf(host: Classification): string | undefined {
  return "region" in host ? host.region : undefined;
}

/**
 * Returns the strings that are not in any output, by their fields. Omits a string from a known field or
 * a deprecated map if an output has the same text.
 */
function othersOf(
  strings: readonly FieldString[],
  outputs: readonly (FieldString | undefined)[],
): Map<string, unknown> {
  const outputTexts = new Set(outputs.map((output) => output?.text));
  const others = new Map<string, unknown>();
  for (const string of strings) {
    const { field, endpointId, text, documentedForm } = string;
    const isDuplicate = documentedForm !== undefined && outputTexts.has(text);
    if (outputs.includes(string) || isDuplicate) continue;
    const sameMap = fieldsOf(others.get(field));
    others.set(
      field,
      endpointId === undefined ? text : Object.fromEntries([...sameMap, [endpointId, text]]),
    );
  }
  return others;
}
