/** Measures the start of both provider processes, and the memory of the plugin. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { stopChild } from "../../tests/command";
import { packedPlugin } from "../../tests/lifecycles/packedPlugin";
import { startPlugin, urnOf } from "../../tests/lifecycles/providerProcess";
import { settingsFor } from "../../tests/service";
import { alternate } from "../statistics";
import { projectIdOf, resetService } from "./service";
import { type Bench, benchFolder, countRequests } from "./stacks";

/** Measures in alternation how long both processes take until they listen. */
export async function measureProcesses(record: Bench["record"], runs: number): Promise<void> {
  const engine = "127.0.0.1:1"; // No process calls it before its first operation.
  const script = join(benchFolder, "../../node_modules/@pulumi/pulumi/cmd/dynamic-provider");
  const { dynamic, plugin } = await alternate(runs, {
    dynamic: () => timeToListen("node", [script, engine]),
    plugin: () => timeToListen(join(packedPlugin(), "pulumi-resource-clouddb"), [engine]),
  });
  const group = "start of a process";
  record({ group, label: "dynamic provider", unit: "ms", values: dynamic, isControl: true });
  record({ group, label: "plugin", unit: "ms", values: plugin });
}

async function timeToListen(file: string, args: readonly string[]): Promise<number> {
  const start = performance.now();
  const child = spawn(file, args, { cwd: benchFolder, stdio: ["ignore", "pipe", "inherit"] });
  await once(child.stdout, "data");
  const time = performance.now() - start;
  await stopChild(child, "SIGKILL");
  return time;
}

/** Measures the resident memory of plugins that found no clusters, and of plugins that listed all of a project. */
export async function measureMemory(
  {
    service,
    clusters,
    record,
    recordPhase,
  }: Pick<Bench, "service" | "clusters" | "record" | "recordPhase">,
  runs: number,
): Promise<void> {
  const { empty, listed } = await alternate(runs, {
    empty: () => memoryOfPlugin(service, false),
    listed: () => memoryOfPlugin(service, true),
  });
  recordPhase(countRequests(service, `lookup of 1 in ${clusters}`, Math.ceil(clusters / 500)));
  const group = "memory of the plugin";
  record({ group, label: "with 0 clusters", unit: "MB", values: empty });
  record({ group, label: `with ${clusters} clusters`, unit: "MB", values: listed });
}

async function memoryOfPlugin(service: Bench["service"], hasClusters: boolean): Promise<number> {
  const plugin = await startPlugin(
    urnOf("clusterConnectionStrings"),
    {},
    {
      ...settingsFor(service),
      NODE_OPTIONS: `--require ${JSON.stringify(join(__dirname, "reportMemory.cjs"))}`,
    },
  );
  try {
    resetService(service);
    // The second project does not exist. A lookup in it loads the same code.
    const projectId = projectIdOf(hasClusters ? 0 : 1);
    const { failures } = await plugin.check({ projectId, clusterName: "cluster-1" });
    if ((failures[0] === undefined) !== hasClusters) {
      throw new Error(`Unexpected result of a lookup: ${failures[0]?.reason}`);
    }
    if (plugin.pid === undefined) throw new Error("The plugin did not start.");
    // Waits for pending work of the operation, such as closing its connection.
    await delay(500);
    process.kill(plugin.pid, "SIGUSR2");
    for (let waited = 0; waited < 100; waited += 1) {
      await delay(100);
      const printed = /^resident memory (\d+)$/m.exec(plugin.output())?.[1];
      if (printed !== undefined) return Number(printed) / 1024 / 1024;
    }
    throw new Error("The plugin did not print its memory usage.");
  } finally {
    await plugin.stop();
  }
}
