/** The arguments of a lookup, for both the resource and the functions. */
import * as z from "../api/zod";
import { problemsOf } from "../api/problems";
import { unknownArguments } from "../session/argumentNames";
import { ProviderError } from "../session/errors";
import type { Query } from "./lookup";

const name = (what: string) =>
  z.string(`must be ${what}`).check(z.minLength(1, `must be ${what}, not empty`));

const network = z.discriminatedUnion(
  "kind",
  [
    z.strictObject({ kind: z.literal("internet") }),
    z.strictObject({ kind: z.literal("peering") }),
    z.strictObject({
      kind: z.literal("privateEndpoint"),
      endpointId: z.optional(name("an endpoint ID")),
      region: z.optional(name("a region")),
    }),
  ],
  'must be { kind: "internet" }, { kind: "peering" } or { kind: "privateEndpoint" }',
);

/** Identifies a cluster, and which of its strings to look up. */
const query = z.strictObject({
  projectId: name("a project ID"),
  clusterName: name("the name of a cluster"),
  network: z._default(network, { kind: "internet" }),
  form: z._default(z.enum(["srv", "hosts"], 'must be "srv" or "hosts"'), "srv"),
  optimized: z.optional(z.boolean("must be true or false")),
});

const seconds = z
  .number("must be a number of seconds")
  .check(z.nonnegative("must not be negative"), z.maximum(7200, "must be at most 7200"));

export const args = z.extend(query, { waitSeconds: z._default(seconds, 0) });

export type Args = z.output<typeof args>;

/** Validates the arguments of a function. Throws {@link ProviderError} if one is invalid. */
export function readQuery(given: unknown): Query {
  const parsed = query.safeParse(given, { error: unknownArguments });
  if (parsed.success) return parsed.data;
  throw new ProviderError(`invalid arguments of a lookup: ${problemsOf(parsed.error)}`);
}
