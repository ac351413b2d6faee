/** Implements `getConnectionStrings`. functions.ts loads this module on the first call. */
import { ProviderError } from "../session/errors";
import type { Session } from "../session/session";
import { readQuery } from "./argsSchema";
import { lookUp } from "./lookup";
import type { GetConnectionStringsResult } from "./outputs";

/**
 * Validates the arguments and looks the strings up.
 *
 * @param session the session that provides the cluster lists
 * @param args the arguments as the program passes them
 * @returns the strings of the cluster
 * @throws ProviderError if an argument is invalid, or if the cluster or the string does not exist;
 *   ApiError if the service fails
 */
export async function findConnectionStrings(
  { listing }: Session,
  args: unknown,
): Promise<GetConnectionStringsResult> {
  const query = readQuery(args);
  const lookup = await lookUp(listing, query);
  if (lookup.kind !== "found") throw new ProviderError(lookup.problem, lookup.property);
  const { projectId, clusterName } = query;
  return { projectId, clusterName, ...lookup.strings };
}
