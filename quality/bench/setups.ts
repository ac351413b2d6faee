/**
 * Measures `pulumi preview` of a TypeScript program with 20 lookups in the set-ups of docs/guides/fast-previews.md:
 * with and without type checking, with Node.js's own type stripping, and with a compile cache.
 */
import { cpus, loadavg } from "node:os";
import { delimiter, join } from "node:path";
import type { Simulator } from "clouddb-simulator";
import { version as typeScriptVersion } from "typescript";
import { projectId } from "../../tests/service";
import { type NodeMajor, nodeMajors } from "../matrix/rows";
import { findNodes } from "../matrix/toolchain";
import { type Options, type Outcome, log, readConditions, table } from "../report";
import { type Spread, alternate, milliseconds, spread } from "../statistics";
import { createStack } from "./preview";
import { benchFolder, packProvider } from "./processes";
import { withService } from "./service";

/** How Pulumi runs the program. */
interface Setup {
  readonly name: string;
  readonly node: NodeMajor;
  readonly isEmpty?: boolean;
  readonly typeScript: "checked" | "transpiled" | "stripped";
  readonly hasCache?: boolean;
}

interface Measured extends Setup {
  /** The version of Node.js. */
  readonly version: string;
  /** In milliseconds. */
  readonly time: Spread;
}

const lookups = 20;

/** The set-ups for a version of Node.js. Type stripping needs 22.18, and a compile cache 22.1. */
function setupsOf(node: NodeMajor): readonly Setup[] {
  const checked = { node, typeScript: "checked" } as const;
  const transpiled = { node, typeScript: "transpiled" } as const;
  const stripped = { node, typeScript: "stripped" } as const;
  const all: Setup[] = [
    { name: "Pulumi's default, empty dynamic resources", ...checked, isEmpty: true },
    { name: "Pulumi's default", ...checked },
    { name: "without type checking", ...transpiled },
  ];
  if (node === 20) return all;
  return [
    ...all,
    { name: "without type checking, compile cache", ...transpiled, hasCache: true },
    { name: "type stripping", ...stripped },
    { name: "type stripping, compile cache", ...stripped, hasCache: true },
  ];
}

/** Measures all set-ups in alternation. */
export async function setups(options: Options): Promise<Outcome> {
  const runs = options.number("runs");
  const { cliVersion, revision } = readConditions();
  const loadBefore = loadavg()[0] ?? NaN;
  packProvider();
  const measured = await withService(lookups, (service) => measure(service, runs));
  const [cpu] = cpus();
  const conditions =
    `Medians of ${runs} runs; ${cpu?.model ?? "unknown CPU"}, ${cpus().length} cores, load before: ` +
    `${loadBefore.toFixed(1)}; Pulumi CLI ${cliVersion}, TypeScript ${typeScriptVersion}, commit ${revision}.`;
  return { report: `${setupTable(measured)}\n\n${conditions}`, violations: [] };
}

async function measure(service: Simulator, runs: number): Promise<readonly Measured[]> {
  const nodes = findNodes(nodeMajors);
  const stacks = [];
  for (const [index, setup] of nodeMajors.flatMap(setupsOf).entries()) {
    const { folder, version = "" } = nodes.get(setup.node) ?? {};
    const cache = join(benchFolder, `compile-cache-${index}`);
    const stack = await createStack(`setup-${index}`, files(setup), service, {
      PATH: [folder, process.env["PATH"]].filter((each) => each !== undefined).join(delimiter),
      ...(setup.hasCache ? { NODE_COMPILE_CACHE: cache } : {}),
    });
    log(`${version}: ${setup.name}`);
    stacks.push({ setup: { ...setup, version }, stack });
  }
  const previews = stacks.map(
    ({ stack }) =>
      () =>
        milliseconds(() => stack.pulumi("preview")),
  );
  const samples = await alternate(runs, Object.fromEntries(previews.entries()));
  for (const { stack } of stacks) stack.remove();
  return stacks.map(({ setup }, index) => ({ ...setup, time: spread(samples[index] ?? []) }));
}

/** Renders the times in seconds, and their ratios to the first set-up of the same version. */
function setupTable(measured: readonly Measured[]): string {
  const seconds = (milliseconds: number) => (milliseconds / 1000).toFixed(2);
  return table(
    ["Node.js", "set-up", "seconds: median (lowest to highest)", "ratio"],
    measured.map(({ node, version, name, time: { median, lowest, highest } }) => {
      const first = measured.find((each) => each.node === node)?.time.median ?? NaN;
      const times = `${seconds(median)} (${seconds(lowest)} to ${seconds(highest)})`;
      return [version, name, times, (median / first).toFixed(2)];
    }),
  );
}

function files({ isEmpty = false, typeScript }: Setup): Record<string, string> {
  const options = {
    checked: "{ tsconfig: tsconfig.json }",
    transpiled: "{ tsconfig: tsconfig.pulumi.json }",
    stripped: "{ typescript: false }",
  };
  const compilerOptions = {
    target: "ES2022",
    module: "Node16",
    moduleResolution: "Node16",
    types: ["node"],
    strict: true,
    skipLibCheck: true,
    noEmit: true,
  };
  return {
    "Pulumi.yaml": `name: bench\nruntime: { name: nodejs, options: ${options[typeScript]} }\n`,
    "package.json": '{ "main": "index.ts" }',
    "tsconfig.json": JSON.stringify({ compilerOptions, include: ["*.ts"] }),
    "tsconfig.pulumi.json": JSON.stringify({
      extends: "./tsconfig.json",
      compilerOptions: { noCheck: true },
    }),
    "index.ts": isEmpty ? emptyProgram : program,
  };
}

const loop = (constructor: string) => `
for (let i = 0; i < ${lookups}; i++) {
  new ${constructor}(\`lookup-\${i}\`, { projectId: "${projectId}", clusterName: \`cluster-\${i}\` });
}
`;

const program = `import * as clouddb from "pulumi-clouddb";
${loop("clouddb.ClusterConnectionStrings")}`;

const emptyProgram = `import * as pulumi from "@pulumi/pulumi";

const provider: pulumi.dynamic.ResourceProvider = {
  check: async (_olds: unknown, news: unknown) => ({ inputs: news }),
  diff: async () => ({ changes: false }),
  create: async (inputs: object) => ({ id: "id", outs: inputs }),
};

class Lookup extends pulumi.dynamic.Resource {
  constructor(name: string, args: { projectId: string; clusterName: string }) {
    super(provider, name, { recommended: undefined, ...args });
  }
}
${loop("Lookup")}`;
