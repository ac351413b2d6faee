/**
 * The package `clouddb-connection-strings` parses, diagnoses, classifies and selects connection strings, and adds
 * credentials to them, as the [service document](https://github.com/pulumi-clouddb/pulumi-clouddb/blob/main/docs/internals/service.md#26-connection-strings) says.
 * It makes no requests, and needs no Pulumi.
 */
export {
  type Classification,
  type ClassifyOptions,
  type LegacyString,
  type OptimizedPrivateEndpointString,
  type PeeringPrivateString,
  type PrivateEndpointString,
  type StandardString,
  type UnknownString,
  classify,
  clusterDomain,
} from "./classification";
export { type ClusterStrings, clusterStrings } from "./clusterStrings";
export {
  type CredentialOptions,
  type DatabaseCredentials,
  type OptionValue,
  type UrlWithWarnings,
  addCredentials,
  formatWithCredentials,
  withCredentials,
} from "./credentials";
export { diagnose } from "./diagnosis";
export type { Degree, Finding } from "./rules/drivers";
export {
  ConnectionStringError,
  type ConnectionStringErrorCode,
  connectionStringErrorCodes,
} from "./errors";
export {
  type ConnectionStringParts,
  type Host,
  type ParsedConnectionString,
  type StringForm,
  format,
  parse,
} from "./parsing";
export type { EndpointPlace, PrivateEndpointStrings } from "./privateEndpoints";
export {
  type ConnectionStringKind,
  type Network,
  type PrivateEndpointNetwork,
  type Selection,
  type Wanted,
  select,
} from "./selection";
