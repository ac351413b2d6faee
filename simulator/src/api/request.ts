/** Parses `pretty` and `envelope`, and paging on lists (service document 4.2 and 4.3), and ignores other parameters. */
import { z } from "zod";
import { ServiceError, invalidAttribute } from "../errors";
import type { Settings } from "../seed/settings";

/** The names of what a list takes and returns. */
export type ListNames = Pick<
  Settings,
  "pageParameter" | "pageSizeParameter" | "countParameter" | "countField"
>;

/** Query parameters as strings; arrays if repeated. */
export type RawQuery = Readonly<Record<string, string | string[]>>;

/** Largest page size (service document 8). */
const maxItemsPerPage = 500;
const maxPage = 1_000_000_000;

const boolean = z.enum(["true", "false"]).transform((text) => text === "true");
const wholeNumber = (maximum: number) =>
  z
    .string()
    .regex(/^\d{1,10}$/, "must be a whole number")
    .transform(Number)
    .pipe(z.int().min(1).max(maximum));
const commonParameters = z.object({
  pretty: boolean.prefault("false"),
  envelope: boolean.prefault("false"),
});
const listParameters = commonParameters.extend({
  page: wholeNumber(maxPage).prefault("1"),
  pageSize: wholeNumber(maxItemsPerPage).prefault("100"),
  includeCount: boolean.prefault("true"),
});
/** Parsed query parameters with their defaults. */
export type Query = Readonly<z.output<typeof listParameters>>;
const noPaging = { page: 1, pageSize: maxItemsPerPage, includeCount: false };

export function parseQuery(raw: RawQuery, isList: boolean, names: ListNames): Query {
  const nameOf: Readonly<Record<string, string>> = {
    pretty: "pretty",
    envelope: "envelope",
    page: names.pageParameter,
    pageSize: names.pageSizeParameter,
    includeCount: names.countParameter,
  };
  const values = Object.entries(nameOf).map(([key, name]) => [key, raw[name]] as const);
  const parameters = isList ? listParameters : commonParameters;
  const result = parameters.safeParse(Object.fromEntries(values));
  if (result.success) return { ...noPaging, ...result.data };
  const [
    {
      path: [key = ""],
      message,
    } = { path: [], message: "" },
  ] = result.error.issues;
  const name = nameOf[String(key)] ?? "";
  const detail = `The query parameter "${name}" is invalid: ${message}.`;
  throw new ServiceError(400, "INVALID_QUERY_PARAMETER", detail, [name]);
}

export function parseJson(contentType: string | undefined, text: unknown): unknown {
  if (!/^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i.test(contentType ?? "")) {
    throw new ServiceError(
      400,
      "INVALID_CONTENT_TYPE",
      "A JSON body with the header Content-Type: application/json is required.",
      ["Content-Type"],
    );
  }
  try {
    return JSON.parse(typeof text === "string" ? text : "");
  } catch {
    throw new ServiceError(400, "MALFORMED_JSON", "The body is not valid JSON.");
  }
}

/** Validates a body. An error names every invalid field, and says which ones only the service can set. */
export function parseBody<S extends z.ZodType>(
  schema: S,
  value: unknown,
  readOnly: readonly string[] = [],
): z.output<S> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const problems = result.error.issues.flatMap((issue) => {
    if (issue.code !== "unrecognized_keys") return [{ path: issue.path, message: issue.message }];
    return issue.keys.map((key) => ({
      path: [...issue.path, key],
      message: readOnly.includes(key) ? "cannot be set or changed" : "is not a known field",
    }));
  });
  const detail = problems
    .map(({ path, message }) =>
      path.length === 0 ? message : `${z.core.toDotPath(path)}: ${message}`,
    )
    .join("; ");
  const fields = problems.filter(({ path }) => path.length > 0).map(({ path }) => path.join("."));
  throw invalidAttribute(`Invalid body. ${detail}`, ...fields);
}
