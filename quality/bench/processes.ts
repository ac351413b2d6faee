/** Measures how long the process of a dynamic provider and that of the plugin take to listen. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { stopChild } from "../../tests/command";
import { packedPlugin } from "../../tests/lifecycles/packedPlugin";
import { benchFolder } from "./packed";
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
