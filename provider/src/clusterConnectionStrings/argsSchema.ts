/** Validates the arguments of a lookup, for both the resource and the functions. */
import type { Network } from "clouddb-connection-strings";
import * as z from "../api/zod";
import type { Unwrap } from "../program/sdk";
import { projectIdSchema, readArguments, requiredName } from "../session/arguments";
import type { ClusterConnectionStringsArgs, GetConnectionStringsArgs } from "./args";

/** A schema for each argument, which accepts exactly the argument's type. */
type SchemasOf<Args> = {
  readonly [Name in keyof Required<Args>]: z.ZodMiniType<unknown, Unwrap<Args[Name]>>;
};

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
  'must be { kind: "internet" }, { kind: "peering" } or { kind: "privateEndpoint" }',
) satisfies z.ZodMiniType<Network>;

const seconds = z
  .number("must be a number of seconds")
  .check(z.nonnegative("must not be negative"), z.maximum(7200, "must be at most 7200"));

const querySchemas = {
  projectId: projectIdSchema,
  clusterName: requiredName("the name of a cluster"),
  network: z._default(network, { kind: "internet" }),
  form: z._default(z.enum(["srv", "hosts"], 'must be "srv" or "hosts"'), "srv"),
  optimized: z.optional(z.boolean("must be true or false")),
} satisfies SchemasOf<GetConnectionStringsArgs>;

/** Identifies a cluster, and which of its strings to recommend. */
export const querySchema = z.strictObject(querySchemas);

/** A validated query, with its defaults. */
export type Query = z.output<typeof querySchema>;

/** The arguments of the resource. */
export const argsSchema = z.strictObject({
  ...querySchemas,
  waitSeconds: z._default(seconds, 0),
} satisfies SchemasOf<ClusterConnectionStringsArgs>);

/** Validated arguments of the resource, with their defaults. */
export type Args = z.output<typeof argsSchema>;

/**
 * Validates the arguments of a function.
 *
 * @param args the arguments as the program passes them
 * @returns the query, with its defaults
 * @throws ProviderError that names every invalid argument
 */
export function readQuery(args: unknown): Query {
  return readArguments(querySchema, "lookup arguments", args);
}
