/** Measures the start of both provider processes, and the memory of the plugin. */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { stopChild } from "../../tests/support/command";
import { packedPlugin } from "../../tests/lifecycles/packedPlugin";
import { startPlugin, urnOf } from "../../tests/lifecycles/providerProcess";
import { settingsFor } from "../../tests/support/service";
import { alternate } from "../statistics";
import { type Measure, countRequests } from "./results";
import { projectOf, resetService } from "./service";
import { type Run, benchFolder } from "./stacks";

/** Measures in alternation how long both processes take to start listening. */
export async function measureStarts(_run: Run, runs: number): Promise<Measure[]> {
  const engine = "127.0.0.1:1"; // No process calls it before its first operation.
  const script = join(benchFolder, "../../node_modules/@pulumi/pulumi/cmd/dynamic-provider");
  const { dynamic, plugin } = await alternate(runs, {
    dynamic: () => timeToListen("node", [script, engine]),
    plugin: () => timeToListen(join(packedPlugin(), "pulumi-resource-clouddb"), [engine]),
  });
  const group = "start of a process";
  return [
    { group, label: "dynamic provider", unit: "ms", values: dynamic, isControl: true },
    { group, label: "plugin", unit: "ms", values: plugin },
  ];
}

async function timeToListen(file: string, args: readonly string[]): Promise<number> {
  const start = performance.now();
  const child = spawn(file, args, { cwd: benchFolder, stdio: ["ignore", "pipe", "inherit"] });
  await once(child.stdout, "data");
  const time = performance.now() - start;
  await stopChild(child, "SIGKILL");
  return time;
}

/** Measures the resident memory of plugins after a lookup in a missing project and in projects of two sizes. */
export async function measureMemory({ service, addPhase }: Run, runs: number): Promise<Measure[]> {
  const memoryOf = async (clusters: number): Promise<number> => {
    resetService(service);
    const plugin = await startPlugin(urnOf("clusterConnectionStrings"), {}, settingsFor(service));
    try {
      const inputs = { projectId: projectOf(clusters), clusterName: "cluster-1" };
      const { failures } = await plugin.check(inputs);
      if ((failures[0] === undefined) !== clusters > 0) {
        throw new Error(`Unexpected result of a lookup: ${failures[0]?.reason}`);
      }
      const kilobytes = execFileSync("ps", ["-o", "rss=", "-p", String(plugin.pid)]);
      return Number(kilobytes) / 1024;
    } finally {
      await plugin.stop();
    }
  };
  const sizes = [0, 200, 10_000];
  const samples = await alternate(
    runs,
    Object.fromEntries(sizes.map((clusters) => [`${clusters}`, () => memoryOf(clusters)])),
  );
  addPhase(countRequests(service.requests, "lookup of 1 in 10000", 10_000));
  return Object.entries(samples).map(([clusters, values]) => ({
    group: "resident memory of the plugin",
    label: `after a lookup in ${clusters} clusters`,
    unit: "MB",
    values,
  }));
}
