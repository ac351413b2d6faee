/** Reads the records of a cluster's private endpoints, and sorts their strings by form (service document 2.6). */
import {
  type ClassifyOptions,
  type HostClassification,
  classify,
  classifyHosts,
  isOptimized,
} from "./classification";
import { parseOrProblem } from "./parsing";
import { cloudKey, distinctRegions, regionsInHosts } from "./regions";
import { fieldsOf, objectsOf, present, textOf, textsOf } from "./serviceStrings";

/** The strings of one private endpoint, or of several that share them. */
export interface PrivateEndpointStrings {
  /** `<i>`: the index of the endpoint in its host names; absent if they do not contain it. */
  readonly index?: number;
  /** The first region that the service returned, or else the one in the host names. */
  readonly region?: string;
  /** All regions, sorted. Only present if endpoints in several regions share the strings. */
  readonly regions?: readonly string[];
  /**
   * The cloud, such as `AWS`, as the service returned it, or else as the host names end. Absent if neither shows it, or
   * if endpoints in several clouds share the strings.
   */
  readonly cloud?: string;
  /** The place of each endpoint. Only present if endpoints in several clouds share the strings. */
  readonly endpoints?: readonly EndpointPlace[];
  /** The IDs of the endpoints, sorted. Empty if the service returned none. */
  readonly endpointIds: readonly string[];
  /** The host list. */
  readonly hosts?: string;
  /** The plain SRV string, which never has `lb` in its host name. */
  readonly srv?: string;
  /**
   * The optimized SRV string, which limits the connections to each router of a sharded cluster.
   * Recognized by `lb` in its host name, whichever field the service returned it in.
   */
  readonly optimizedSrv?: string;
  /** All other strings in the record, under their own names, such as `analyticsSrv`; absent if there are none. */
  readonly others?: Readonly<Record<string, unknown>>;
}

/** Where an endpoint is, as the service returned it. */
export interface EndpointPlace {
  /** The ID of the endpoint. */
  readonly endpointId?: string;
  /** The cloud, such as `AWS`. */
  readonly cloud?: string;
  /** The region. */
  readonly region?: string;
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
  { ids, places, strings }: EndpointRecord,
  options: ClassifyOptions,
): PrivateEndpointStrings {
  const { hosts, srv, optimizedSrv } = pickByForm(strings);
  const outputs = [hosts, srv, optimizedSrv].filter((output) => output !== undefined);
  const classified = outputs.flatMap(({ text }) => classifyEndpointHosts(text, options));
  const index = classified.find((host) => "endpointIndex" in host)?.endpointIndex;
  const others = othersOf(strings, outputs);
  return {
    ...present({ index }),
    ...placeOutputs(places, regionsInHosts(classified)),
    ...present({ hosts: hosts?.text, srv: srv?.text, optimizedSrv: optimizedSrv?.text }),
    endpointIds: [...ids].sort(),
    ...(others.size === 0 ? {} : { others: Object.fromEntries(others) }),
  };
}

/** Returns the outputs that say where endpoints are. What the service returned counts before the host names. */
function placeOutputs(
  places: readonly EndpointPlace[],
  inHosts: ReturnType<typeof regionsInHosts>,
): Pick<PrivateEndpointStrings, "region" | "regions" | "cloud" | "endpoints"> {
  const regions = distinctRegions("record", places).map(({ text }) => text);
  const region = regions[0] ?? inHosts[0]?.region;
  const isInSeveralClouds = new Set(places.map((place) => cloudKey(place.cloud))).size > 1;
  const cloud = places[0]?.cloud ?? inHosts.find((place) => place.cloud)?.cloud?.toUpperCase();
  return {
    ...present({ region }),
    ...(regions.length > 1 ? { regions: [...regions].sort() } : {}),
    ...(isInSeveralClouds ? { endpoints: places } : present({ cloud })),
  };
}

/** Orders endpoints, because the service may list them in any order, which must not appear as a change. */
function byIndex(a: PrivateEndpointStrings, b: PrivateEndpointStrings): number {
  const indexA = a.index ?? Infinity;
  const indexB = b.index ?? Infinity;
  if (indexA !== indexB) return indexA - indexB;
  const textA = distinguishingText(a);
  const textB = distinguishingText(b);
  return textA === textB ? 0 : textA < textB ? -1 : 1;
}

function distinguishingText({ region, regions, endpointIds, srv, hosts }: PrivateEndpointStrings) {
  return [regions?.join("+") ?? region, ...endpointIds, srv, hosts].join(" ");
}

/** Classifies each host, because the list of a shared endpoint may include several regions, under any domain. */
function classifyEndpointHosts(text: string, options: ClassifyOptions): HostClassification[] {
  const classified = classifyHosts(text, options);
  return classified.every(({ kind }) => kind === "unknown") ? classifyHosts(text) : classified;
}

