/** All operations of the API. */
import type { Operation } from "./operation";
import { clusterOperations } from "./routes/clusters";
import { privateIpModeOperations } from "./routes/privateIpMode";
import { projectOperations } from "./routes/projects";
import { rootOperations } from "./routes/root";

/** All operations of the API. */
export const operations: readonly Operation[] = [
  ...rootOperations,
  ...projectOperations,
  ...clusterOperations,
  ...privateIpModeOperations,
];
