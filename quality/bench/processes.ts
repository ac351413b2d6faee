/** Measures the start of both provider processes, and loading the packages in a program. */
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { stopChild } from "../../tests/command";
import { packedPlugin } from "../../tests/lifecycles/packedPlugin";
import { unpackProvider } from "../../tests/package/packed";
import { alternate, median } from "../statistics";

/** The time until a process prints its port. */
export interface ProcessesResult {
  readonly runs: number;
  /** Medians, in milliseconds. */
  readonly dynamic: number;
  readonly plugin: number;
}

/** The engine that no process reaches before its first operation. */
const engine = "127.0.0.1:1";

/** Measures both processes in alternation. */
export async function measureProcesses(runs: number): Promise<ProcessesResult> {
  const script = join(benchFolder, "../../node_modules/@pulumi/pulumi/cmd/dynamic-provider");
  const samples = await alternate(runs, {
    dynamic: () => timeToListen(process.execPath, [script, engine]),
    plugin: () => timeToListen(join(packedPlugin(), "pulumi-resource-clouddb"), [engine]),
  });
  return { runs, dynamic: median(samples.dynamic), plugin: median(samples.plugin) };
}

async function timeToListen(file: string, args: readonly string[]): Promise<number> {
  const start = performance.now();
  const child = spawn(file, args, { cwd: benchFolder, stdio: ["ignore", "pipe", "inherit"] });
  await once(child.stdout, "data");
  const time = performance.now() - start;
  await stopChild(child, "SIGKILL");
  return time;
}

/** The time that a program needs to load the packages. */
export interface ProgramResult {
  readonly runs: number;
  /** Medians, in milliseconds. */
  readonly pulumi: number;
  readonly clouddb: number;
  /** The modules that pulumi-clouddb loads. */
  readonly modules: number;
}

const program = `
const timed = (name) => {
  const start = performance.now();
  require(name);
  return performance.now() - start;
};
const pulumi = timed("@pulumi/pulumi");
const before = Object.keys(require.cache).length;
const clouddb = timed("pulumi-clouddb");
console.log(JSON.stringify({ pulumi, clouddb, modules: Object.keys(require.cache).length - before }));
`;

/** Measures the load in new processes. */
export async function measureProgram(runs: number): Promise<ProgramResult> {
  const samples: ProgramResult[] = [];
  for (let run = 0; run <= runs; run += 1) {
    const { stdout } = await promisify(execFile)(process.execPath, ["-e", program], {
      cwd: benchFolder,
    });
    if (run > 0) samples.push(JSON.parse(stdout) as ProgramResult);
  }
  const medianOf = (key: "pulumi" | "clouddb" | "modules") => median(samples.map((s) => s[key]));
  return {
    runs,
    pulumi: medianOf("pulumi"),
    clouddb: medianOf("clouddb"),
    modules: medianOf("modules"),
  };
}

/** In the repository, so that the package finds its dependencies in the repository's node_modules. */
export const benchFolder = join(__dirname, "..", "..", ".clouddb", "bench");

/** Empties {@link benchFolder} and packs the provider into its node_modules. */
export function packProvider(): void {
  rmSync(benchFolder, { recursive: true, force: true });
  unpackProvider(benchFolder);
}
