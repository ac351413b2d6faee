/** Implements `getPrivateIpModeReadiness`. functions.ts loads this module on the first call. */
import * as z from "../api/zod";
import { projectIdSchema, readArguments } from "../session/arguments";
import type { Session } from "../session/session";
import { readReadiness } from "./readiness";
import type { PrivateIpModeReadiness } from "./readinessResult";

const argsSchema = z.strictObject({
  projectId: projectIdSchema,
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
  const description = "arguments for getPrivateIpModeReadiness";
  const { projectId } = readArguments(argsSchema, description, args);
  return await readReadiness(session, projectId);
}
