/** Copies of the example fleet, which act as machines. */
import assert from "node:assert/strict";
import { cpSync, existsSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Cleanup, markerFolder, scratchFolder } from "../cleanup";
import { type Command, type CommandResult, startCommand } from "../command";

const root = join(__dirname, "..", "..");
const example = join(root, "examples", "fleet");

/** A list of stacks, in the format of fleet.json. */
export interface FleetList {
  readonly requestsPerMinute?: number;
  readonly requestsPerStack?: number;
  readonly uniqueHostNames?: boolean;
  readonly stacks: readonly {
    readonly name: string;
    readonly projectId: string;
    readonly privateIpMode?: boolean;
    readonly clusters?: readonly string[];
  }[];
}

/** The fields of the output of `--json` that tests read. */
export interface PrintedSummary {
  readonly succeeded: number;
  readonly drifted: number;
  readonly failed: number;
  readonly remaining: number;
  readonly seconds: number;
  readonly peakMemoryMb: number;
  readonly results: readonly {
    readonly stack: string;
    readonly status: string;
    readonly reason?: string;
    readonly changes: Record<string, number>;
    readonly startedAt: string;
    readonly seconds: number;
    readonly driver: string;
  }[];
}

/** A copy of the example, as a machine would have it. */
export interface Machine {
  /** Starts `fleet` with arguments, as a process group. */
  readonly fleet: (...args: readonly string[]) => Command;
}

/**
 * Creates a machine.
 *
 * @param cleanup kills its processes and removes its files
 * @param fleet the content of fleet.json
 * @param environment the backend and the settings
 */
export function createMachine(
  cleanup: Cleanup,
  fleet: FleetList,
  environment: Readonly<Record<string, string>>,
): Machine {
  const folder = scratchFolder(cleanup);
  copyExample(folder);
  writeFileSync(join(folder, "fleet.json"), JSON.stringify(fleet));
  const env = {
    ...process.env,
    TMPDIR: markerFolder(),
    PULUMI_CONFIG_PASSPHRASE: "",
    ...environment,
  };
  const script = ["--require", "ts-node/register/transpile-only", join(folder, "main.ts")];
  return {
    fleet: (...args) =>
      startCommand(cleanup, process.execPath, [...script, ...args], {
        cwd: folder,
        env,
        ownGroup: true,
      }),
  };
}

/** Waits for a command with `--json`, and returns the summary that it printed. */
export async function summaryOf(command: Command): Promise<PrintedSummary & CommandResult> {
  const result = await command.result;
  assert.match(result.stdout, /^\{/, result.stderr);
  return { ...(JSON.parse(result.stdout) as PrintedSummary), ...result };
}

function copyExample(folder: string): void {
  const modules = join(example, "node_modules");
  const isLocal = /(^|\/)(node_modules|\.fleet|Pulumi\.[^/]+\.yaml)$/;
  cpSync(example, folder, { recursive: true, filter: (path) => !isLocal.test(path) });
  if (existsSync(modules)) symlinkSync(modules, join(folder, "node_modules"));
}
