/**
 * The service's answers as this client reads them. Unknown fields are ignored; a known field of the
 * wrong type is an error that names its path.
 */
import * as z from "../zod";

/** A link relation (service document 2.4). */
const link = z.object({ href: z.string(), rel: z.string() });

/** The document leaves the names of a link's fields open: what is no link by ours is passed over. */
const links = z.pipe(
  orNone(z.unknown()),
  z.transform((values) =>
    values.flatMap((value) => {
      const parsed = link.safeParse(value);
      return parsed.success ? [parsed.data] : [];
    }),
  ),
);

/** One page of a list of entities (service document 4.3). */
export function pageOf<T>(entity: z.ZodMiniType<T>) {
  return z.object({
    results: z.array(entity),
    totalCount: orUndefined(z.int().check(z.nonnegative())),
    links,
  });
}

export interface ListPage<T> {
  readonly results: readonly T[];
  /** Of the whole list; undefined where the service leaves it out. */
  readonly totalCount?: number | undefined;
  readonly links: readonly z.infer<typeof link>[];
}

/**
 * The body of an error (service document 7.2), as far as it is one. Newer errors name the invalid
 * fields apart; they go into the detail.
 */
export const errorBody = z.pipe(
  z.object({
    detail: z.catch(z.optional(z.string()), undefined),
    errorCode: z.catch(z.optional(z.string()), undefined),
    parameters: z.catch(z.array(z.unknown()), []),
    badRequestDetail: z.catch(
      z.optional(
        z.object({ fields: z.array(z.object({ field: z.string(), description: z.string() })) }),
      ),
      undefined,
    ),
  }),
  z.transform(({ badRequestDetail, detail, ...rest }) => {
    const fields = badRequestDetail?.fields.map((each) => `${each.field}: ${each.description}`);
    const parts = [...(detail ? [detail] : []), ...(fields ?? [])];
    return { ...rest, detail: parts.length === 0 ? undefined : parts.join("; ") };
  }),
);

/** The answer to a request for an access token. */
export const accessToken = z.object({
  access_token: z.string().check(z.minLength(1)),
  /** Seconds. */
  expires_in: z.number().check(z.positive()),
});

/** The private IP mode setting of a project (service document 2.3). */
export const privateIpMode = z.object({ enabled: z.boolean() });

/** A field without a value is left out by some services, and null or empty from others. */
const text = z.pipe(
  z.nullish(z.string()),
  z.transform((value) => value || undefined),
);

/** Further strings are kept, by whatever name. */
const privateEndpointStrings = z.looseObject({
  connectionString: text,
  srvConnectionString: text,
  srvShardOptimizedConnectionString: text,
  endpoints: orNone(z.object({ endpointId: text, providerName: text, region: text })),
});

const stringByEndpointId = orUndefined(z.record(z.string(), z.string()));

/**
 * The strings of a cluster as the service names them. While a cluster is being created the object
 * is empty or partial. Strings under other names are kept: a legacy string has no fixed name.
 */
const connectionStrings = z.looseObject({
  standard: text,
  standardSrv: text,
  private: text,
  privateSrv: text,
  privateEndpoint: orNone(privateEndpointStrings),
  awsPrivateLink: stringByEndpointId,
  awsPrivateLinkSrv: stringByEndpointId,
});

function orUndefined<Schema extends z.ZodMiniType>(schema: Schema) {
  return z.pipe(
    z.nullish(schema),
    z.transform((value) => value ?? undefined),
  );
}

function orNone<Schema extends z.ZodMiniType>(schema: Schema) {
  return z.pipe(
    z.nullish(z.array(schema)),
    z.transform((values) => values ?? []),
  );
}

export type ConnectionStringsRecord = z.infer<typeof connectionStrings>;

/**
 * A cluster. The document shows only the two version fields (2.2), whose names start with a prefix
 * that differs between services; everything but the name may be missing.
 */
export function clusterSchema(fieldPrefix: string): z.ZodMiniType<Cluster> {
  return z.pipe(
    z.looseObject({
      id: text,
      name: z.string(),
      clusterType: text,
      stateName: text,
      connectionStrings: z.nullish(connectionStrings),
    }),
    z.transform((record, context) => {
      const version = (field: string) => {
        const value = record[field];
        if (value === undefined || value === null) return undefined;
        if (typeof value === "string") return value;
        context.issues.push({
          code: "custom",
          path: [field],
          message: "expected a string",
          input: value,
        });
        return z.NEVER;
      };
      return {
        id: record.id,
        name: record.name,
        type: record.clusterType,
        state: record.stateName,
        version: version(`${fieldPrefix}Version`),
        majorVersion: version(`${fieldPrefix}MajorVersion`),
        connectionStrings: record.connectionStrings ?? undefined,
      };
    }),
  );
}

/** What the provider uses of a cluster; undefined is what the service left out. */
export interface Cluster {
  readonly id: string | undefined;
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
}
