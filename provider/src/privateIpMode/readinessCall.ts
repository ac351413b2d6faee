/** Implements `getPrivateIpModeReadiness`. functions.ts loads this module on the first call. */
import { problemsOf } from "../api/problems";
import * as z from "../api/zod";
import { unknownArguments } from "../session/argumentNames";
import { ProviderError } from "../session/errors";
import { requiredName } from "../session/requiredName";
import type { Session } from "../session/session";
import { type PrivateIpModeReadiness, readReadiness } from "./readiness";

const argsSchema = z.strictObject({
  projectId: requiredName("a project ID"),
});

/**
 * Validates the arguments and reads the readiness of the project.
 *
 * @param session the session that provides the requests and cluster lists
 * @param args the arguments as the program passes them
 * @returns whether the mode can be disabled, and which clusters prevent it
 * @throws ProviderError if an argument is invalid; ApiError if the service fails
 */
export async function findReadiness(
  session: Session,
  args: unknown,
): Promise<PrivateIpModeReadiness> {
  const parsed = argsSchema.safeParse(args, { error: unknownArguments });
  if (parsed.success) return await readReadiness(session, parsed.data.projectId);
  throw new ProviderError(
    `invalid arguments for getPrivateIpModeReadiness: ${problemsOf(parsed.error)}`,
  );
}
