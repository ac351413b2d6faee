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
  type WithCredentialsArgs,
  getClusters,
  getClustersOutput,
  getConnectionStrings,
  getConnectionStringsOutput,
  withCredentials,
} from "./clusterConnectionStrings/functions";
export { type ErrorCode, errorCodes } from "./messages/codes";
export { ClusterConnectionStrings } from "./clusterConnectionStrings/resource";
export type {
  ConnectionStringKind,
  Network,
  PrivateEndpointStrings,
} from "clouddb-connection-strings";
export type { PrivateIpModeArgs } from "./privateIpMode/args";
export { PrivateIpMode } from "./privateIpMode/resource";
export { Provider, type ProviderArgs } from "./program/provider";
