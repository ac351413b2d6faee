/** The public API for Pulumi programs. */
export {
  ClusterConnectionStrings,
  type ClusterConnectionStringsArgs,
  type NetworkArgs,
} from "./clusterConnectionStrings/resource";
export {
  type GetConnectionStringsArgs,
  type GetConnectionStringsOutputArgs,
  type GetConnectionStringsResult,
  type WithCredentialsArgs,
  getConnectionStrings,
  getConnectionStringsOutput,
  withCredentials,
} from "./clusterConnectionStrings/functions";
export { type PrivateEndpointStrings } from "clouddb-connection-strings";
export { type ConnectionStringKind, type Network } from "clouddb-connection-strings";
export {
  type PrivateIpModeReadinessArgs,
  getPrivateIpModeReadiness,
  getPrivateIpModeReadinessOutput,
} from "./privateIpMode/functions";
export { type ClusterVersion, type PrivateIpModeReadiness } from "./privateIpMode/readiness";
export { PrivateIpMode, type PrivateIpModeArgs } from "./privateIpMode/resource";
export { Provider, type ProviderArgs } from "./program/provider";
