/** Validates values, and reports every problem with its path; dates and IDs. */
import { z } from "zod";
import { SeedError, escapeText } from "../errors";

export interface Problem {
  readonly path: readonly PropertyKey[];
  /** What is wrong, after the path. Never contains the value, which may be a secret. */
  readonly text: string;
  /** Whether the field does not exist. */
  readonly isUnknown?: boolean;
}

/** Validates a value: returns it with its defaults, or every problem in plain words. */
export function validate<S extends z.ZodType>(
  schema: S,
  value: unknown,
): { readonly data: z.output<S> } | { readonly problems: Problem[] } {
  const result = schema.safeParse(value, { error: plainWords });
  if (result.success) return { data: result.data };
  const problems = result.error.issues.flatMap((issue): Problem[] =>
    issue.code === "unrecognized_keys"
      ? issue.keys.map((key) => ({
          path: [...issue.path, key],
          text: "is not a known field",
          isUnknown: true,
        }))
      : [{ path: issue.path, text: issue.message }],
  );
  return { problems };
}

/** Like `validate`, but throws a SeedError with the path of each problem. */
export function parse<S extends z.ZodType>(schema: S, value: unknown, what: string): z.output<S> {
  const result = validate(schema, value);
  if ("data" in result) return result.data;
  throw invalid(what, result.problems);
}

/** Creates the error for an invalid value; `what` is the subject of its message: `The seed`. */
export function invalid(what: string, problems: readonly Problem[]): SeedError {
  const lines = problems.map(
    ({ path, text }) => `  ${escapeText(pathOf(path))}: ${escapeText(text)}`,
  );
  return new SeedError(`${what} is not valid:\n${lines.join("\n")}`);
}

/** Formats a path like `projects[0].clusters[2].version`. */
function pathOf(path: readonly PropertyKey[]): string {
  const text = path
    .map((part) => (typeof part === "number" ? `[${part}]` : `.${String(part)}`))
    .join("")
    .replace(/^\./, "");
  return text === "" ? "(root)" : text;
}

const typeNames: Readonly<Record<string, string>> = {
  string: "text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  record: "an object",
};

/** Describes an issue without the terms of zod; undefined if the schema has a message for it. */
function plainWords(issue: z.core.$ZodRawIssue): string | undefined {
  const isMissing = issue.input === undefined;
  switch (issue.code) {
    case "invalid_type":
      return isMissing ? "is required" : `must be ${typeNames[issue.expected] ?? issue.expected}`;
    case "invalid_value":
      return isMissing
        ? "is required"
        : `must be ${issue.values.map((value) => JSON.stringify(value)).join(" or ")}`;
    case "too_small":
      return `must ${quantity(issue.origin, "at least", issue.minimum)}`;
    case "too_big":
      return `must ${quantity(issue.origin, "at most", issue.maximum)}`;
    case "invalid_union":
      return isMissing ? "is required" : "has a value that is not supported";
    default:
      return undefined;
  }
}

function quantity(origin: string, limit: string, count: number | bigint): string {
  if (origin === "string")
    return `have ${limit} ${count} character${Number(count) === 1 ? "" : "s"}`;
  if (origin === "array") return `have ${limit} ${count} item${Number(count) === 1 ? "" : "s"}`;
  return `be ${limit} ${count}`;
}

/** Formats a date as in API responses. */
export function isoDate(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace(".000Z", "Z");
}

/** A duration, of 30 years at most: a time that is not a number could not be read from the state file again. */
export const secondsSchema = z.number().min(0).max(1e9);

/** ID of a project, cluster or organization: 24 hexadecimal digits. */
export const idSchema = z.string().regex(/^[0-9a-f]{24}$/, "must be 24 hexadecimal digits");

/**
 * A date in ISO 8601; UTC unless it has a time zone (service document 2.5). The output is in UTC,
 * without milliseconds if they are zero.
 */
export const dateSchema = z
  .union(
    [z.iso.date(), z.iso.datetime({ offset: true, local: true })],
    "must be an ISO 8601 date, e.g. 2024-05-01T00:00:00Z",
  )
  .transform((text) => {
    const isLocal = /T[^Z+-]*$/.test(text);
    return isoDate(Date.parse(isLocal ? `${text}Z` : text));
  });
