/** Measures the start of both provider processes, and the memory of the plugin. */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { startPlugin, urnOf } from "../../tests/lifecycles/providerProcess";
import { stopChild } from "../../tests/support/command";
import { settingsFor } from "../../tests/support/service";
import { projectOf } from "./service";
import type { Measure, Run } from "./stacks";
import { alternate } from "./statistics";

/** Measures in alternation how long the processes take to start listening. */
export async function measureStarts({ checkouts }: Run, runs: number): Promise<Measure[]> {
  const engine = "127.0.0.1:1"; // No process calls it before its first operation.
  const script = require.resolve("@pulumi/pulumi/cmd/dynamic-provider");
  const plugins = checkouts.map(({ bench, isOther }) => ({
    label: "plugin",
    isOther,
    start: () => timeToListen(join(bench, "plugin", "pulumi-resource-clouddb"), [engine]),
  }));
  const dynamic = {
    label: "dynamic provider",
    isOther: false,
    start: () => timeToListen("node", [script, engine]),
  };
  const started = [dynamic, ...plugins];
  const samples = await alternate(
    runs,
    started.map(({ start }) => start),
  );
  return started.map(({ label, isOther }, i) => ({
    group: "start of a process",
    label,
    unit: "ms",
    values: samples[i] ?? [],
    isBase: label === dynamic.label,
    isOther,
  }));
}

async function timeToListen(file: string, args: readonly string[]): Promise<number> {
  const start = performance.now();
  const child = spawn(file, args, { stdio: ["ignore", "pipe", "inherit"] });
  await once(child.stdout, "data");
  const time = performance.now() - start;
  await stopChild(child, "SIGKILL");
  return time;
}

/** Measures the resident memory of plugins after a lookup in a missing project and in projects of two sizes. */
export async function measureMemory({ service }: Run, runs: number): Promise<Measure[]> {
  const memoryOf = async (clusters: number): Promise<number> => {
    service.reset();
    const plugin = await startPlugin(urnOf("clusterConnectionStrings"), settingsFor(service));
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
    sizes.map((clusters) => () => memoryOf(clusters)),
  );
  return sizes.map((clusters, i) => ({
    group: "resident memory",
    label: `plugin, after a lookup in ${clusters} clusters`,
    unit: "MB",
    values: samples[i] ?? [],
    isBase: false,
    isOther: false,
  }));
}
