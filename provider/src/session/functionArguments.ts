/** Validates the arguments of a function that a program calls. */
import { problemsOf } from "../api/problems";
import type * as z from "../api/zod";
import { unknownArguments } from "./argumentNames";
import { ProviderError } from "./errors";

/**
 * Validates the arguments of a function.
 *
 * @param schema the arguments of the function
 * @param description what the arguments are, for the message: `invalid <description>: ...`
 * @param args the arguments as the program passes them
 * @returns the arguments with the defaults of the schema
 * @throws {@link ProviderError} that names every invalid argument
 */
export function readArguments<T>(schema: z.ZodMiniType<T>, description: string, args: unknown): T {
  const parsed = schema.safeParse(args, { error: unknownArguments });
  if (parsed.success) return parsed.data;
  throw new ProviderError(`invalid ${description}: ${problemsOf(parsed.error)}`);
}
