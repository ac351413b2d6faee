/**
 * Connection strings without Pulumi: `pulumi-clouddb/connection-strings`, for use in an application.
 * Nothing here makes a request to the service or loads Pulumi.
 */
export {
  type ClusterStrings,
  type PrivateEndpointStrings,
  type ServicePrivateEndpoint,
  type ServiceStrings,
  clusterStrings,
} from "./clusterStrings";
export { type DatabaseCredentials, withCredentials } from "./credentials";
export {
  ConnectionStringError,
  type ConnectionStringErrorCode,
  connectionStringErrorCodes,
} from "./errors";
export {
  type Classification,
  type ClassifyOptions,
  type LegacyString,
  type Node,
  type OptimizedPrivateEndpointString,
  type PeeringPrivateString,
  type PrivateEndpointString,
  type StandardString,
  type UnknownString,
  classify,
  clusterDomain,
} from "./kinds";
export { isLegacy, legacyToStandard } from "./legacy";
export {
  type CloudProvider,
  type OptimizedSrvCondition,
  type OptimizedSrvEligibility,
  type OptimizedSrvFacts,
  type UnmetCondition,
  optimizedSrvEligibility,
} from "./optimizedSrv";
export {
  type ConnectionStringParts,
  type Host,
  type ParsedConnectionString,
  format,
  parse,
} from "./parsing";
export {
  type Advice,
  type ProviderChange,
  type ProviderChangePlan,
  type StringChange,
  planProviderChange,
} from "./providerChange";
export {
  type ConnectionStringKind,
  type Network,
  type Selection,
  type Wanted,
  select,
} from "./selection";
