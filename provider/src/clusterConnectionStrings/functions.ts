/** The lookups that a Pulumi program calls without a resource. */
import { fromProgram, fromProgramOutput } from "../program/programSession";
import * as pulumi from "../program/sdk";
import type { Session } from "../session/session";
import type { GetConnectionStringsArgs, GetConnectionStringsOutputArgs } from "./args";
import type * as LookupCall from "./lookupCall";
import type { GetConnectionStringsResult } from "./outputs";

/**
 * Looks up the connection strings of a cluster. Records nothing in the state. All calls share one list
 * of clusters per project.
 *
 * @param args the cluster, and which of its strings to recommend
 * @param options `provider` selects the settings to use. Default: the stack's settings.
 * @returns every string of the cluster, and the recommended one
 * @throws `RunError` if an argument is invalid, if the cluster or the requested string does not exist,
 *   if the provider is not a `clouddb.Provider`, or if a request to the service fails
 * @example
 * const { recommended } = await clouddb.getConnectionStrings({ projectId, clusterName: "orders" });
 */
export function getConnectionStrings(
  args: GetConnectionStringsArgs,
  options?: pulumi.InvokeOptions,
): Promise<GetConnectionStringsResult> {
  return fromProgram(args, options, findConnectionStrings);
}

/**
 * Like {@link getConnectionStrings}, but accepts outputs of other resources.
 *
 * @param args the cluster, and which of its strings to recommend
 * @param options `provider` selects the settings to use. Default: the stack's settings.
 * @returns unknown in a preview until every argument is known; fails with a `RunError` if the call fails
 * @throws `RunError` if the provider is not a `clouddb.Provider`
 * @example
 * const orders = clouddb.getConnectionStringsOutput({ projectId: project.id, clusterName: "orders" });
 * export const databaseUrl = orders.recommended;
 */
export function getConnectionStringsOutput(
  args: GetConnectionStringsOutputArgs,
  options?: pulumi.InvokeOutputOptions,
): pulumi.Output<GetConnectionStringsResult> {
  return fromProgramOutput(pulumi.output(args), options, findConnectionStrings);
}

/** Loads the client and the schemas on the first call (docs/decisions/0014-start-up.md). */
function findConnectionStrings(session: Session, args: unknown) {
  // eslint-disable-next-line @typescript-eslint/no-require-imports, @typescript-eslint/no-unsafe-assignment -- see above
  const call: typeof LookupCall = require("./lookupCall");
  return call.findConnectionStrings(session, args);
}
