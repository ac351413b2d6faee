/** The arguments of getPrivateIpModeReadiness. */
import * as z from "../api/zod";
import { problemsOf } from "../api/problems";
import { unknownArguments } from "../session/argumentNames";
import { ProviderError } from "../session/errors";

const args = z.strictObject({
  projectId: z
    .string("must be a project ID")
    .check(z.minLength(1, "must be a project ID, not empty")),
});

/**
 * Validates the arguments that a program passed.
 *
 * @param given the arguments
 * @returns the valid arguments
 * @throws ProviderError that names every invalid argument
 */
export function readReadinessArgs(given: unknown): z.output<typeof args> {
  const parsed = args.safeParse(given, { error: unknownArguments });
  if (parsed.success) return parsed.data;
  throw new ProviderError(
    `invalid arguments of getPrivateIpModeReadiness: ${problemsOf(parsed.error)}`,
  );
}
