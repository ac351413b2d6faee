/** All operations of the API. */
import type { Operation } from "../api/operation";
import { clusterOperations } from "./clusters";
import { privateIpModeOperations } from "./privateIpMode";
import { projectOperations } from "./projects";
import { rootOperations } from "./root";

/** All operations of the API. */
export const operations: readonly Operation[] = [
  ...rootOperations,
  ...projectOperations,
  ...clusterOperations,
  ...privateIpModeOperations,
];
