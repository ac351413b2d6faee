/** Measures the provider processes of empty and clouddb over gRPC, called as the engine calls it. */
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Simulator } from "clouddb-simulator";
import {
  type ProviderProcess,
  startProcess,
  unknown,
} from "../../tests/lifecycles/providerProcess";
import { projectId, settingsFor } from "../../tests/service";
import { emptyProviderText, lookupProviderText } from "./contenders";
import { benchFolder } from "./processes";
import { withService } from "./service";
import { type Spread, alternate, median, milliseconds, spread } from "../statistics";

/** The time of the first operation of a process. */
export interface StartResult {
  readonly runs: number;
  /** Medians of the first operation of a process, in milliseconds. */
  readonly empty: number;
  readonly withoutRequest: number;
  readonly withLookup: number;
}

/** Measures the first operation of a process, which loads the provider. */
export async function measureStart(runs: number): Promise<StartResult> {
  return withService(20, async (service) => {
    const empty = await emptyProviderText();
    const first = (text: string, inputs: Record<string, unknown>) => async () =>
      await withProvider(text, service, (provider) => milliseconds(() => provider.check(inputs)));
    const known = { projectId, clusterName: "cluster-1" };
    // The name of the cluster is unknown in a preview, so the provider sends no request.
    const pending = { projectId, clusterName: unknown };
    const samples = await alternate(runs, {
      empty: first(empty, known),
      withoutRequest: first(lookupProviderText, pending),
      withLookup: first(lookupProviderText, known),
    });
    return {
      runs,
      empty: median(samples.empty),
      withoutRequest: median(samples.withoutRequest),
      withLookup: median(samples.withLookup),
    };
  });
}

type Operation = "check" | "create" | "diff";

/** The time of one operation of a warm process. */
export interface OperationResult {
  readonly operation: Operation;
  readonly runs: number;
  /** Medians, in microseconds. */
  readonly empty: number;
  readonly clouddb: number;
}

/** Measures single operations of warm processes, with the same number of properties for both. */
export async function measureOperations(runs: number): Promise<OperationResult[]> {
  return withService(200, async (service) => {
    const results: OperationResult[] = [];
    await withProvider(await emptyProviderText(), service, (empty) =>
      withProvider(lookupProviderText, service, async (clouddb) => {
        const args = { projectId, clusterName: "cluster-1" };
        const { inputs } = await clouddb.check(args);
        const create = (provider: ProviderProcess) => () => provider.create(inputs);
        const diff = (provider: ProviderProcess) => () => provider.diff("id", inputs, inputs);
        const operations: Record<Operation, Record<"empty" | "clouddb", () => Promise<unknown>>> = {
          // An empty hook returns its inputs, so `empty` gets the result of `clouddb` as inputs.
          check: {
            empty: () => empty.check(inputs, args),
            clouddb: () => clouddb.check(args, inputs),
          },
          create: { empty: create(empty), clouddb: create(clouddb) },
          diff: { empty: diff(empty), clouddb: diff(clouddb) },
        };
        for (const operation of ["check", "create", "diff"] as const) {
          const work = operations[operation];
          await repeat(300, work.empty);
          await repeat(300, work.clouddb);
          const batch = (once: () => Promise<unknown>) => async () =>
            (await milliseconds(() => repeat(50, once))) / 50;
          const samples = await alternate(runs, {
            empty: batch(work.empty),
            clouddb: batch(work.clouddb),
          });
          results.push({
            operation,
            runs,
            empty: median(samples.empty) * 1000,
            clouddb: median(samples.clouddb) * 1000,
          });
        }
      }),
    );
    return results;
  });
}

/** The memory of a process, in bytes. */
interface Memory {
  readonly rss: number;
  readonly heapUsed: number;
  readonly external: number;
}

/** The memory of both processes. */
export interface MemoryResult {
  readonly clusters: number;
  readonly runs: number;
  /** Of `empty` after an operation, and of `clouddb` after it listed the clusters; in bytes. */
  readonly empty: Record<keyof Memory, Spread>;
  readonly listed: Record<keyof Memory, Spread>;
}

