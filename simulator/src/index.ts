/** clouddb-simulator: the administrative API of a managed cloud database service, on loopback. */
export type { Resolution, Vantage } from "./connectionStrings/resolution";
export type { ConnectionStrings, PrivateEndpointStrings } from "./connectionStrings/strings";
export type { ProjectControl } from "./projectControl";
export type { SeedCluster } from "./seed/clusterSchema";
export type { SimulatorOptions } from "./seed/options";
export type { SeedProject } from "./seed/projectSchema";
export type { Seed } from "./seed/seed";
export { SeedError } from "./seed/validation";
export type { Fault, Faults } from "./server/faults";
export type { ReceivedRequest } from "./server/requestLog";
export { type DnsAddresses, type Simulator, startSimulator } from "./simulator";
export type { Clock } from "./store/clock";
export type { Cluster, PrivateEndpoint } from "./store/cluster";
export { ServiceError } from "./store/serviceError";
export { StateFileError } from "./store/stateFile";
