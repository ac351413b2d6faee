/** clouddb-simulator: the administrative API of a managed cloud database service, on loopback. */
export type { ProjectControl } from "./store/store";
export type {
  CloudProvider,
  ClusterState,
  ClusterTier,
  ClusterType,
  Profile,
  ReportedVersions,
  SeedAdditionalRegion,
  SeedCluster,
  SeedPrivateEndpoint,
  StringKind,
} from "./seed/cluster";
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
} from "./seed/seed";
export type {
  DnsOptions,
  SimulatorOptions,
  SimulatorSettings,
} from "./seed/settings";
export type { Fault, Faults } from "./server/faults";
export type { ReceivedRequest } from "./server/requestLog";
export { type DnsAddresses, type Simulator, startSimulator } from "./simulator";
export type { Clock } from "./store/clock";
export type { AdditionalRegion, Cluster, PrivateEndpoint } from "./store/cluster";
export { SeedError, ServiceError, StateFileError } from "./errors";