/** Returns the strings that are in no output, by field, unless an output has the same text. */
function othersOf(
  strings: readonly FieldString[],
  outputs: readonly FieldString[],
): Map<string, unknown> {
  const outputTexts = new Set(outputs.map(({ text }) => text));
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

/** One private endpoint, or several that share their strings. */
interface EndpointRecord {
  readonly ids: readonly string[];
  /** The endpoints in the order of the service. */
  readonly places: readonly EndpointPlace[];
  /** All strings of the record, from the list and the maps. */
  readonly strings: readonly FieldString[];
}

/** A string and the field in which the service returned it. */
interface FieldString {
  readonly field: string;
  /** The endpoint ID, if the string is from a deprecated map. */
  readonly endpointId?: string;
  readonly text: string;
  /** The form that its field is documented to contain; undefined for an undocumented field. */
  readonly documentedForm: EndpointStringForm | undefined;
}

/** The fields of a cluster's record that hold private endpoints. */
export const endpointFields = ["privateEndpoint", "awsPrivateLink", "awsPrivateLinkSrv"] as const;

/** Reads the records, and adds the strings of the two deprecated maps, with new records for other endpoints. */
function endpointRecordsOf(fields: ReadonlyMap<string, unknown>): EndpointRecord[] {
  const byId = new Map<string, EndpointRecord>();
  for (const [field, form] of mapForms) {
    for (const [id, text] of textsOf(fields.get(field))) {
      const key = id.toLowerCase();
      const { ids, strings } = byId.get(key) ?? { ids: [id], strings: [] };
      const string = { field, endpointId: id, text, documentedForm: form };
      byId.set(key, { ids, places: [], strings: [...strings, string] });
    }
  }
  const listed = listedRecords(fields).map((record) => {
    const { ids, places, strings } = recordOf(record);
    const keys = new Set(ids.map((id) => id.toLowerCase()));
    const mapped = [...keys].flatMap((key) => byId.get(key)?.strings ?? []);
    return { keys, record: { ids, places, strings: [...strings, ...mapped] } };
  });
  const onlyInMaps = Array.from(byId).flatMap(([key, record]) =>
    listed.some(({ keys }) => keys.has(key)) ? [] : record,
  );
  return [...listed.map(({ record }) => record), ...onlyInMaps];
}

/**
 * Returns the records in the list of private endpoints. Pulumi's provider for MongoDB Atlas uses the plural, as the
 * result of `clusterStrings` does, whose entries have other fields.
 */
function listedRecords(fields: ReadonlyMap<string, unknown>): Readonly<Record<string, unknown>>[] {
  if (fields.has("privateEndpoint")) return objectsOf(fields.get("privateEndpoint"));
  return objectsOf(fields.get("privateEndpoints")).filter((record) =>
    Array.from(documentedForms.keys()).some((field) => field in record),
  );
}

/** The deprecated maps, and the form of string that each contains. */
const mapForms = [
  ["awsPrivateLink", "hosts"],
  ["awsPrivateLinkSrv", "srv"],
] as const;

/** Reads a record of the list. Includes any other field that contains a connection string. */
function recordOf(record: Readonly<Record<string, unknown>>): EndpointRecord {
  const texts = textsOf(record);
  const fields = [...new Set([...documentedForms.keys(), ...texts.keys()])];
  const places = objectsOf(record["endpoints"]).map(placeOf);
  return {
    ids: places.flatMap(({ endpointId }) => endpointId ?? []),
    places,
    strings: fields.flatMap((field) => {
      const text = texts.get(field);
      const documentedForm = documentedForms.get(field);
      const isString = documentedForm !== undefined || text?.includes("://") === true;
      return text !== undefined && isString ? { field, text, documentedForm } : [];
    }),
  };
}

function placeOf(fields: Readonly<Record<string, unknown>>): EndpointPlace {
  const [endpointId, cloud, region] = ["endpointId", "providerName", "region"].map((name) =>
    textOf(fields[name]),
  );
  return present({ endpointId, cloud, region });
}

/** The documented fields of a record, and the form of string that each contains. */
const documentedForms: ReadonlyMap<string, EndpointStringForm> = new Map([
  ["connectionString", "hosts"],
  ["srvConnectionString", "srv"],
  ["srvShardOptimizedConnectionString", "optimizedSrv"],
]);

/** The forms of a private endpoint's strings. Each form is a separate output. */
type EndpointStringForm = "hosts" | "srv" | "optimizedSrv";

/**
 * Picks the string of each form by its host names. They take precedence over field names, because services return the
 * optimized string in different fields, but its host name always contains `lb`. If several strings have the same form,
 * prefers one whose field is documented to contain that form, then the first.
 */
function pickByForm(strings: readonly FieldString[]) {
  const forms = new Map(strings.map((string) => [string, formOf(string)]));
  const pick = (form: EndpointStringForm) => {
    const ofForm = strings.filter((string) => forms.get(string) === form);
    return ofForm.find(({ documentedForm }) => documentedForm === form) ?? ofForm[0];
  };
  return { hosts: pick("hosts"), srv: pick("srv"), optimizedSrv: pick("optimizedSrv") };
}

/** Returns the form of a string; undefined if its meaning is unknown. */
function formOf({ text, documentedForm }: FieldString): EndpointStringForm | undefined {
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
