/** Connection strings without Pulumi: `pulumi-clouddb/connection-strings`, for use in an application. */
export { type ClusterStrings, type PrivateEndpointStrings } from "./clusterStrings";
export { type Classification, classify } from "./kinds";
export { type Host, type ParsedConnectionString, parseConnectionString } from "./parsing";
export {
  type ConnectionStringKind,
  type Network,
  type Selection,
  type Wanted,
  select,
} from "./selection";
