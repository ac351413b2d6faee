/** Validates values, and reports every problem with its path; dates and IDs. */
import { z } from "zod";
import { SeedError } from "../errors";

/** Validates a value, and returns it with its defaults. Throws a SeedError; `what` is its subject: `The seed`. */
export function parse<S extends z.ZodType>(schema: S, value: unknown, what: string): z.output<S> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw invalid(what, result.error.issues);
}

/** What is wrong with a part of a value. Never contains the value, which may be a secret. */
export type Issue = Readonly<Pick<z.core.$ZodIssue, "path" | "message">>;

/** Creates the error for an invalid value, with the path of each problem. */
export function invalid(what: string, issues: readonly Issue[]): SeedError {
  return new SeedError(`${what} is not valid:\n${z.prettifyError({ issues })}`);
}

/** Formats a date as in API responses. */
export function isoDate(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace(".000Z", "Z");
}

/** A duration of at most 30 years. The state file cannot store the date that a longer one could lead to. */
export const secondsSchema = z.number().min(0).max(1e9);

/** ID of a project, cluster or organization: 24 hexadecimal digits. */
export const idSchema = z.string().regex(/^[0-9a-f]{24}$/, "must be 24 hexadecimal digits");

/** A date in ISO 8601; UTC unless it has a time zone (service document 2.5). The output is in UTC. */
export const dateSchema = z
  .union(
    [z.iso.date(), z.iso.datetime({ offset: true, local: true })],
    "must be an ISO 8601 date, e.g. 2024-05-01T00:00:00Z",
  )
  .transform((text) => {
    const isLocal = /T[^Z+-]*$/.test(text);
    return isoDate(Date.parse(isLocal ? `${text}Z` : text));
  });
