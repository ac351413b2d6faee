/** The public API for Pulumi programs. */
export type {
  ClusterConnectionStringsArgs,
  GetConnectionStringsArgs,
  GetConnectionStringsOutputArgs,
  NetworkArgs,
} from "./clusterConnectionStrings/args";
export {
  getConnectionStrings,
  getConnectionStringsOutput,
} from "./clusterConnectionStrings/functions";
export type { GetConnectionStringsResult } from "./clusterConnectionStrings/outputs";
export { ClusterConnectionStrings } from "./clusterConnectionStrings/resource";
export {
  type WithCredentialsArgs,
  withCredentials,
} from "./clusterConnectionStrings/withCredentials";
export type {
  ConnectionStringKind,
  Network,
  PrivateEndpointStrings,
} from "clouddb-connection-strings";
export {
  type GetPrivateIpModeReadinessOutputArgs,
  type PrivateIpModeReadinessArgs,
  getPrivateIpModeReadiness,
  getPrivateIpModeReadinessOutput,
} from "./privateIpMode/functions";
export type { ClusterVersion, PrivateIpModeReadiness } from "./privateIpMode/readinessResult";
export { PrivateIpMode, type PrivateIpModeArgs } from "./privateIpMode/resource";
export { Provider, type ProviderArgs } from "./program/provider";
