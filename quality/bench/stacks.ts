/** Measures Pulumi commands with the real CLI, their HTTP requests, and the size of the recorded state. */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import type { Simulator } from "clouddb-simulator";
import { z } from "zod";
import { unpackProvider } from "../../tests/package/packed";
import { settingsFor } from "../../tests/service";
import { type NodeMajor, nodeMajors } from "../matrix/rows";
import { type Tool, findNodes } from "../matrix/toolchain";
import { alternate, milliseconds } from "../statistics";
import { type Contender, filesOf, hostArguments, labelOf, programs } from "./contenders";
import type { Measure, Phase } from "./results";
import { resetService } from "./service";

/** In the repository, so that the package finds its dependencies in the repository's node_modules. */
export const benchFolder = join(__dirname, "..", "..", ".clouddb", "bench");

/** Empties {@link benchFolder} and packs the provider into its node_modules. */
export function packProvider(): void {
  rmSync(benchFolder, { recursive: true, force: true });
  unpackProvider(benchFolder);
}

/** The service, and where results go. */
export interface Bench {
  readonly service: Simulator;
  /** The clusters of each project of the service. */
  readonly clusters: number;
  readonly nodes: ReadonlyMap<NodeMajor, Tool>;
  /** See {@link oldLanguageHost}. */
  readonly oldHost: string | undefined;
  readonly record: (measure: Measure) => void;
  readonly recordPhase: (phase: Phase) => void;
}

/** Returns the versions of Node.js that run the programs, from npm. */
export const findBenchNodes = () => findNodes(nodeMajors);

type Command = keyof typeof commands;

const commands = {
  preview: ["preview"],
  up: ["up", "--yes", "--skip-preview"],
  "up without changes": ["up", "--yes", "--skip-preview", "--expect-no-changes"],
  refresh: ["refresh", "--yes", "--skip-preview"],
  destroy: ["destroy", "--yes", "--skip-preview"],
} as const;

/** Measures previews of all contenders in alternation. */
export async function measurePreviews(
  bench: Bench,
  runs: number,
  contenders: readonly Contender[],
  latency = 0,
): Promise<void> {
  const stacks = await Promise.all(contenders.map((each) => createStack(bench, each)));
  const previews = stacks.map(
    ({ measure }) =>
      () =>
        measure("preview", latency),
  );
  const samples = await alternate(runs, Object.fromEntries(previews.entries()));
  for (const [i, { record, remove }] of stacks.entries()) {
    record("preview", samples[i] ?? [], latency);
    remove();
  }
}

/** Measures the whole life of stacks in alternation: up, an update without changes, refresh and destroy. */
export async function measureLife(
  bench: Bench,
  runs: number,
  contenders: readonly Contender[],
): Promise<void> {
  const phases = ["up", "up without changes", "refresh", "destroy"] as const;
  const stacks = await Promise.all(contenders.map((each) => createStack(bench, each)));
  const samples = new Map<string, number[]>();
  for (let run = 0; run < runs; run += 1) {
    for (const [i, { measure }] of stacks.entries()) {
      for (const phase of phases) {
        const values = samples.get(`${i} ${phase}`) ?? [];
        samples.set(`${i} ${phase}`, [...values, await measure(phase)]);
      }
    }
  }
  for (const [i, { record, remove }] of stacks.entries()) {
    for (const phase of phases) record(phase, samples.get(`${i} ${phase}`) ?? []);
    remove();
  }
}

const exported = z.object({
  deployment: z.object({
    resources: z.array(
      z.looseObject({ type: z.string(), outputs: z.record(z.string(), z.unknown()).optional() }),
    ),
  }),
});

