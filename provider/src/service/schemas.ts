/**
 * The schemas of the service's responses. Unknown fields are ignored; a known field of the wrong type is an error that
 * names its path.
 */
import { problemsOf } from "../messages/text";
import { isPlainText, withoutSignature } from "./values";
import * as z from "../messages/zod";
import { plainWords } from "../messages/schemaErrors";

/** One page of a list (service document 4.3). Its entities are parsed separately. */
const page = z.object({
  results: z.array(z.unknown()),
  totalCount: z.catch(z.optional(z.int().check(z.nonnegative())), undefined),
});

export interface ListPage<T> {
  readonly results: readonly T[];
  /** Count of the whole list; undefined if there is no valid one. */
  readonly totalCount: number | undefined;
}

/** Creates the schema of one page of a list (service document 4.3) from a function that accepts any record. */
export function pageOf<T>(entity: (record: unknown) => T): z.ZodMiniType<ListPage<T>> {
  return z.pipe(
    page,
    z.transform(({ results, totalCount }) => ({ results: results.map(entity), totalCount })),
  );
}

/** The root of the API: an entity, which has links (service document 2.4 and 4.5), or describes the service. */
export const rootEntity = z.union([
  z.object({ links: z.array(z.looseObject({})).check(z.minLength(1)) }),
  z.object({ appName: z.string(), build: z.string() }),
]);

/** The response to a request for an access token (RFC 6749 5.1). */
export const accessToken = z.object({
  access_token: z.string().check(z.minLength(1)),
  /** Lifetime in seconds. */
  expires_in: z.number().check(z.positive()),
});

/** The private IP mode setting of a project (service document 2.3). */
export const privateIpMode = z.object({ enabled: z.boolean() });

const safeText = z
  .string()
  .check(z.refine(isPlainText, "must be text without a special meaning in Pulumi"));

/** Text that becomes an output. A missing, null or empty field becomes undefined. */
const text = z.pipe(
  z.nullish(safeText),
  z.transform((value) => value || undefined),
);

/** A field that the service document does not describe. Only text is kept. */
const otherText = orUndefined(safeText);

const privateEndpointStrings = z.pipe(
  z.catchall(
    z.object({
      connectionString: text,
      srvConnectionString: text,
      srvShardOptimizedConnectionString: text,
      endpoints: orEmpty(z.object({ endpointId: text, providerName: text, region: text })),
    }),
    otherText,
  ),
  z.transform(withoutSignature),
);

const stringByEndpointId = z.pipe(
  z.nullish(z.record(safeText, text)),
  z.transform((strings) =>
    strings
      ? Object.fromEntries(
          Object.entries(strings).flatMap(([id, value]) => (value ? [[id, value]] : [])),
        )
      : undefined,
  ),
);

/**
 * The strings of a cluster as the service names them. While a cluster is being created the object
 * is empty or partial. Strings under other names are kept: a legacy string has no fixed name.
 */
const connectionStrings = z.pipe(
  z.nullish(
    z.catchall(
      z.object({
        standard: text,
        standardSrv: text,
        private: text,
        privateSrv: text,
        privateEndpoint: orEmpty(privateEndpointStrings),
        awsPrivateLink: stringByEndpointId,
        awsPrivateLinkSrv: stringByEndpointId,
      }),
      otherText,
    ),
  ),
  z.transform((strings) => (strings ? withoutSignature(strings) : undefined)),
);

/** Makes a list optional: a missing or null list is empty. */
function orEmpty<Schema extends z.ZodMiniType>(schema: Schema) {
  return z.pipe(
    z.nullish(z.array(schema)),
    z.transform((values) => values ?? []),
  );
}

/** The connection strings of a cluster as the service returns them (service document 2.6). */
type ConnectionStringsRecord = NonNullable<z.infer<typeof connectionStrings>>;

/**
 * The fields of a cluster that the provider uses (service document 2.2); undefined if the service omits them.
 */
