/** The public API for Pulumi programs. */
export {
  ClusterConnectionStrings,
  type ClusterConnectionStringsArgs,
  type NetworkArgs,
} from "./connectionStrings/resource";
export {
  type GetConnectionStringsArgs,
  type GetConnectionStringsOutputArgs,
  type GetConnectionStringsResult,
  type WithCredentialsArgs,
  getConnectionStrings,
  getConnectionStringsOutput,
  withCredentials,
} from "./connectionStrings/functions";
export { type PrivateEndpointStrings } from "./connectionStrings/clusterStrings";
export { type ConnectionStringKind, type Network } from "./connectionStrings/selection";
export {
  type PrivateIpModeReadinessArgs,
  getPrivateIpModeReadiness,
  getPrivateIpModeReadinessOutput,
} from "./privateIpMode/functions";
export { type ClusterVersion, type PrivateIpModeReadiness } from "./privateIpMode/readiness";
export { PrivateIpMode, type PrivateIpModeArgs } from "./privateIpMode/resource";
export { Provider, type ProviderArgs } from "./engine/provider";
