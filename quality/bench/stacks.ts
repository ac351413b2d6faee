/** Measures Pulumi commands with the real CLI. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, delimiter, join } from "node:path";
import { type Simulator, startSimulator } from "clouddb-simulator";
import { backendIn } from "../../tests/engine/terminal";
import { accountSettings } from "../../tests/support/service";
import { type ProgramName, type Size, programs, seedOf } from "./programs";

/** A row of the table. */
export interface Measure {
  readonly benchmark: Benchmark;
  readonly command: Command;
  readonly program: ProgramName;
  readonly runs: readonly Run[];
  /** Whether it is of the checkout that `--against` names. */
  readonly isOther: boolean;
}

/** What one run of a command took, and left in the backend. */
export interface Run {
  readonly seconds: number;
  /** Of the CLI and the processes that it started. */
  readonly cpuSeconds: number;
  readonly stateBytes: number;
  /** Those to the service, which include requests for tokens. */
  readonly requests: number;
}

/** A checkout whose packages are measured. */
export interface Checkout {
  /** The folder of the packed packages, in the checkout, where they find their dependencies in its node_modules. */
  readonly folder: string;
  readonly isOther: boolean;
}

const pulumi = (...words: readonly string[]) =>
  ["pulumi", ...words, "--non-interactive", "--color", "never"] as const;
const options = ["--yes", "--skip-preview"];
const commands = {
  preview: pulumi("preview"),
  "preview --json": pulumi("preview", "--json"),
  // Without the start of npx. The packages are beside the folder of the stack.
  report: [
    "node",
    "../node_modules/pulumi-clouddb/bin/pulumi-clouddb.js",
    "preview",
    "--stack",
    "bench",
  ],
  up: pulumi("up", ...options),
  "up without changes": pulumi("up", ...options, "--expect-no-changes"),
  refresh: pulumi("refresh", ...options),
  destroy: pulumi("destroy", ...options),
} as const;

export type Command = keyof typeof commands;

export interface Benchmark extends Size {
  readonly names: readonly ProgramName[];
  /** Run in this order. */
  readonly commands: readonly Command[];
}

interface Stack {
  readonly program: ProgramName;
  readonly isOther: boolean;
  readonly folder: string;
  /** Runs a command in the folder of the stack. Does not count the requests. */
  readonly run: (words: readonly string[]) => Promise<Omit<Run, "requests">>;
}

/** Measures the commands of all programs in alternation. */
export async function measureStacks(
  checkouts: readonly Checkout[],
  runs: number,
  benchmark: Benchmark,
): Promise<Measure[]> {
  const { names, lookups, commands: measured } = benchmark;
  // Without a rate limit, which would slow down programs that send a request for each lookup.
  const service = await startSimulator({
    seed: seedOf(Math.max(200, lookups)),
    port: 0,
    requestsPerMinute: Infinity,
  });
  const stacks: Stack[] = [];
  try {
    for (const program of names) {
      for (const checkout of checkouts) {
        if (checkout.isOther && programs[program].isControl === true) continue;
        stacks.push(await createStack(service, checkout, program, benchmark));
      }
    }
    // The commands of a stack run in this order, so a round runs each command with all programs.
    const timings = measured.flatMap((command) =>
      stacks.map((stack) => ({ command, ...stack, measured: [] as Run[] })),
    );
    // The first round warms up caches. Those of a single run are warm, because others were measured before.
    for (let round = runs === 1 ? 1 : 0; round <= runs; round += 1) {
      for (const { command, run, measured } of timings) {
        service.reset();
        const result = await run(commands[command]);
        if (round > 0) measured.push({ ...result, requests: service.requests.length });
      }
    }
    return timings.map(({ command, program, isOther, measured }) => ({
      benchmark,
      command,
      program,
      isOther,
      runs: measured,
    }));
  } finally {
    for (const { folder } of stacks) rmSync(folder, { recursive: true, force: true });
    await service.stop();
  }
}

/** Creates a stack in a separate folder, where `require` finds the packed pulumi-clouddb. */
async function createStack(
  service: Simulator,
  checkout: Checkout,
  program: ProgramName,
  size: Size,
): Promise<Stack> {
  const folder = mkdtempSync(join(checkout.folder, `${program}-`));
  mkdirSync(join(folder, "backend"));
  const plugins = { providers: [{ name: "clouddb", path: join(checkout.folder, "plugin") }] };
  const { source, files: more, environment } = programs[program];
  const files = {
    ...more?.(),
    "index.js": source(size),
    "package.json": JSON.stringify({ main: "index.js" }),
    "Pulumi.yaml": JSON.stringify({
      name: "bench",
      runtime: "nodejs",
      ...(program === "plugin" ? { plugins } : {}),
    }),
  };
  for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, file), text);
  const settings = accountSettings(service);
  const env = {
    ...process.env,
    ...settings,
    ...(program === "byHand" ? { NODE_EXTRA_CA_CERTS: settings["CLOUDDB_CA_FILE"] } : {}),
    PATH: [dirname(process.execPath), process.env["PATH"]].join(delimiter),
    ...backendIn(join(folder, "backend")),
    PULUMI_STACK: "bench",
    ...environment,
  };
  const state = join(folder, "backend", ".pulumi", "stacks", "bench", "bench.json");
  const run = async (words: readonly string[]) => {
    const shell = `"$@" > output.txt 2>&1 && times > times.txt`;
    const start = performance.now();
    const child = spawn("sh", ["-c", shell, "sh", ...words], { cwd: folder, env, stdio: "ignore" });
    const [code] = (await once(child, "exit")) as [number | null];
    if (code === 0) {
      const seconds = (performance.now() - start) / 1000;
      const [, ofChildren = ""] = readFileSync(join(folder, "times.txt"), "utf8").split("\n");
      return { seconds, cpuSeconds: secondsIn(ofChildren), stateBytes: statSync(state).size };
    }
    const output = readFileSync(join(folder, "output.txt"), "utf8");
    throw new Error(`${words.join(" ")} failed:\n${output}`);
  };
  await run(pulumi("stack", "init", "bench"));
  return { program, isOther: checkout.isOther, folder, run };
}

/** Returns the sum of the times that the shell prints, such as `1m2.5s 0m0.25s`. */
function secondsIn(times: string): number {
  const found = [...times.matchAll(/(\d+)m([\d.]+)s/g)];
  return found.reduce((sum, [, minutes, rest]) => sum + Number(minutes) * 60 + Number(rest), 0);
}
