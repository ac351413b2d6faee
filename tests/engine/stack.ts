/** Stacks on the real CLI. A program is a function, or JavaScript in a folder, where `require` finds the packages. */
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import {
  CommandError,
  LocalWorkspace,
  PulumiCommand,
  type PulumiFn,
  type Stack,
  type UpdateSummary,
} from "@pulumi/pulumi/automation";
import { type Cleanup, scratchFolder } from "../support/cleanup";
import { backendIn } from "./terminal";
import connections = require("@grpc/grpc-js/build/src/subchannel-pool");

// Inline programs leave gRPC channels to engines that have ended. gRPC shares the connections of all channels to one
// port, so an engine on a port that an earlier one had would be "No connection established. Last error: null". With
// this, each channel of the process has connections of its own.
Object.assign(connections, { getSubchannelPool: () => new connections.SubchannelPool() });

/** A stack on the real CLI. `Text` is the type of its program. */
export interface TestStack<Text = string> {
  readonly stack: Stack;
  /** The folder of the program. */
  readonly folder: string;
  /** Variables that the Pulumi CLI needs in addition to the environment of the tests. */
  readonly environment: Readonly<Record<string, string>>;
  /** Replaces the program, as a user's edit would. */
  readonly program: (text: Text) => void;
  /** Returns everything that the CLI printed. Throws unless the operation fails. */
  readonly failure: (operation: Promise<unknown>) => Promise<string>;
}

/**
 * Creates the folder of a program in JavaScript, which can use `pulumi` and `clouddb`.
 *
 * @param settings further lines of Pulumi.yaml
 */
export function programFolder(cleanup: Cleanup, text: string, settings: string): string {
  const folder = scratchFolder(cleanup);
  // Without this option, Pulumi loads the TypeScript compiler for JavaScript, too.
  const runtime = "runtime: { name: nodejs, options: { typescript: false } }";
  writeFileSync(join(folder, "Pulumi.yaml"), `name: tested\n${runtime}\n${settings}`);
  writeFileSync(join(folder, "package.json"), '{ "main": "index.js" }');
  writeProgram(folder, text);
  return folder;
}

function writeProgram(folder: string, text: string): void {
  const modules = `const pulumi = require("@pulumi/pulumi");
const clouddb = require("pulumi-clouddb");
`;
  writeFileSync(join(folder, "index.js"), `${modules}${text}\n`);
}

/** Creates a stack for the program in a folder. */
export async function folderStack(
  folder: string,
  settings: Record<string, string>,
  stackName = "test",
): Promise<TestStack> {
  const { options, environment } = await workspaceIn(folder, settings);
  const stack = await LocalWorkspace.createStack({ stackName, workDir: folder }, options);
  const program = (text: string) => {
    writeProgram(folder, text);
  };
  return { ...testStack(stack, folder, environment), program };
}

/** Creates a stack for a program in the test's process, for which Pulumi starts no language host. */
export async function inlineStack(
  folder: string,
  program: PulumiFn,
  settings: Record<string, string>,
): Promise<TestStack<PulumiFn>> {
  const { options, environment } = await workspaceIn(folder, settings);
  const args = { stackName: "test", projectName: "tested", program };
  const stack = await LocalWorkspace.createStack(args, options);
  return {
    ...testStack(stack, folder, environment),
    program: (next) => {
      stack.workspace.program = next;
    },
  };
}

/** Returns the state file as it is on disk. */
export function stateFile(stack: Stack): string {
  const stacks = join(stack.workspace.workDir, "backend", ".pulumi", "stacks");
  const [project = ""] = readdirSync(stacks);
  return readFileSync(join(stacks, project, `${stack.name}.json`), "utf8");
}

async function workspaceIn(folder: string, settings: Record<string, string>) {
  const backend = join(folder, "backend");
  mkdirSync(backend);
  const environment = { ...backendIn(backend), ...settings };
  const options = { workDir: folder, envVars: environment, pulumiCommand: await pulumiCommand };
  return { options, environment };
}

function testStack(stack: Stack, folder: string, environment: Record<string, string>) {
  readResultsFrom(join(folder, "backend"), stack);
  const failure = async (operation: Promise<unknown>) => {
    try {
      await operation;
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      assert.doesNotMatch(error.message, controlCharacter);
      return error.message;
    }
    throw new Error("the operation succeeded, but should fail");
  };
  return { stack, folder, environment, failure };
}

/** Reads the files of the backend, because the CLI would take a third of an update for them. */
function readResultsFrom(backend: string, stack: Stack): void {
  const history = join(backend, ".pulumi", "history");
  stack.info = () => {
    const files = readdirSync(history, { recursive: true, encoding: "utf8" });
    const [newest = ""] = files
      .filter((name) => name.endsWith(".history.json"))
      .sort((a, b) => basename(b).localeCompare(basename(a)));
    const summary = JSON.parse(readFileSync(join(history, newest), "utf8")) as UpdateSummary;
    return Promise.resolve(summary);
  };
  const decryptedOutputs = stack.outputs.bind(stack);
  stack.outputs = () => {
    const { checkpoint } = JSON.parse(stateFile(stack)) as RecordedState;
    const recorded = checkpoint.latest.resources?.find(
      ({ type }) => type === "pulumi:pulumi:Stack",
    );
    const outputs = Object.entries(recorded?.outputs ?? {});
    if (JSON.stringify(outputs).includes("ciphertext")) return decryptedOutputs();
    const plain = outputs.map(([name, value]) => [name, { value, secret: false }] as const);
    return Promise.resolve(Object.fromEntries(plain));
  };
}

/** The part of a state file that holds the outputs of the stack's own resource. */
interface RecordedState {
  readonly checkpoint: {
    readonly latest: {
      readonly resources?: readonly {
        readonly type: string;
        readonly outputs?: Record<string, unknown>;
      }[];
    };
  };
}

/** The CLI, whose version the Automation API reads once. */
const pulumiCommand = PulumiCommand.get();

/** Characters that control a terminal or reorder text. */
const controlCharacter = /[^\P{Cc}\n]|[\u200b-\u200f\u202a-\u202e\u2066-\u2069]/u;
