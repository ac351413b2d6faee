/**
 * Reads the records of a cluster's private endpoints, sorts their strings by form, and finds the endpoint of an
 * application's network (service document 2.6).
 */
import {
  type Classification,
  type ClassifyOptions,
  classify,
  classifyHosts,
  isOptimized,
} from "./classification";
import { parseOrProblem } from "./parsing";
import { fieldsOf, objectsOf, textOf, textsOf } from "./serviceStrings";

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
  /** The plain SRV string, which never has `lb` in its host name. */
  readonly srv?: string;
  /**
   * The optimized SRV string, which limits the connections to each router of a sharded cluster (service
   * document 2.6). Recognized by `lb` in its host name, whichever field the service returned it in.
   */
  readonly optimizedSrv?: string;
  /**
   * All other strings in the endpoint's record, under their own names, such as `analyticsSrv`; absent if there
   * are none.
   */
  readonly others?: Readonly<Record<string, unknown>>;
}

/** A virtual network with a private endpoint. If there are several, the ID or region identifies one. */
export interface PrivateEndpointNetwork {
  /** Distinguishes the kinds of network. */
  readonly kind: "privateEndpoint";
  /**
   * The ID of the endpoint, exactly as the service returns it.
   *
   * @default any endpoint
   */
  readonly endpointId?: string | undefined;
  /**
   * The region of the endpoint, in any spelling: `us-east-1`, `US_EAST_1` or `useast1`.
   *
   * @default any region
   */
  readonly region?: string | undefined;
}

/** Reads the private endpoints from the fields of a cluster's record, ordered by index. */
export function privateEndpointsOf(
  fields: ReadonlyMap<string, unknown>,
  options: ClassifyOptions,
): PrivateEndpointStrings[] {
  const endpoints = endpointRecordsOf(fields).map((record) => stringsOf(record, options));
  return endpoints.sort(byIndex);
}

