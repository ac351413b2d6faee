/** clouddb-simulator: the administrative API of a managed cloud database service, on loopback. */
export type { Resolution, Vantage } from "./connectionStrings/resolvedHosts";
export type {
  ConnectionStrings,
  PrivateEndpointStrings,
  StringsEndpoint,
} from "./connectionStrings/strings";
export type { ProjectControl } from "./projectControl";
export type {
  CloudProvider,
  ClusterState,
  ClusterTier,
  ClusterType,
  ReportedVersions,
  SeedAdditionalRegion,
  SeedCluster,
  SeedPrivateEndpoint,
  SeedTransition,
  StringKind,
} from "./seed/clusterFormat";
export type {
  PrivateIpMode,
  Role,
  Seed,
  SeedApiKey,
  SeedCredential,
  SeedOrganization,
  SeedProject,
  SeedRole,
  SeedServiceAccount,
} from "./seed/format";
export { SeedError } from "./seed/seedError";
export type {
  DnsOptions,
  SimulatorOptions,
  SimulatorSettings,
  VersionedResource,
  VersionOptions,
} from "./seed/simulatorOptions";
export type { Fault, Faults } from "./server/fault";
export type { ReceivedRequest } from "./server/requestLog";
export { type DnsAddresses, type Simulator, startSimulator } from "./simulator";
export type { Clock } from "./store/clock";
export type { AdditionalRegion, Cluster, PrivateEndpoint } from "./store/cluster";
export { ServiceError } from "./store/serviceError";
export { StateFileError } from "./store/stateFileError";