/** Measures a lookup in the state that `pulumi up` records, and the distinct connection strings in it. */
export async function measureState(bench: Bench): Promise<void> {
  const contender = { program: "clouddb", language: "JavaScript", node: 20, lookups: 1 } as const;
  const { pulumi, measure, remove } = await createStack(bench, contender);
  await measure("up");
  const { deployment } = exported.parse(JSON.parse(await pulumi("stack", "export")));
  remove();
  const lookup = deployment.resources.find(({ type }) => type.includes("ClusterConnectionStrings"));
  const strings = JSON.stringify(lookup?.outputs).match(/db(?:\+srv)?:\/\/[^"]+/g) ?? [];
  const bytes = (texts: Iterable<string>) => Buffer.byteLength([...texts].join(""));
  const record = (label: string, value: number) => {
    bench.record({ group: "state", label, unit: "bytes", values: [value] });
  };
  record("a lookup", bytes([JSON.stringify(lookup)]));
  record("its connection strings", bytes(new Set(strings)));
}

/** Returns the language host of a CLI that was built from Go modules: an old one, which ignores Pulumi.yaml. */
export function oldLanguageHost(cliVersion: string): string | undefined {
  const cli = execFileSync("sh", ["-c", "command -v pulumi"], { encoding: "utf8" }).trim();
  return cliVersion.includes("+") ? join(dirname(cli), "pulumi-language-nodejs") : undefined;
}

/** Creates a stack in a folder of its own, where `require` finds the packed pulumi-clouddb. */
async function createStack(bench: Bench, contender: Contender) {
  const { service, nodes, oldHost, clusters } = bench;
  const { program, node, isWarm = false, lookups, projects = 1 } = contender;
  const folder = mkdtempSync(join(benchFolder, `${program}-`));
  mkdirSync(join(folder, "backend"));
  for (const [file, text] of Object.entries(filesOf(contender))) {
    writeFileSync(join(folder, file), text);
  }
  const args = hostArguments[contender.language];
  if (oldHost !== undefined && args !== undefined) {
    const script = `#!/bin/sh\nexec "${oldHost}" ${args} "$@"\n`;
    writeFileSync(join(folder, "pulumi-language-nodejs"), script, { mode: 0o755 });
  }
  const variables = settingsFor(service);
  const env = {
    ...process.env,
    ...variables,
    PATH: [folder, nodes.get(node)?.folder, process.env["PATH"]].filter(Boolean).join(delimiter),
    // `fetching` needs it for the fetch of Node.js. All contenders get it, so that all have the same cost.
    NODE_EXTRA_CA_CERTS: variables["CLOUDDB_CA_FILE"],
    PULUMI_BACKEND_URL: `file://${join(folder, "backend")}`,
    PULUMI_CONFIG_PASSPHRASE: "",
    PULUMI_SKIP_UPDATE_CHECK: "1",
    PULUMI_STACK: "bench",
    ...(isWarm ? { NODE_COMPILE_CACHE: join(folder, "compile-cache") } : {}),
  };
  const pulumi = (...args: readonly string[]) => run(args, { cwd: folder, env });
  await pulumi("stack", "init", "bench");
  // As the guide says: the provider process writes no cache.
  const loading = ["--eval", 'require("pulumi-clouddb/runtime")'];
  if (isWarm) execFileSync("node", loading, { cwd: folder, env });
  const groupOf = (command: Command, latency: number) => {
    const distribution = projects > 1 ? ` in ${projects} projects` : "";
    return `${command} of ${lookups}${distribution}${latency > 0 ? ` at ${latency} ms` : ""}`;
  };
  return {
    pulumi,
    /** Runs a command, and returns its time in seconds. */
    measure: async (command: Command, latency = 0): Promise<number> => {
      resetService(service, latency);
      const time = await milliseconds(() => pulumi(...commands[command]));
      if (!("isControl" in programs[program])) {
        const phase = `${groupOf(command, latency)}, ${labelOf(contender)}`;
        bench.recordPhase(countRequests(service, phase, projects * Math.ceil(clusters / 500)));
      }
      return time / 1000;
    },
    record: (command: Command, values: number[], latency = 0): void => {
      const isControl = "isControl" in programs[program];
      const group = groupOf(command, latency);
      bench.record({ group, label: labelOf(contender), unit: "s", values, isControl });
    },
    remove: (): void => {
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Counts the requests that the service received since it was reset. */
export function countRequests({ requests }: Simulator, phase: string, allowed: number): Phase {
  const challenges = requests.filter(({ challenged }) => challenged).length;
  const listings = requests.filter(
    ({ operation, challenged }) => operation === "listClusters" && !challenged,
  ).length;
  return { phase, listings, challenges, others: requests.length - challenges - listings, allowed };
}

async function run(
  args: readonly string[],
  options: { readonly cwd: string; readonly env: NodeJS.ProcessEnv },
): Promise<string> {
  const log = join(options.cwd, "output.txt");
  const shell = `exec pulumi "$@" --non-interactive --color never > output.txt 2>&1`;
  const child = spawn("sh", ["-c", shell, "sh", ...args], { ...options, stdio: "ignore" });
  const [code] = (await once(child, "exit")) as [number | null];
  const output = readFileSync(log, "utf8");
  if (code !== 0) throw new Error(`pulumi ${args.join(" ")} failed:\n${output}`);
  return output;
}
