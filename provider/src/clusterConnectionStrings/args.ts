/**
 * The arguments and outputs of a lookup: their types, which users see, and the schemas that validate them. A new one
 * starts here, in a type and its schema, which do not compile unless they agree; CONTRIBUTING.md lists the rest.
 * Programs import only the types, because loading schemas takes time (docs/internals/decisions.md#0014-measured-optimizations).
 */
import type {
  ClusterStrings,
  ConnectionStringKind,
  Network,
  PrivateEndpointStrings,
  StringForm,
} from "clouddb-connection-strings";
import * as z from "../messages/zod";
import type { InputArgs, NestedInputs } from "../program/sdk";
import { type SchemasOf, mustBe, projectIdSchema, requiredName } from "../messages/arguments";

/** The arguments of `getConnectionStrings`: a cluster, and which of its strings to recommend. */
export interface GetConnectionStringsArgs {
  /**
   * The ID of the project. A change replaces the resource.
   *
   * @example "64a0c0ffee0000000000a001"
   */
  readonly projectId: string;
  /**
   * The name of the cluster. A change replaces the resource.
   *
   * @example "orders"
   */
  readonly clusterName: string;
  /**
   * The network that the application runs in.
   *
   * @default { kind: "internet" }
   * @example { kind: "privateEndpoint", region: "us-east-1" }
   */
  readonly network?: Network | undefined;
  /**
   * SRV form, or the list of hosts.
   *
   * @default "srv"
   * @example "hosts"
   */
  readonly form?: StringForm | undefined;
  /**
   * For private endpoints of sharded clusters: `true` requires the optimized SRV string, `false`
   * excludes it (service document 2.6 rule 8).
   *
   * @default the optimized string if the endpoint has one
   * @example true
   */
  readonly optimized?: boolean | undefined;
}

/** The arguments of `getConnectionStringsOutput`, which may be outputs of other resources. */
export type GetConnectionStringsOutputArgs = InputArgs<GetConnectionStringsArgs>;

/** The arguments of the resource as plain values. */
export type LookupArgs = GetConnectionStringsArgs & {
  /**
   * How long to wait for a cluster or string that does not exist yet, in seconds: 0 to 7200.
   *
   * @default 0, which fails immediately
   * @example 1800
   */
  readonly waitSeconds?: number | undefined;
};

/** The arguments of the resource `ClusterConnectionStrings`, which may be outputs of other resources. */
export type ClusterConnectionStringsArgs = InputArgs<LookupArgs>;

/**
 * The network that an application runs in. Every field may be an output of another resource.
 *
 * @example { kind: "privateEndpoint", endpointId: endpoint.id }
 */
export type NetworkArgs = NestedInputs<Network>;

/**
 * The result of a lookup: every string that the service returned for the cluster, unchanged, and the
 * one to use (service document 2.6).
 */
export interface GetConnectionStringsResult extends ClusterStrings {
  /** The ID of the project. */
  readonly projectId: string;
  /** The name of the cluster. */
  readonly clusterName: string;
  /**
   * The string for the requested network and form.
   *
   * @example "db+srv://orders-pl-0-us-east-1.ab1cd.db.example"
   */
  readonly recommended: string;
  /**
   * The kind of the recommended string.
   *
   * @example "privateEndpointSrv"
   */
  readonly recommendedKind: ConnectionStringKind;
  /**
   * The private endpoints, ordered by index.
   *
   * @example [{ index: 0, region: "us-east-1", endpointIds: ["vpce-0a1b2c3d"], srv: "db+srv://orders-pl-0-us-east-1.ab1cd.db.example" }]
   */
  readonly privateEndpoints: PrivateEndpointStrings[];
  /**
   * The full database version, `<major>.<minor>.<patch>`.
   *
   * @example "7.0.12"
   */
  readonly databaseVersion?: string;
}

/** The arguments of `getClusters`. */
export interface GetClustersArgs {
  /** The ID of the project. */
  readonly projectId: string;
}

/** The arguments of `getClustersOutput`, which may be outputs of other resources. */
export type GetClustersOutputArgs = InputArgs<GetClustersArgs>;

/** The clusters of a project. */
export interface GetClustersResult {
  /** The ID of the project. */
  readonly projectId: string;
  /** Every cluster of the project, sorted by name. */
  readonly clusters: readonly ListedCluster[];
}

/** A cluster of a project, with every string that the service returned for it, unchanged. */
export interface ListedCluster extends ClusterStrings {
  /** The name of the cluster, which is unique in its project. */
  readonly name: string;
  /** The state, such as `IDLE` or `CREATING`, as the service returned it. */
  readonly state?: string;
  /** The full database version, `<major>.<minor>.<patch>`. */
  readonly databaseVersion?: string;
}

const network = z.discriminatedUnion(
  "kind",
  [
    z.strictObject({ kind: z.literal("internet") }),
    z.strictObject({ kind: z.literal("peering") }),
    z.strictObject({
      kind: z.literal("privateEndpoint"),
      endpointId: z.optional(requiredName("an endpoint ID")),
      region: z.optional(requiredName("a region")),
    }),
  ],
  mustBe('{ kind: "internet" }, { kind: "peering" } or { kind: "privateEndpoint" }', "an object"),
) satisfies z.ZodMiniType<Network>;

const wholeSeconds = z
  .number(mustBe("a number of seconds", "a number"))
  .check(
    z.nonnegative("must not be negative"),
    z.maximum(7200, "must be at most 7200"),
    z.refine(Number.isInteger, "must be a whole number of seconds"),
  );

const querySchemas = {
  projectId: projectIdSchema,
  clusterName: requiredName("the name of a cluster"),
  network: z._default(network, { kind: "internet" }),
  form: z._default(z.enum(["srv", "hosts"], mustBe('"srv" or "hosts"', "text")), "srv"),
  optimized: z.optional(z.boolean(mustBe("a boolean"))),
} satisfies SchemasOf<GetConnectionStringsArgs>;

/** Identifies a cluster, and which of its strings to recommend. @internal */
export const querySchema = z.strictObject(querySchemas);

/** The arguments of `getClusters`. @internal */
export const getClustersSchema = z.strictObject({
  projectId: projectIdSchema,
} satisfies SchemasOf<GetClustersArgs>);

/** A validated query, with its defaults. @internal */
export type Query = z.output<typeof querySchema>;

/** The arguments of the resource. @internal */
export const argsSchema = z.strictObject({
  ...querySchemas,
  waitSeconds: z._default(wholeSeconds, 0),
} satisfies SchemasOf<LookupArgs>);

/** Validated arguments of the resource, with their defaults. @internal */
export type Args = z.output<typeof argsSchema>;

/** The defaults of the arguments; undefined for those without one. @internal */
export const defaults: Readonly<Record<string, unknown>> = Object.fromEntries(
  Object.entries(argsSchema.shape).map(([name, schema]) => [
    name,
    schema.safeParse(undefined).data,
  ]),
);

/** The names of the optional properties of a type. */
type OptionalNames<T> = {
  [Name in keyof T]-?: object extends Pick<T, Name> ? Name : never;
}[keyof T];

/**
 * The optional outputs as null. If they were omitted from the state, the engine would show them as unknown in
 * every preview (docs/internals/decisions.md#0013-absent-outputs). @internal
 */
export const nullOutputs: Readonly<Record<OptionalNames<GetConnectionStringsResult>, null>> = {
  standard: null,
  standardSrv: null,
  private: null,
  privateSrv: null,
  legacy: null,
  legacySrv: null,
  databaseVersion: null,
  others: null,
};
