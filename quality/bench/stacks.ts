/** Measures Pulumi commands with the real CLI, their HTTP requests, and the size of the recorded state. */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import type { Simulator } from "clouddb-simulator";
import { z } from "zod";
import { settingsFor } from "../../tests/support/service";
import type { NodeMajor } from "../matrix/rows";
import type { Tool } from "../matrix/toolchain";
import { alternate, milliseconds } from "../statistics";
import { type Measure, type Phase, countRequests } from "./results";
import { resetService } from "./service";
import { type Contender, filesOf, hostArgumentsOf, isControl, javaScript, labelOf } from "./setups";

/** In the repository, so that the package finds its dependencies in the repository's node_modules. */
export const benchFolder = join(__dirname, "..", "..", ".clouddb", "bench");

/** Shared by the measures of a run. */
export interface Run {
  readonly service: Simulator;
  /** The versions of Node.js that run the programs, from npm. */
  readonly nodes: ReadonlyMap<NodeMajor, Tool>;
  /** The old language host of a CLI that was built from Go modules, which ignores Pulumi.yaml. */
  readonly oldHost: string | undefined;
  /** Keeps the worst of the phases with the same name. */
  readonly addPhase: (phase: Phase) => void;
}

const options = ["--yes", "--skip-preview"];
const commands = {
  preview: ["preview"],
  up: ["up", ...options],
  "up without changes": ["up", ...options, "--expect-no-changes"],
  refresh: ["refresh", ...options],
  destroy: ["destroy", ...options],
} as const;

type Command = keyof typeof commands;

/** The whole life of a stack. */
export const life = ["up", "up without changes", "refresh", "destroy"] as const;

interface Stacks {
  readonly contenders: readonly Contender[];
  readonly lookups: number;
  /** The clusters of the project. */
  readonly clusters: number;
  /** Run in this order. Default: a preview */
  readonly commands?: readonly Command[];
  /** The latency of each response, in milliseconds. Default: 0 */
  readonly latency?: number;
}

/** Measures the commands of all contenders in alternation, in seconds. */
export async function measureStacks(run: Run, runs: number, stacks: Stacks): Promise<Measure[]> {
  const { contenders, lookups, clusters, latency = 0 } = stacks;
  const created = await Promise.all(
    contenders.map((each) => createStack(run, each, lookups, clusters)),
  );
  const timings = created.flatMap(({ folder, pulumi }, i) =>
    (stacks.commands ?? ["preview"]).map((command) => {
      const group = `${command} of ${lookups}${latency > 0 ? ` at ${latency} ms` : ""}`;
      const contender = contenders[i] as Contender;
      const isOwn = !isControl(contender.program);
      const label = labelOf(contender);
      const time = async () => {
        resetService(run.service, latency);
        const duration = await milliseconds(() => pulumi(...commands[command]));
        const phase = countRequests(run.service.requests, `${group}, ${label}`, clusters);
        if (isOwn) run.addPhase(phase);
        return duration / 1000;
      };
      return { key: `${folder} ${command}`, time, measure: { group, label, isControl: !isOwn } };
    }),
  );
  const samples = await alternate(
    runs,
    Object.fromEntries(timings.map(({ key, time }) => [key, time])),
  );
  for (const { folder } of created) rmSync(folder, { recursive: true, force: true });
  return timings.map(({ key, measure }) => ({ ...measure, unit: "s", values: samples[key] ?? [] }));
}

const exported = z.object({
  deployment: z.object({ resources: z.array(z.looseObject({ type: z.string() })) }),
});

/** Measures a lookup in the state that `pulumi up` records. */
export async function measureState(run: Run): Promise<Measure[]> {
  const { folder, pulumi } = await createStack(run, { ...javaScript, program: "clouddb" }, 1, 200);
  await pulumi(...commands.up);
  const { deployment } = exported.parse(JSON.parse(await pulumi("stack", "export")));
  rmSync(folder, { recursive: true, force: true });
  const lookup = deployment.resources.find(({ type }) => type.includes("ClusterConnectionStrings"));
  const values = [Buffer.byteLength(JSON.stringify(lookup))];
  return [{ group: "state", label: "a lookup", unit: "bytes", values }];
}

/** Creates a stack in a separate folder, where `require` finds the packed pulumi-clouddb. */
async function createStack(
  { service, nodes, oldHost }: Run,
  contender: Contender,
  lookups: number,
  clusters: number,
) {
  const { program, node, isWarm = false } = contender;
  const folder = mkdtempSync(join(benchFolder, `${program}-`));
  mkdirSync(join(folder, "backend"));
  for (const [file, text] of Object.entries(filesOf(contender, lookups, clusters))) {
    writeFileSync(join(folder, file), text);
  }
  if (oldHost !== undefined) {
    const script = `#!/bin/sh\nexec "${oldHost}" ${hostArgumentsOf(contender)} "$@"\n`;
    writeFileSync(join(folder, "pulumi-language-nodejs"), script, { mode: 0o755 });
  }
  const settings = settingsFor(service);
  const env = {
    ...process.env,
    ...settings,
    PATH: [folder, nodes.get(node)?.folder, process.env["PATH"]].filter(Boolean).join(delimiter),
    // `fetching` needs it for the fetch of Node.js. All contenders get it, so that all have the same cost.
    NODE_EXTRA_CA_CERTS: settings["CLOUDDB_CA_FILE"],
    PULUMI_BACKEND_URL: `file://${join(folder, "backend")}`,
    PULUMI_CONFIG_PASSPHRASE: "",
    PULUMI_SKIP_UPDATE_CHECK: "1",
    PULUMI_STACK: "bench",
    ...(isWarm ? { NODE_COMPILE_CACHE: join(folder, "compile-cache") } : {}),
  };
  const pulumi = async (...words: readonly string[]): Promise<string> => {
    const shell = `exec pulumi "$@" --non-interactive --color never > output.txt 2>&1`;
    const child = spawn("sh", ["-c", shell, "sh", ...words], { cwd: folder, env, stdio: "ignore" });
    const [code] = (await once(child, "exit")) as [number | null];
    const output = readFileSync(join(folder, "output.txt"), "utf8");
    if (code !== 0) throw new Error(`pulumi ${words.join(" ")} failed:\n${output}`);
    return output;
  };
  await pulumi("stack", "init", "bench");
  // As in the guide, because the provider process writes no cache.
  const loading = ["--eval", 'require("pulumi-clouddb/runtime")'];
  if (isWarm) execFileSync("node", loading, { cwd: folder, env });
  return { folder, pulumi };
}
