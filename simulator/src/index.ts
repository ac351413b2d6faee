/** clouddb-simulator: the administrative API of a managed cloud database service, on loopback. */
export type { Clock } from "./clock";
export type {
  ConnectionStrings,
  PrivateEndpointStrings,
} from "./connectionStrings/generate";
export type { Resolution, Vantage } from "./connectionStrings/resolution";
export { ServiceError } from "./errors";
export type { Fault, Faults } from "./faults";
export type { SimulatorOptions } from "./options";
export type { ReceivedRequest } from "./requestLog";
export { type Seed, type SeedCluster, SeedError, type SeedProject } from "./seed";
export { type ProjectControl, type Simulator, startSimulator } from "./simulator";
export type { Cluster, PrivateEndpoint } from "./store/cluster";
export { StateFileError } from "./store/stateFile";
