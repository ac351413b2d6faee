/** The results of all benchmarks, and the tables of the simulator. */
import { table } from "../report";
import type { Spread } from "../statistics";
import type { ListingResult } from "./listing";
import type { PreviewResult, StateKey } from "./preview";
import type { ProcessesResult, ProgramResult } from "./processes";
import type {
  GrowthResult,
  MemoryResult,
  OperationResult,
  RequestsResult,
  StartResult,
} from "./providerProcess";

/** Requests to one server. */
interface ThroughputResult {
  /** Requests per second. */
  readonly rate: Spread;
  /** CPU time of the server for a request. */
  readonly cpuMicroseconds: Spread;
}

/** The result of bench/simulator.mjs. */
export interface SimulatorResult {
  readonly seconds: number;
  readonly rounds: number;
  readonly throughput: {
    /** Size of the body. */
    readonly bytes: number;
    readonly bare: ThroughputResult;
    readonly simulator: ThroughputResult;
  };
  /** With 10,000 clusters in one of 1,000 projects. */
  readonly load: {
    /** Time of startSimulator() in milliseconds. */
    readonly startTime: number;
    /** Resident memory after the start in bytes. */
    readonly resident: number;
    /** Median time of a page of 20 clusters in a project of 20 clusters, in milliseconds. */
    readonly fewPage: number;
    /** The same in a project of 10,000 clusters. */
    readonly manyPage: number;
  };
}

/** Renders the result. */
export function simulatorTables({ seconds, rounds, throughput, load }: SimulatorResult): string {
  const range = ({ median, lowest, highest }: Spread) =>
    `${median.toFixed(0)} (${lowest.toFixed(0)} to ${highest.toFixed(0)})`;
  const row = (name: string, { rate, cpuMicroseconds }: ThroughputResult) => [
    name,
    range(rate),
    range(cpuMicroseconds),
  ];
  return [
    `Lists of 20 clusters (${throughput.bytes} bytes), ${rounds} rounds of ${seconds} s; median (lowest to highest). The CPU time is that of the server's process.`,
    table(
      ["server", "requests/s", "CPU time of a request in microseconds"],
      [
        row("bare Fastify handler, the same bytes", throughput.bare),
        row("clouddb-simulator, digest checked", throughput.simulator),
      ],
    ),
    "With 1,000 projects, one of which has 10,000 clusters and the others five.",
    table(
      [
        ...["start of the simulator", "resident memory"],
        ...["page of 20 clusters", "the same page of a project of 20 clusters"],
      ],
      [
        [
          `${load.startTime.toFixed(0)} ms`,
          `${(load.resident / 1024 / 1024).toFixed(0)} MB`,
          `${load.manyPage.toFixed(2)} ms`,
          `${load.fewPage.toFixed(2)} ms`,
        ],
      ],
    ),
  ].join("\n\n");
}

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
