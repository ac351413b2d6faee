/** Measures Pulumi commands with the real CLI, and the size of the recorded state. */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import type { Simulator } from "clouddb-simulator";
import { z } from "zod";
import { settingsFor } from "../../tests/support/service";
import type { NodeMajor } from "../matrix/rows";
import type { Tool } from "../matrix/toolchain";
import {
  type Contender,
  filesOf,
  hostArgumentsOf,
  inJavaScript,
  isControl,
  labelOf,
} from "./setups";
import { alternate, milliseconds } from "./statistics";

/** A row of the table. */
export interface Measure {
  /** What is measured, such as `preview of 20`. */
  readonly group: string;
  readonly label: string;
  readonly unit: "s" | "ms" | "MB" | "bytes";
  readonly values: readonly number[];
  /** Whether the others in its group are compared with it. */
  readonly isBase: boolean;
  /** Whether it is of the checkout that `--against` names. */
  readonly isOther: boolean;
}

/** A checkout whose packages are measured. */
interface Checkout {
  readonly folder: string;
  /** In the checkout, so that the packages find their dependencies in its node_modules. */
  readonly bench: string;
  readonly isOther: boolean;
}

export function checkoutIn(folder: string, index: number): Checkout {
  return { folder, bench: join(folder, ".clouddb", "bench"), isOther: index > 0 };
}

/** Shared by the measures of a run. */
export interface Run {
  readonly service: Simulator;
  /** The versions of Node.js that run the programs, from npm. */
  readonly nodes: ReadonlyMap<NodeMajor, Tool>;
  /** The old language host of a CLI that was built from Go modules, which ignores Pulumi.yaml. */
  readonly oldHost: string | undefined;
  /** This one, and the one that `--against` names. */
  readonly checkouts: readonly Checkout[];
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
}

/** Measures the commands of all contenders in alternation, in seconds. */
export async function measureStacks(run: Run, runs: number, stacks: Stacks): Promise<Measure[]> {
  const { contenders, lookups, clusters, commands: names = ["preview"] } = stacks;
  const created = await Promise.all(
    contenders.flatMap((contender) =>
      run.checkouts
        .filter(({ isOther }) => !isOther || !isControl(contender.program))
        .map(async (checkout) => ({
          contender,
          isOther: checkout.isOther,
          ...(await createStack(run, checkout, contender, lookups, clusters)),
        })),
    ),
  );
  // The commands of a stack run in this order, so a round runs each command with all contenders.
  const timings = names.flatMap((name) => created.map((stack) => ({ name, ...stack })));
  const samples = await alternate(
    runs,
    timings.map(({ name, pulumi }) => async () => {
      run.service.reset();
      return (await milliseconds(() => pulumi(...commands[name]))) / 1000;
    }),
  );
  for (const { folder } of created) rmSync(folder, { recursive: true, force: true });
  return timings.map(({ name, contender, isOther }, i) => ({
    group: `${name} of ${lookups}${contender.language === "JavaScript" ? "" : " in TypeScript"}`,
    label: labelOf(contender),
    unit: "s",
    values: samples[i] ?? [],
    isBase: contender.program === "empty",
    isOther,
  }));
}

const exported = z.object({
  deployment: z.object({ resources: z.array(z.looseObject({ type: z.string() })) }),
});

/** Measures a lookup in the state that `pulumi up` records. */
export async function measureState(run: Run): Promise<Measure[]> {
  const contender = inJavaScript("clouddb");
  const sizes = run.checkouts.map(async (checkout): Promise<Measure> => {
    const { folder, pulumi } = await createStack(run, checkout, contender, 1, 200);
    await pulumi(...commands.up);
    const { deployment } = exported.parse(JSON.parse(await pulumi("stack", "export")));
    rmSync(folder, { recursive: true, force: true });
    const isLookup = (type: string) => type.includes("ClusterConnectionStrings");
    const lookup = deployment.resources.find(({ type }) => isLookup(type));
    return {
      group: "state",
      label: "a lookup",
      unit: "bytes",
      values: [Buffer.byteLength(JSON.stringify(lookup))],
      isBase: false,
      isOther: checkout.isOther,
    };
  });
  return await Promise.all(sizes);
}

/** Creates a stack in a separate folder, where `require` finds the packed pulumi-clouddb. */
async function createStack(
  { service, nodes, oldHost }: Run,
  { bench }: Checkout,
  contender: Contender,
  lookups: number,
  clusters: number,
) {
  const { program, node, isWarm = false } = contender;
  const folder = mkdtempSync(join(bench, `${program}-`));
  mkdirSync(join(folder, "backend"));
  const files = filesOf(contender, lookups, clusters, join(bench, "plugin"));
  for (const [file, text] of Object.entries(files)) {
    writeFileSync(join(folder, file), text);
  }
  if (oldHost !== undefined) {
    const script = `#!/bin/sh\nexec "${oldHost}" ${hostArgumentsOf(contender)} "$@"\n`;
    writeFileSync(join(folder, "pulumi-language-nodejs"), script, { mode: 0o755 });
  }
  const env = {
    ...process.env,
    ...settingsFor(service),
    PATH: [folder, nodes.get(node)?.folder, process.env["PATH"]].filter(Boolean).join(delimiter),
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
