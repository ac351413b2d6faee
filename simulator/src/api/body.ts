/** Parses and validates JSON request bodies. Errors name the invalid fields. */
import type { z } from "zod";
import { ServiceError } from "../store/serviceError";

/**
 * Parses a JSON body.
 *
 * @param contentType the `Content-Type` header
 * @param text the body
 * @returns the parsed value
 * @throws ServiceError 400 if the content type is not JSON or the body is malformed
 */
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

/**
 * Validates a body.
 *
 * @param schema the schema of the body
 * @param value the parsed body
 * @param readOnly fields that only the service can set; their error says so. Default: none
 * @returns the valid body
 * @throws ServiceError 400 that names every invalid field
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
