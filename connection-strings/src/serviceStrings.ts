/**
 * Reads the `connectionStrings` record of a cluster defensively. Null and values of an unexpected type count as
 * absent.
 */

/**
 * The `connectionStrings` record of a cluster, as the service's API returns it (service document 2.6).
 * Any field may be missing or null; fields under other names are allowed.
 *
 * @example
 * const record: ServiceStrings = { standardSrv: "db+srv://orders.ab1cd.db.example", private: null };
 */
export interface ServiceStrings {
  /** Host list for the Internet. */
  readonly standard?: string | null | undefined;
  /** SRV form for the Internet. */
  readonly standardSrv?: string | null | undefined;
  /** Host list for peered networks. */
  readonly private?: string | null | undefined;
  /** SRV form for peered networks. */
  readonly privateSrv?: string | null | undefined;
  /** The strings of private endpoints. */
  readonly privateEndpoint?:
    | readonly (ServicePrivateEndpoint | null | undefined)[]
    | null
    | undefined;
  /** Deprecated: host list by endpoint ID. */
  readonly awsPrivateLink?: StringsByEndpointId | null | undefined;
  /** Deprecated: SRV form by endpoint ID. */
  readonly awsPrivateLinkSrv?: StringsByEndpointId | null | undefined;
  /** Fields that the service document does not describe. */
  readonly [other: string]: unknown;
}

/** The record of one private endpoint, or of several that share their strings (service document 2.6). */
export interface ServicePrivateEndpoint {
  /** Host list. */
  readonly connectionString?: string | null | undefined;
  /** SRV form. Some services return the optimized string in this field. */
  readonly srvConnectionString?: string | null | undefined;
  /** Optimized SRV form (service document 2.6 rule 4). */
  readonly srvShardOptimizedConnectionString?: string | null | undefined;
  /** The endpoints that share the strings; their regions may differ. */
  readonly endpoints?: readonly (ServiceEndpoint | null | undefined)[] | null | undefined;
  /** Fields that the service document does not describe. */
  readonly [other: string]: unknown;
}

/** One of the endpoints of a {@link ServicePrivateEndpoint}. */
export interface ServiceEndpoint {
  /** The ID of the endpoint at the cloud provider. */
  readonly endpointId?: string | null | undefined;
  /** The region, in the service's spelling: for example `US_EAST_1`. */
  readonly region?: string | null | undefined;
}

type StringsByEndpointId = Readonly<Record<string, string | null | undefined>>;

/** Returns a value if it is a non-empty string. */
export function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** Returns the objects in a list; none for other types. */
export function objectsOf(value: unknown): Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/**
 * Returns the fields of an object that are not null or undefined; none for other types. A map, because a
 * field can have the name of an inherited property, such as `constructor`.
 */
export function fieldsOf(value: unknown): Map<string, unknown> {
  const fields = isObject(value) ? Object.entries(value) : [];
  return new Map(fields.filter(([, field]) => field !== null && field !== undefined));
}

/** Returns the non-empty strings among the fields of an object. */
export function textsOf(value: unknown): Map<string, string> {
  const texts = Array.from(fieldsOf(value), ([name, field]) => ({ name, text: textOf(field) }));
  return new Map(texts.flatMap(({ name, text }) => (text === undefined ? [] : [[name, text]])));
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