export interface Cluster {
  readonly kind: "cluster";
  readonly id: string | undefined;
  /** The name of the cluster, which is unique in its project. */
  readonly name: string;
  /** `REPLICASET`, `SHARDED` or `GEOSHARDED`. */
  readonly type: string | undefined;
  /** `IDLE`, `CREATING`, `UPDATING`, `DELETING` or `REPAIRING`. */
  readonly state: string | undefined;
  /** Full database version, `<major>.<minor>.<patch>`. */
  readonly version: string | undefined;
  /** Major database version, `<major>.<minor>`. */
  readonly majorVersion: string | undefined;
  readonly connectionStrings: ConnectionStringsRecord | undefined;
  /** The cloud provider, as the service calls it. */
  readonly provider: string | undefined;
}

/** Makes a malformed value undefined, in a field that must not make the record of a cluster malformed. */
function orUndefined<Schema extends z.ZodMiniType>(schema: Schema) {
  return z.catch(z.optional(schema), undefined);
}

const provider = z.pipe(
  z.object({ providerSettings: orUndefined(z.object({ providerName: orUndefined(text) })) }),
  z.transform(({ providerSettings }) => providerSettings?.providerName),
);

/** A cluster without a name. The guard judges its version, but no lookup can find it. */
export interface NamelessCluster extends Pick<Cluster, "id" | "version" | "majorVersion"> {
  readonly kind: "nameless";
  readonly name: undefined;
}

/** A record in a list of clusters that is not a cluster as the service documents it. */
export interface MalformedCluster {
  readonly kind: "malformed";
  readonly id: string | undefined;
  readonly name: string | undefined;
  /** What is wrong, with the path of the field. */
  readonly problem: string;
}

/** A record in a list of clusters. */
export type ClusterRecord = Cluster | NamelessCluster | MalformedCluster;

/** Returns the name of a record for messages: without a name, its place in the list of all records. */
export function labelOf({ name }: Pick<ClusterRecord, "name">, index: number): string {
  return name ?? `cluster ${index + 1} of the list`;
}

/**
 * Creates a function that parses cluster records. The service document only describes the two version
 * fields (service document 2.2), whose prefix differs between services; all other fields are optional. An
 * invalid record does not fail the list: it is returned as malformed.
 */
export function clusterReader(fieldPrefix: string): (record: unknown) => ClusterRecord {
  const schema = z.object({
    id: text,
    name: text,
    clusterType: text,
    stateName: text,
    connectionStrings,
  });
  const fields = [`${fieldPrefix}Version`, `${fieldPrefix}MajorVersion`] as const;
  const versions = z.object({ [fields[0]]: text, [fields[1]]: text });
  return (record) => {
    const parsed = schema.safeParse(record, plainWords);
    const parsedVersions = versions.safeParse(record, plainWords);
    if (!parsed.success || !parsedVersions.success) {
      const { issues = [] } = parsed.error ?? parsedVersions.error ?? {};
      // Deeper keys are chosen by the service.
      const known = issues.map((issue) => ({ ...issue, path: issue.path.slice(0, 2) }));
      return { kind: "malformed", ...identityOf(record), problem: problemsOf({ issues: known }) };
    }
    const { id, name, clusterType: type, stateName: state } = parsed.data;
    const [version, majorVersion] = fields.map((field) => parsedVersions.data[field]);
    if (name === undefined) return { kind: "nameless", id, name, version, majorVersion };
    const strings = { connectionStrings: parsed.data.connectionStrings };
    return {
      ...{ kind: "cluster" as const, id, name, type, state, version, majorVersion, ...strings },
      provider: provider.parse(record),
    };
  };
}

const identity = z.object({
  id: z.catch(z.optional(z.string()), undefined),
  name: z.catch(z.optional(z.string().check(z.minLength(1))), undefined),
});

function identityOf(record: unknown): { id: string | undefined; name: string | undefined } {
  const { id, name } = identity.safeParse(record).data ?? {};
  return { id: id || undefined, name };
}

/** Parses a record in a list of projects, of which only the ID is used (service document 2.1). */
export function projectReader(record: unknown): { id: string | undefined; name: undefined } {
  return { id: identityOf(record).id, name: undefined };
}
