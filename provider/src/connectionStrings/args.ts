/** The arguments of a lookup, as the resource and the functions take them. */
import * as z from "zod";
import { problemsOf } from "../api/problems";
import { ProviderError } from "../engine/errors";
import type { Query } from "./lookup";

const name = (what: string) => z.string(`must be ${what}`).min(1, `must be ${what}, not empty`);

/** A cluster, and which of its strings. */
const query = z.strictObject({
  projectId: name("a project ID"),
  clusterName: name("the name of a cluster"),
  network: z
    .discriminatedUnion(
      "kind",
      [
        z.strictObject({ kind: z.literal("internet") }),
        z.strictObject({ kind: z.literal("peering") }),
        z.strictObject({
          kind: z.literal("privateEndpoint"),
          endpointId: name("an endpoint id").optional(),
          region: name("a region").optional(),
        }),
      ],
      'must be { kind: "internet" }, { kind: "peering" } or { kind: "privateEndpoint" }',
    )
    .default({ kind: "internet" }),
  form: z.enum(["srv", "hosts"], 'must be "srv" or "hosts"').default("srv"),
  optimized: z.boolean("must be true or false").optional(),
});

export const args = query.extend({
  waitSeconds: z
    .number("must be a number of seconds")
    .nonnegative("must not be negative")
    .max(7200, "must be at most 7200")
    .default(0),
});

export type Args = z.output<typeof args>;

/** Reads the arguments of a function. Throws {@link ProviderError}. */
export function readQuery(given: unknown): Query {
  const parsed = query.safeParse(given);
  if (parsed.success) return parsed.data;
  throw new ProviderError(`the arguments of a lookup are wrong: ${problemsOf(parsed.error)}`);
}
