/** The Mocha hooks of this layer: a service with projects, and copies of the example that act as machines. */
import assert from "node:assert/strict";
import { cpSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Seed } from "clouddb-simulator";
import { processFolder, temporaryFolder, useCleanup } from "../cleanup";
import { type Command, type CommandResult, startCommand } from "../command";
import { type Service, settingsFor, useService } from "../service";

const root = join(__dirname, "..", "..");
const example = join(root, "examples", "fleet");

/** Returns the ID of one of the service's projects. */
export function projectId(index: number): string {
  return `64a0c0ffee${String(index).padStart(14, "0")}`;
}

/** A list of stacks, in the format of fleet.json. */
export interface FleetList {
  readonly requestsPerMinute?: number;
  readonly requestsPerStack?: number;
  readonly stacks: readonly {
    readonly name: string;
    readonly projectId: string;
    readonly privateIpMode?: boolean;
    readonly clusters?: readonly string[];
  }[];
}

/** What `--json` prints, as far as tests read it. */
export interface PrintedSummary {
  readonly succeeded: number;
  readonly drifted: number;
  readonly failed: number;
  readonly remaining: number;
  readonly results: readonly {
    readonly stack: string;
    readonly status: string;
    readonly reason?: string;
    readonly changes: Record<string, number>;
    readonly driver: string;
  }[];
}

/** A copy of the example, as a machine would have it. */
export interface Machine {
  /** Starts `fleet` with arguments, as a process group. */
  readonly fleet: (...args: readonly string[]) => Command;
}

interface Fleets {
  readonly service: Service;
  /**
   * Creates a machine.
   *
   * @param fleet the content of fleet.json
   * @param environment the backend and other variables
   */
  readonly createMachine: (fleet: FleetList, environment: Record<string, string>) => Machine;
  /** Returns the variables for a new file backend. */
  readonly fileBackend: () => Record<string, string>;
}

/** Runs a service with three projects during the tests of the enclosing `describe`. */
export function useFleet(): Fleets {
  const cleanup = useCleanup("test");
  const service = useService(seed());
  const scratch = () => {
    const parent = join(root, ".clouddb", "tests");
    mkdirSync(parent, { recursive: true });
    return temporaryFolder(cleanup, parent);
  };
  return {
    service,
    fileBackend: () => ({ PULUMI_BACKEND_URL: `file://${scratch()}` }),
    createMachine: (fleet, environment) => {
      const folder = scratch();
      copyExample(folder);
      writeFileSync(join(folder, "fleet.json"), JSON.stringify(fleet));
      const env = {
        ...process.env,
        TMPDIR: processFolder,
        PULUMI_CONFIG_PASSPHRASE: "",
        ...settingsFor(service),
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
    },
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

function seed(): Seed {
  const projects = [1, 2, 3].map((index) => ({
    id: projectId(index),
    name: `project-${index}`,
    organization: "acme",
    privateIpMode: { enabled: true },
    clusters: [{ name: "main", version: "7.0.12" }],
  }));
  const roles = projects.map(({ id }) => ({ projectId: id, role: "owner" as const }));
  const apiKeys = [{ publicKey: "demo", privateKey: "demo-secret", roles }];
  return { organizations: [{ name: "acme", apiKeys }], projects };
}
