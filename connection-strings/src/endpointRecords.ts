/**
 * Reads the records of private endpoints from a cluster's `connectionStrings`: the list
 * `privateEndpoint`, and the two maps by endpoint ID that older services return (service document 2.6).
 */
import type { EndpointStringForm, ReturnedString } from "./endpointStrings";
import { objectsOf, textOf, textsOf } from "./serviceStrings";

/** One private endpoint, or several that share their strings. */
export interface EndpointRecord {
  /** The IDs of the endpoints. */
  readonly ids: readonly string[];
  /** Regions in the spelling and order of the service. */
  readonly regions: readonly string[];
  /** All strings of the record, from the list and the maps. */
  readonly strings: readonly FieldString[];
}

/** A string and the field in which the service returned it. */
export interface FieldString extends ReturnedString {
  /** The name of the field. */
  readonly field: string;
  /** The endpoint ID, if the string is from a deprecated map. */
  readonly endpointId?: string;
}

/** The fields of a cluster's record that hold private endpoints. */
export const endpointFields = ["privateEndpoint", "awsPrivateLink", "awsPrivateLinkSrv"] as const;

/**
 * Reads the records of the list, adds the strings of the deprecated maps to them, and adds a record for
 * every endpoint that is only in the maps. A record without an ID gets the ID under which a map has the
 * same string.
 *
 * @param fields the fields of a cluster's record
 * @returns the records of all private endpoints
 */
export function endpointRecordsOf(fields: ReadonlyMap<string, unknown>): EndpointRecord[] {
  const hosts = textsOf(fields.get("awsPrivateLink"));
  const srvs = textsOf(fields.get("awsPrivateLinkSrv"));
  const mappedStrings = (endpointId: string): FieldString[] => [
    ...stringIn("awsPrivateLink", hosts.get(endpointId), "hosts", endpointId),
    ...stringIn("awsPrivateLinkSrv", srvs.get(endpointId), "srv", endpointId),
  ];
  const listed = objectsOf(fields.get("privateEndpoint")).map(recordOf);
  const listedIds = idsOf(listed);
  const unlistedIds = [...new Set([...hosts.keys(), ...srvs.keys()])].filter(
    (id) => !listedIds.has(id),
  );
  const completed = listed.map(({ ids, regions, strings }) => {
    const texts = new Set(strings.map(({ text }) => text));
    const idsWithSameString = unlistedIds.filter((id) =>
      mappedStrings(id).some(({ text }) => texts.has(text)),
    );
    const allIds = [...ids, ...idsWithSameString];
    return { ids: allIds, regions, strings: [...strings, ...allIds.flatMap(mappedStrings)] };
  });
  const completedIds = idsOf(completed);
  const onlyInMaps = unlistedIds
    .filter((id) => !completedIds.has(id))
    .map((id) => ({ ids: [id], regions: [], strings: mappedStrings(id) }));
  return [...completed, ...onlyInMaps];
}

function idsOf(records: readonly EndpointRecord[]): Set<string> {
  return new Set(records.flatMap(({ ids }) => ids));
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
  if (text === undefined) return [];
  return [{ field, text, documentedForm, ...(endpointId === undefined ? {} : { endpointId }) }];
}
