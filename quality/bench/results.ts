/** The results of all benchmarks. */
import type { ListingResult } from "./listing";
import type { PreviewResult, StateKey } from "./preview";
import type { ProcessesResult } from "./processes";
import type { ProgramResult } from "./program";
import type {
  GrowthResult,
  MemoryResult,
  OperationResult,
  RequestsResult,
  StartResult,
} from "./providerProcess";
import type { SimulatorResult } from "./simulatorResult";

export interface Results {
  readonly previews: readonly PreviewResult[];
  readonly requests: readonly RequestsResult[];
  readonly state: Record<StateKey, number>;
  readonly processes: ProcessesResult;
  readonly start: StartResult;
  readonly program: ProgramResult;
  readonly operations: readonly OperationResult[];
  readonly memory: MemoryResult;
  readonly listing: ListingResult;
  readonly growth: GrowthResult;
  readonly simulator: SimulatorResult;
}
