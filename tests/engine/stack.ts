/**
 * A Pulumi program of a test's own on the real CLI, with a file backend and a state that are thrown
 * away. The program is JavaScript in a folder below the repository, so that `require` finds
 * pulumi-clouddb as it does in a user's project.
 */
import assert from "node:assert/strict";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { CommandError, LocalWorkspace, type Stack } from "@pulumi/pulumi/automation";

const root = join(__dirname, "..", "..");

export interface TestStack {
  readonly stack: Stack;
  /** Where the program is. */
  readonly folder: string;
  /** For a Pulumi CLI that a test runs itself, besides its own environment. */
  readonly environment: Readonly<Record<string, string>>;
  /** Replaces the program, as an edit would. */
  readonly program: (text: string) => void;
  /** The whole state, secrets encrypted, as text. */
  state(): Promise<string>;
  /** Fails unless the operation fails; gives all that the CLI printed. */
  readonly failure: (operation: Promise<unknown>) => Promise<string>;
  remove(): void;
}

/** A stack of the program, which may use `pulumi` and `clouddb`, with settings for the service. */
export async function testStack(
  program: string,
  settings: Record<string, string>,
  pulumiProject = "tested",
): Promise<TestStack> {
  const folder = scratchFolder();
  writeFileSync(join(folder, "Pulumi.yaml"), `name: ${pulumiProject}\nruntime: nodejs\n`);
  writeFileSync(join(folder, "package.json"), '{ "main": "index.js" }');
  writeFileSync(join(folder, "index.js"), `${preamble}${program}\n`);
  return await stackIn(folder, settings);
}

/** A stack of a copy of an example: its own settings file is not touched. */
export async function exampleStack(
  example: string,
  settings: Record<string, string>,
): Promise<TestStack> {
  const folder = scratchFolder();
  cpSync(join(root, "examples", example), folder, { recursive: true });
  return await stackIn(folder, settings);
}

function scratchFolder(): string {
  const scratch = join(root, ".clouddb", "tests");
  mkdirSync(scratch, { recursive: true });
  return mkdtempSync(join(scratch, "stack-"));
}

async function stackIn(folder: string, settings: Record<string, string>): Promise<TestStack> {
  mkdirSync(join(folder, "backend"));
  const environment = {
    PULUMI_BACKEND_URL: `file://${join(folder, "backend")}`,
    PULUMI_CONFIG_PASSPHRASE: "",
    PULUMI_SKIP_UPDATE_CHECK: "1",
    ...settings,
  };
  const stack = await LocalWorkspace.createOrSelectStack(
    { stackName: "test", workDir: folder },
    { envVars: environment },
  );
  return {
    stack,
    folder,
    environment,
    program: (text) => {
      writeFileSync(join(folder, "index.js"), `${preamble}${text}\n`);
    },
    state: async () => JSON.stringify(await stack.exportStack()),
    failure: async (operation) => {
      try {
        await operation;
      } catch (error) {
        if (!(error instanceof CommandError)) throw error;
        assert.doesNotMatch(error.message, controlCharacter);
        return error.message;
      }
      throw new Error("the operation succeeds");
    },
    remove: () => {
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** No message may steer a terminal or reorder what is read. */
const controlCharacter = /[^\P{Cc}\n]|[\u200b-\u200f\u202a-\u202e\u2066-\u2069]/u;

/** The state file itself, as it lies on the disk. */
export function stateFile(stack: Stack): string {
  const stacks = join(stack.workspace.workDir, "backend", ".pulumi", "stacks");
  const [project = ""] = readdirSync(stacks);
  return readFileSync(join(stacks, project, "test.json"), "utf8");
}

const preamble = `const pulumi = require("@pulumi/pulumi");
const clouddb = require("pulumi-clouddb");
`;
