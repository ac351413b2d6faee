/**
 * The arguments of a lookup: their types, which users see, and the schemas that validate them. A new one starts here,
 * in a type and its schema, which do not compile unless they have the same properties; CONTRIBUTING.md lists the rest.
 * Programs import only the types, because loading schemas takes time
 * (docs/internals/decisions.md#0014-measured-optimizations).
 */
import type { Network, StringForm } from "clouddb-connection-strings";
import * as z from "zod/mini";
import type { Input, InputArgs, NestedInputs } from "../program/sdk";
import { type SchemasOf, projectIdSchema, requiredName } from "../validation/arguments";
import { mustBe } from "../validation/values";

/** The arguments of `getConnectionStrings`: a cluster, and which of its strings to recommend. */
export interface GetConnectionStringsArgs {
  /**
   * The ID of the project.
   *
   * @replaces the resource if it changes
   * @example "64a0c0ffee0000000000a001"
   */
  readonly projectId: string;
  /**
   * The name of the cluster.
   *
   * @replaces the resource if it changes
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
   * For private endpoints of sharded clusters: `true` requires the optimized SRV string, which needs a driver that
   * supports it; `false` excludes it.
   *
   * @default the optimized string if the endpoint has one
   * @example true
   */
  readonly optimized?: boolean | undefined;
}

/** The arguments of `getConnectionStringsOutput`, which may be outputs of other resources. */
export interface GetConnectionStringsOutputArgs extends InputArgs<GetConnectionStringsArgs> {
  // The property above and its comment, with a type that editors show by its name.
  readonly network?: Input<NetworkArgs | undefined>;
}

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

/** Inputs that are no arguments, and that no program passes itself. Pulumi does not show names that begin with `__`. */
export interface HiddenLookupInputs {
  /**
   * The lists of clusters that the lookup accepts. The resource's class passes it; `check` removes it
   * (docs/internals/decisions.md#0021-age-of-lists).
   */
  readonly __bound: {
    /** A list must have been requested after this time, in milliseconds since 1970. */
    readonly after: number;
    /** Whether a list must be recent, too, because a transform may add a dependency that the program does not know. */
    readonly mustBeRecent: boolean;
  };
  /** The ID of the lookup whose strings `check` found and returned, from which `create` and `update` select again. */
  readonly __cluster: string;
}

/** The arguments of the resource `ClusterConnectionStrings`, which may be outputs of other resources. */
export interface ClusterConnectionStringsArgs extends InputArgs<LookupArgs> {
  // As in GetConnectionStringsOutputArgs.
  readonly network?: Input<NetworkArgs | undefined>;
}

/**
 * The network that an application runs in. Every field may be an output of another resource.
 *
 * @example { kind: "privateEndpoint", endpointId: endpoint.id }
 */
export type NetworkArgs = NestedInputs<Network>;

/** The arguments of `getClusters`: a project, and which string of its clusters to recommend. */
export interface GetClustersArgs extends Omit<GetConnectionStringsArgs, "clusterName"> {
  /**
   * The names of the clusters to return. The call fails if one of them is missing or lacks the string.
   *
   * @default all clusters, with a warning about those that have no recommended string
   * @example ["orders", "billing"]
   */
  readonly names?: readonly string[] | undefined;
}

/** The arguments of `getClustersOutput`, which may be outputs of other resources. */
export interface GetClustersOutputArgs extends InputArgs<GetClustersArgs> {
  // As in GetConnectionStringsOutputArgs.
  readonly network?: Input<NetworkArgs | undefined>;
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

const { clusterName, ...querySchemasOfAll } = querySchemas;

/** The arguments of `getClusters`. @internal */
export const getClustersSchema = z.strictObject({
  ...querySchemasOfAll,
  names: z.optional(z.array(clusterName, mustBe("a list of names"))),
} satisfies SchemasOf<GetClustersArgs>);

/** A validated query, with its defaults. @internal */
export type Query = z.output<typeof querySchema>;

/** The arguments of the resource. @internal */
export const argsSchema = z.strictObject({
  ...querySchemas,
  waitSeconds: z._default(wholeSeconds, 0),
} satisfies SchemasOf<LookupArgs>);

/** Validated arguments of the resource, with their defaults. @internal */
export type ValidLookupArgs = z.output<typeof argsSchema>;

/** The defaults of the arguments; undefined for those without one. @internal */
export const defaults: Readonly<Record<string, unknown>> = Object.fromEntries(
  Object.entries(argsSchema.shape).map(([name, schema]) => [
    name,
    schema.safeParse(undefined).data,
  ]),
);
