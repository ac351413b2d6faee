/** The functions that a Pulumi program calls without a resource. */
import { fromProgram, fromProgramOutput } from "../program/calls";
import * as pulumi from "../program/sdk";
import type { Bound } from "../service/clusterLists";
import type { Session } from "../service/session";
import type {
  GetClustersArgs,
  GetClustersOutputArgs,
  GetConnectionStringsArgs,
  GetConnectionStringsOutputArgs,
} from "./args";
import type * as FindClustersModule from "./findClusters";
import type * as LookupModule from "./lookup";
import type { GetClustersResult, GetConnectionStringsResult } from "./outputs";

/**
 * Looks up the connection strings of a cluster. Records nothing in the state. Calls share a list of clusters if it was
 * requested after everything that they depend on had ended, and not long before the call.
 *
 * @param args the cluster, and which of its strings to recommend
 * @param options `provider` selects the settings to use. Default: the stack's settings.
 * @returns every string of the cluster, and the recommended one
 * @throws `RunError` if an argument is invalid, if the cluster or the requested string does not exist,
 *   if the provider is not a `clouddb.Provider`, or if a request to the service fails
 * @example
 * const found = clouddb.getConnectionStrings({ projectId, clusterName: "orders" });
 * export const databaseUrl = found.then(({ recommended }) => recommended);
 */
export function getConnectionStrings(
  args: GetConnectionStringsArgs,
  options?: pulumi.InvokeOptions,
): Promise<GetConnectionStringsResult> {
  return fromProgram(args, options, connectionStringsLookup);
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
  return fromProgramOutput(pulumi.output(args), options, connectionStringsLookup);
}

/**
 * Lists the clusters of a project, with their connection strings. Records nothing in the state. Shares lists as
 * {@link getConnectionStrings} does, so without `names`, a cluster that this update creates may be missing unless
 * `dependsOn` or an argument names its resource.
 *
 * @param args the project, and which string of which clusters to recommend
 * @param options `provider` selects the settings to use. Default: the stack's settings.
 * @returns every cluster of the project or those in `names`, sorted by name
 * @throws `RunError` if an argument is invalid, if a cluster in `names` is missing or lacks the string, if `names` is
 *   omitted and the list may be incomplete or contains a record without a name, if the provider is not a
 *   `clouddb.Provider`, or if a request to the service fails
 * @example
 * const found = clouddb.getClusters({ projectId, names: ["orders", "billing"] });
 * export const urls = found.then(({ clusters }) => clusters.map(({ recommended }) => recommended));
 */
export function getClusters(
  args: GetClustersArgs,
  options?: pulumi.InvokeOptions,
): Promise<GetClustersResult> {
  return fromProgram(args, options, clustersLookup);
}

/**
 * Like {@link getClusters}, but accepts outputs of other resources.
 *
 * @param args the project, and which string of which clusters to recommend
 * @param options `provider` selects the settings to use. Default: the stack's settings.
 * @returns unknown in a preview until every argument is known; fails with a `RunError` if the call fails
 * @throws `RunError` if the provider is not a `clouddb.Provider`
 * @example
 * const { clusters } = clouddb.getClustersOutput({ projectId: project.id });
 * export const names = clusters.apply((all) => all.map(({ name }) => name));
 */
export function getClustersOutput(
  args: GetClustersOutputArgs,
  options?: pulumi.InvokeOutputOptions,
): pulumi.Output<GetClustersResult> {
  return fromProgramOutput(pulumi.output(args), options, clustersLookup);
}

const connectionStringsLookup = {
  token: "clouddb:index:getConnectionStrings",
  work: (session: Session, args: unknown, bound: Bound) =>
    lookupModule().findConnectionStrings(session, args, bound),
};

const clustersLookup = {
  token: "clouddb:index:getClusters",
  work: (session: Session, args: unknown, bound: Bound) =>
    findClustersModule().findClusters(session, args, bound),
};

// These load the client and the schemas on the first call (docs/internals/decisions.md#0014-measured-optimizations).

function lookupModule(): typeof LookupModule {
  // oxlint-disable-next-line typescript/no-unsafe-return -- see above
  return require("./lookup");
}

function findClustersModule(): typeof FindClustersModule {
  // oxlint-disable-next-line typescript/no-unsafe-return -- see above
  return require("./findClusters");
}