function stringsOf(
  { ids, regions, strings }: EndpointRecord,
  options: ClassifyOptions,
): PrivateEndpointStrings {
  const { hosts, srv, optimizedSrv } = pickByForm(strings);
  const classified = [hosts, srv, optimizedSrv].flatMap((output) =>
    output === undefined ? [] : classifyEndpointHosts(output.text, options),
  );
  const index = classified.find((host) => "endpointIndex" in host)?.endpointIndex;
  const distinct = distinctRegions(regions);
  const region = distinct[0] ?? regionsIn(classified)[0];
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
  if (indexA !== indexB) return indexA - indexB;
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

function regionsIn(hosts: readonly Classification[]): string[] {
  return hosts.flatMap((host) => ("region" in host ? (host.region ?? []) : []));
}

/**
 * Returns the strings that are not in any output, by field. Omits a string from a known field or a deprecated map if
 * an output has the same text.
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

/**
 * Finds the endpoints that have the requested ID and region, both optional. Names of different regions can
 * look the same, so callers must not pick one of several matches.
 */
export function endpointsFor(
  endpoints: readonly PrivateEndpointStrings[],
  { endpointId, region }: PrivateEndpointNetwork,
): PrivateEndpointStrings[] {
  const withId = endpoints.filter(
    ({ endpointIds }) => endpointId === undefined || endpointIds.includes(endpointId),
  );
  if (region === undefined) return withId;
  const key = regionKey(region);
  const isSame = (name: string) => regionKey(name) === key;
  const inRegion = withId.filter((endpoint) => regionsOf(endpoint).some(isSame));
  // A service may name a region US_EAST_2 in the record and eastus2 in the host names.
  return inRegion.length > 0
    ? inRegion
    : withId.filter((endpoint) => regionsInHostNames(endpoint).some(isSame));
}

function regionsInHostNames({ hosts, srv }: PrivateEndpointStrings): string[] {
  return regionsIn([hosts, srv].flatMap((text = "") => classifyHosts(text)));
}

/** One private endpoint, or several that share their strings. */
interface EndpointRecord {
  readonly ids: readonly string[];
  /** Regions in the spelling and order of the service. */
  readonly regions: readonly string[];
  /** All strings of the record, from the list and the maps. */
  readonly strings: readonly FieldString[];
}

/** A string and the field in which the service returned it. */
interface FieldString extends ReturnedString {
  readonly field: string;
  /** The endpoint ID, if the string is from a deprecated map. */
  readonly endpointId: string | undefined;
}

/** The fields of a cluster's record that hold private endpoints. */
export const endpointFields = ["privateEndpoint", "awsPrivateLink", "awsPrivateLinkSrv"] as const;

/**
 * Reads the records of the list, and adds the strings of the two deprecated maps by endpoint ID. Endpoints that are
 * only in the maps get new records.
 */
function endpointRecordsOf(fields: ReadonlyMap<string, unknown>): EndpointRecord[] {
  const hosts = textsOf(fields.get("awsPrivateLink"));
  const srvs = textsOf(fields.get("awsPrivateLinkSrv"));
  const mappedStrings = (endpointId: string): FieldString[] => [
    ...stringIn("awsPrivateLink", hosts.get(endpointId), "hosts", endpointId),
    ...stringIn("awsPrivateLinkSrv", srvs.get(endpointId), "srv", endpointId),
  ];
  const listed = objectsOf(fields.get("privateEndpoint")).map(recordOf);
  const known = new Set(listed.flatMap(({ ids }) => ids));
  const onlyInMaps = new Set([...hosts.keys(), ...srvs.keys()].filter((id) => !known.has(id)));
  return [
    ...listed.map(({ ids, regions, strings }) => {
      return { ids, regions, strings: [...strings, ...ids.flatMap(mappedStrings)] };
    }),
    ...Array.from(onlyInMaps, (id) => ({ ids: [id], regions: [], strings: mappedStrings(id) })),
  ];
}

/** Reads a record of the list. Includes any other field that contains a connection string. */
function recordOf(record: Readonly<Record<string, unknown>>): EndpointRecord {
  const texts = textsOf(record);
  const documented = Array.from(documentedForms, ([field, form]) =>
    stringIn(field, texts.get(field), form),
  );
  const undocumented = Array.from(texts, ([field, text]) =>
    documentedForms.has(field) || !text.includes("://") ? [] : stringIn(field, text, undefined),
  );
  const endpoints = objectsOf(record["endpoints"]);
  return {
    ids: endpoints.flatMap(({ endpointId }) => textOf(endpointId) ?? []),
    regions: endpoints.flatMap(({ region }) => textOf(region) ?? []),
    strings: [...documented, ...undocumented].flat(),
  };
}

/** The documented fields of a record, and the form of string that each contains. */
const documentedForms: ReadonlyMap<string, EndpointStringForm> = new Map([
  ["connectionString", "hosts"],
  ["srvConnectionString", "srv"],
  ["srvShardOptimizedConnectionString", "optimizedSrv"],
]);

/** Returns the string in a field, or an empty list if the field is absent. */
function stringIn(
  field: string,
  text: string | undefined,
  documentedForm: EndpointStringForm | undefined,
  endpointId?: string,
): FieldString[] {
  return text === undefined ? [] : [{ field, text, documentedForm, endpointId }];
}

/** The forms of a private endpoint's strings. Each form is a separate output. */
type EndpointStringForm = "hosts" | "srv" | "optimizedSrv";

/** A string of a private endpoint as the service returned it. */
interface ReturnedString {
  readonly text: string;
  /** The form that its field is documented to contain; undefined for an undocumented field. */
  readonly documentedForm: EndpointStringForm | undefined;
}

/**
 * Picks the string of each form by its host names. They take precedence over field names, because services return the
 * optimized string in different fields, but its host name always contains `lb`. If several strings have the same
 * form, prefers one whose field is documented to contain that form, then the first.
 */
function pickByForm<Item extends ReturnedString>(
  strings: readonly Item[],
): Readonly<Record<EndpointStringForm, Item | undefined>> {
  const pick = (form: EndpointStringForm) => {
    const ofForm = strings.filter((string) => formOf(string) === form);
    return ofForm.find(({ documentedForm }) => documentedForm === form) ?? ofForm[0];
  };
  return { hosts: pick("hosts"), srv: pick("srv"), optimizedSrv: pick("optimizedSrv") };
}

/** Returns the form of a string; undefined if its meaning is unknown. */
function formOf({ text, documentedForm }: ReturnedString): EndpointStringForm | undefined {
  const parsed = parseOrProblem(text);
  // Text that is not a connection string has no form, so trust the field.
  if (parsed.kind === "problem") return documentedForm;
  const { kind } = classify(text);
  const isEndpoint = documentedForm !== undefined || kind === "privateEndpoint";
  if (parsed.parts.form === "hosts") return isEndpoint ? "hosts" : undefined;
  if (isOptimized(text)) return "optimizedSrv";
  // If the kind of the string is unknown, trust the field.
  if (documentedForm === "optimizedSrv" && kind === "unknown") return "optimizedSrv";
  return isEndpoint ? "srv" : undefined;
}

/** Returns the first spelling of each region, in the original order. */
export function distinctRegions(regions: readonly string[]): string[] {
  const byKey = new Map<string, string>();
  for (const region of regions) {
    const key = regionKey(region);
    byKey.set(key, byKey.get(key) ?? region);
  }
  return [...byKey.values()];
}

/** Returns one spelling of each region of an endpoint, starting with `region`. */
export function regionsOf({ region, regions = [] }: PrivateEndpointStrings): string[] {
  return distinctRegions([...(region === undefined ? [] : [region]), ...regions]);
}

/**
 * Returns the key that all spellings of a region share. Host names may add the provider.
 * Different regions may share a key, such as `us-east-1` and `us-east1` of two providers, so a caller must not choose
 * among several matches.
 */
function regionKey(region: string): string {
  return region
    .toLowerCase()
    .replace(/[-_\s](aws|azure|gcp)$/, "")
    .replace(/[-_\s]/g, "");
}
