/** The public API for Pulumi programs. */
export type {
  ClusterConnectionStringsArgs,
  GetClustersArgs,
  GetClustersOutputArgs,
  GetConnectionStringsArgs,
  GetConnectionStringsOutputArgs,
  NetworkArgs,
} from "./clusterConnectionStrings/args";
export type {
  GetClustersResult,
  GetConnectionStringsResult,
  ListedCluster,
} from "./clusterConnectionStrings/outputs";
export {
  getClusters,
  getClustersOutput,
  getConnectionStrings,
  getConnectionStringsOutput,
} from "./clusterConnectionStrings/functions";
export type { DatabaseUrlArgs } from "./databaseUrl/args";
export { DatabaseUrl } from "./databaseUrl/resource";
export { type ErrorCode, errorCodes } from "./messages/errors";
export { ClusterConnectionStrings } from "./clusterConnectionStrings/resource";
export type {
  ConnectionStringKind,
  Network,
  PrivateEndpointStrings,
} from "clouddb-connection-strings";
export type { PrivateIpModeArgs } from "./privateIpMode/args";
export { PrivateIpMode } from "./privateIpMode/resource";
export { Provider, type ProviderArgs } from "./program/provider";
