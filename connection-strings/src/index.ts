/**
 * The package `clouddb-connection-strings` parses, diagnoses, classifies and selects connection strings, and adds
 * credentials to them, as the [service document](https://github.com/pulumi-clouddb/pulumi-clouddb/blob/main/docs/internals/service.md#26-connection-strings) says.
 * It makes no requests, and needs no Pulumi.
 */

// Where to look:
// - How is a string read? parsing.ts, options.ts
// - What is wrong with text that cannot be parsed? diagnosis.ts
// - What is wrong with a string? rules/findings.ts, which asks the other files of rules/
// - What do drivers refuse? rules/optionValues.ts for a value, rules/combinations.ts for several options and the user
// - What does nobody mean, such as placeholders? rules/mistakes.ts
// - What can callers of withCredentials pass? arguments.ts; what becomes of it? credentials.ts
// - Which string is it, and which one does a network need? classification.ts, clusterStrings.ts, selection.ts
// - Is a string reachable? check/gather.ts asks, check/rows.ts describes, check/reasons.ts says why not

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
