/**
 * Reads the `connectionStrings` record of a cluster defensively: null and values of an unexpected type
 * count as absent.
 */

/**
 * The `connectionStrings` record of a cluster. Any field may be missing or null; fields under other
 * names are allowed.
 *
 * @example
 * const record: ServiceStrings = { standardSrv: "db+srv://orders.ab1cd.db.example", private: null };
 */
export interface ServiceStrings {
  readonly standard?: string | null | undefined;
  readonly standardSrv?: string | null | undefined;
  readonly private?: string | null | undefined;
  readonly privateSrv?: string | null | undefined;
  readonly privateEndpoint?:
    | readonly (ServicePrivateEndpoint | null | undefined)[]
    | null
    | undefined;
  /** Deprecated: host list by endpoint ID. */
  readonly awsPrivateLink?: StringsByEndpointId | null | undefined;
  /** Deprecated: SRV form by endpoint ID. */
  readonly awsPrivateLinkSrv?: StringsByEndpointId | null | undefined;
  readonly [other: string]: unknown;
}

type StringsByEndpointId = Readonly<Record<string, string | null | undefined>>;

/** The record of one private endpoint, or of several that share their strings. */
export interface ServicePrivateEndpoint {
  readonly connectionString?: string | null | undefined;
  readonly srvConnectionString?: string | null | undefined;
  readonly srvShardOptimizedConnectionString?: string | null | undefined;
  /** The endpoints that share the strings; their regions may differ. */
  readonly endpoints?: readonly (ServiceEndpoint | null | undefined)[] | null | undefined;
  readonly [other: string]: unknown;
}

interface ServiceEndpoint {
  readonly endpointId?: string | null | undefined;
  readonly region?: string | null | undefined;
}

/**
 * Returns a value if it is a non-empty string.
 *
 * @param value anything
 * @returns undefined for the empty string and for other types
 */
export function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/**
 * Reads a list of objects.
 *
 * @param value anything
 * @returns the objects in the list; none for other types
 */
export function objectsOf(value: unknown): Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/**
 * Reads the fields of an object.
 *
 * @param value anything
 * @returns the fields that are not null or undefined; none for other types. A map, because a field can
 * have the name of an inherited property, such as `constructor`.
 */
export function fieldsOf(value: unknown): Map<string, unknown> {
  const fields = isObject(value) ? Object.entries(value) : [];
  return new Map(fields.filter(([, field]) => field !== null && field !== undefined));
}

/**
 * Reads the string fields of an object.
 *
 * @param value anything
 * @returns the non-empty strings by name, without values of other types
 */
export function textsOf(value: unknown): Map<string, string> {
  const texts = Array.from(fieldsOf(value), ([name, field]) => ({ name, text: textOf(field) }));
  return new Map(texts.flatMap(({ name, text }) => (text === undefined ? [] : [[name, text]])));
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