/** Measures the memory of new processes after their first operation. */
export async function measureMemory(clusters: number, runs: number): Promise<MemoryResult> {
  return withService(clusters, async (service) => {
    const texts = { empty: await emptyProviderText(), listed: lookupProviderText };
    const samples: Record<"empty" | "listed", Memory[]> = { empty: [], listed: [] };
    for (let run = 0; run < runs; run += 1) {
      for (const key of ["empty", "listed"] as const) {
        const work = async (provider: ProviderProcess) => {
          await provider.check({ projectId, clusterName: "cluster-1" });
          return await memoryOf(provider);
        };
        samples[key].push(await withProvider(texts[key], service, work, reportingMemory));
      }
    }
    const spreads = (memories: Memory[]) => ({
      rss: spread(memories.map(({ rss }) => rss)),
      heapUsed: spread(memories.map(({ heapUsed }) => heapUsed)),
      external: spread(memories.map(({ external }) => external)),
    });
    return { clusters, runs, empty: spreads(samples.empty), listed: spreads(samples.listed) };
  });
}

/** The time of a lookup after few and after many others. */
export interface GrowthResult {
  readonly few: number;
  readonly many: number;
  readonly runs: number;
  /** Medians of the time of one lookup, without the listing, in microseconds. */
  readonly atFew: number;
  readonly atMany: number;
}

/** Measures lookups one after the other, as the engine checks resources, in a project with `many` clusters. */
export async function measureGrowth(
  few: number,
  many: number,
  runs: number,
): Promise<GrowthResult> {
  return withService(many, async (service) => {
    const at = (lookups: number) => () =>
      withProvider(lookupProviderText, service, async (provider) => {
        const lookUp = (i: number) => provider.check({ projectId, clusterName: `cluster-${i}` });
        // Warms up the process.
        await repeat(500, () => lookUp(0));
        const work = async () => {
          for (let i = 0; i < lookups; i += 1) await lookUp(i);
        };
        return (await milliseconds(work)) / lookups;
      });
    const samples = await alternate(runs, { few: at(few), many: at(many) });
    return {
      few,
      many,
      runs,
      atFew: median(samples.few) * 1000,
      atMany: median(samples.many) * 1000,
    };
  });
}

/** The HTTP requests of one phase. */
export interface RequestsResult {
  readonly clusters: number;
  readonly lookups: number;
  readonly listings: number;
  readonly challenges: number;
  readonly others: number;
}

/** Counts the requests of one phase: a new process that looks up the clusters. */
export async function countRequests(clusters: number, lookups: number): Promise<RequestsResult> {
  return withService(clusters, async (service) => {
    await withProvider(lookupProviderText, service, async (provider) => {
      for (let i = 0; i < lookups; i += 1) {
        await provider.check({ projectId, clusterName: `cluster-${i % clusters}` });
      }
    });
    const challenges = service.requests.filter(({ challenged }) => challenged).length;
    const listings = service.requests.filter(
      ({ operation, challenged }) => operation === "listClusters" && !challenged,
    ).length;
    const others = service.requests.length - challenges - listings;
    return { clusters, lookups, listings, challenges, others };
  });
}

async function withProvider<T>(
  text: string,
  service: Simulator,
  work: (provider: ProviderProcess) => Promise<T>,
  environment: Record<string, string> = {},
): Promise<T> {
  const settings = settingsFor(service);
  const provider = await startProcess(
    text,
    {},
    { ...settings, ...environment },
    { folder: benchFolder },
  );
  const check: ProviderProcess["check"] = async (news, olds) => {
    const result = await provider.check(news, olds);
    const [failure] = result.failures;
    // A failed lookup is fast and needs little memory, so it must not be measured.
    if (failure !== undefined) throw new Error(`A lookup failed: ${failure.reason}`);
    return result;
  };
  try {
    return await work({ ...provider, check });
  } finally {
    await provider.stop();
  }
}

async function repeat(times: number, work: () => Promise<unknown>): Promise<void> {
  for (let i = 0; i < times; i += 1) await work();
}

const reportingMemory = {
  NODE_OPTIONS: `--require ${JSON.stringify(join(__dirname, "reportMemory.cjs"))}`,
};

async function memoryOf(provider: ProviderProcess): Promise<Memory> {
  if (provider.pid === undefined) throw new Error("The provider process did not start.");
  // Waits for pending work of the operation, such as closing its connection.
  await delay(500);
  process.kill(provider.pid, "SIGUSR2");
  for (let waited = 0; waited < 100; waited += 1) {
    await delay(100);
    const printed = /^memory (.*)$/m.exec(provider.output())?.[1];
    if (printed !== undefined) return JSON.parse(printed) as Memory;
  }
  throw new Error("The provider process did not print its memory usage.");
}
