// Every operation of the API.
import type { Operation } from "./operation";
import { clusterOperations } from "./routes/clusters";
import { privateIpModeOperations } from "./routes/privateIpMode";
import { projectOperations } from "./routes/projects";
import { rootOperations } from "./routes/root";

export const OPERATIONS: readonly Operation[] = [
  ...rootOperations,
  ...projectOperations,
  ...clusterOperations,
  ...privateIpModeOperations,
];
