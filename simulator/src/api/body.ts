// Bodies of requests: JSON, declared as such, checked against a schema. A refusal names the field.
import type { z } from "zod";
import { ServiceError } from "../errors";

/** @throws {ServiceError} 400 */
export function parseJson(contentType: string | undefined, text: unknown): unknown {
  if (!/^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i.test(contentType ?? "")) {
    throw new ServiceError(
      400,
      "INVALID_CONTENT_TYPE",
      "A body is needed, with the header Content-Type: application/json.",
      ["Content-Type"],
    );
  }
  try {
    return JSON.parse(typeof text === "string" ? text : "");
  } catch {
    throw new ServiceError(400, "MALFORMED_JSON", "The body is not valid JSON.");
  }
}

/**
 * @param readOnly fields that exist but cannot be given here, so that the refusal can say so
 * @throws {ServiceError} 400 that names every field that is wrong
 */
export function parseBody<S extends z.ZodType>(
  schema: S,
  value: unknown,
  readOnly: readonly string[] = [],
): z.output<S> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const problems = result.error.issues.flatMap((issue) => {
    const path = issue.path.map(String);
    if (issue.code !== "unrecognized_keys")
      return [{ field: path.join("."), problem: issue.message }];
    return issue.keys.map((key) => ({
      field: [...path, key].join("."),
      problem: readOnly.includes(key) ? "cannot be set or changed" : "is not a known field",
    }));
  });
  const detail = problems
    .map(({ field, problem }) => (field === "" ? problem : `${field}: ${problem}`))
    .join("; ");
  throw new ServiceError(
    400,
    "INVALID_ATTRIBUTE",
    `Invalid body. ${detail}`,
    problems.map(({ field }) => field).filter((field) => field !== ""),
  );
}
