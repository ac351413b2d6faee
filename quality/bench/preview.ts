/** Measures `pulumi preview` of each contender with the real CLI, and the size of the recorded state. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Simulator } from "clouddb-simulator";
import { settingsFor } from "../../tests/service";
import { type Key, contenders } from "./contenders";
import { benchFolder } from "./processes";
import { setLatency, withService } from "./service";
import { type Spread, alternate, milliseconds, spread } from "../statistics";

/** A program to preview: its number of lookups, the latency of the service in milliseconds, and the runs. */
export interface PreviewCase {
  readonly lookups: number;
  readonly latency: number;
  readonly runs: number;
  readonly contenders: readonly Key[];
}

/** The result of a preview case, by contender. */
export interface PreviewResult extends PreviewCase {
  /** In milliseconds. */
  readonly time: Partial<Record<Key, Spread>>;
  /** HTTP requests of one preview, including challenges. */
  readonly requests: Partial<Record<Key, number>>;
}

/** A stack in its own folder, where `require` finds the packed pulumi-clouddb. */
export interface BenchStack {
  pulumi(...args: string[]): Promise<string>;
  remove(): void;
}

/** Measures the cases one after the other, and calls `done` with the result of each. */
export async function measurePreviews(
  cases: readonly PreviewCase[],
  done: (result: PreviewResult) => void,
): Promise<void> {
  await withService(200, async (service) => {
    for (const each of cases) done(await measurePreview(service, each));
  });
}

async function measurePreview(
  service: Simulator,
  previewCase: PreviewCase,
): Promise<PreviewResult> {
  const { lookups, latency, runs } = previewCase;
  const requests: Partial<Record<Key, number>> = {};
  const stacks = await Promise.all(
    previewCase.contenders.map(async (key) => ({
      key,
      stack: await benchStack(key, lookups, service),
    })),
  );
  setLatency(service, latency);
  const previewOf = (key: Key, stack: BenchStack) => async () => {
    const before = service.requests.length;
    const time = await milliseconds(() => stack.pulumi("preview"));
    requests[key] = service.requests.length - before;
    // The simulator keeps only the latest 10,000 requests.
    if (service.requests.length > 5000) {
      service.reset();
      setLatency(service, latency);
    }
    return time;
  };
  const previews = Object.fromEntries(stacks.map(({ key, stack }) => [key, previewOf(key, stack)]));
  const samples = await alternate(runs, previews);
  for (const { stack } of stacks) stack.remove();
  const time = Object.fromEntries(
    Object.entries(samples).map(([key, values]) => [key, spread(values)]),
  );
  return { ...previewCase, time, requests };
}

/** `clouddbWithSdk` and `plugin` record the same text as `clouddb`. */
export type StateKey = Exclude<Key, "clouddbWithSdk" | "plugin">;

/** Measures `__provider` in the state that `pulumi up` records, in bytes per resource. */
export async function measureState(): Promise<Record<StateKey, number>> {
  return withService(1, async (service) => {
    const bytes: Record<StateKey, number> = { empty: NaN, fetching: NaN, clouddb: NaN };
    for (const key of ["empty", "fetching", "clouddb"] as const) {
      const stack = await benchStack(key, 1, service);
      await stack.pulumi("up", "--yes", "--skip-preview");
      const state = await stack.pulumi("stack", "export", "--show-secrets");
      const text = /"__provider": *("(?:[^"\\]|\\.)*")/.exec(state)?.[1];
      if (text !== undefined) bytes[key] = Buffer.byteLength(String(JSON.parse(text)));
      stack.remove();
    }
    return bytes;
  });
}

function benchStack(key: Key, lookups: number, service: Simulator): Promise<BenchStack> {
  const { program, settings } = contenders[key];
  const files = {
    "Pulumi.yaml": `name: bench\nruntime: nodejs\n${settings?.() ?? ""}`,
    "package.json": '{ "main": "index.js" }',
    "index.js": program(lookups),
  };
  return createStack(key, files, service);
}

/** Creates a stack for a program in a folder of its own, with variables in addition to this process's. */
export async function createStack(
  name: string,
  files: Readonly<Record<string, string>>,
  service: Simulator,
  more: NodeJS.ProcessEnv = {},
): Promise<BenchStack> {
  const folder = mkdtempSync(join(benchFolder, `${name}-`));
  mkdirSync(join(folder, "backend"));
  for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, file), text);
  const variables = settingsFor(service);
  const env = {
    ...process.env,
    ...variables,
    // `fetching` needs it for the fetch of Node.js. All contenders get it, so that all have the same cost.
    NODE_EXTRA_CA_CERTS: variables["CLOUDDB_CA_FILE"],
    PULUMI_BACKEND_URL: `file://${join(folder, "backend")}`,
    PULUMI_CONFIG_PASSPHRASE: "",
    PULUMI_SKIP_UPDATE_CHECK: "1",
    PULUMI_STACK: "bench",
    ...more,
  };
  const pulumi = (...args: string[]) => run(args, { cwd: folder, env });
  await pulumi("stack", "init", "bench");
  return {
    pulumi,
    remove: () => {
      rmSync(folder, { recursive: true, force: true });
    },
  };
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
