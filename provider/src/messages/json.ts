/** Reads JSON from other programs. */
import { ProviderError } from "./errors";
import { plainWords } from "./schemaErrors";
import { problemsOf } from "./text";
import type * as z from "./zod";

/** Reads JSON of a known shape. The error does not quote it, because it may contain secrets. */
export function parseJson<T>(text: string, schema: z.ZodMiniType<T>, name: string): T {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new ProviderError(`${name} is not JSON.`);
  }
  const { success, data, error } = schema.safeParse(value, plainWords);
  if (success) return data;
  throw new ProviderError(`${name} is invalid: ${problemsOf(error)}.`);
}
