/**
 * Runs Pulumi programs on the real CLI, with a file backend for each. A program is a function in the test's process,
 * or JavaScript in a folder of the repository. There, `require` finds pulumi-clouddb as in a user's project.
 */
import assert from "node:assert/strict";
import { cpSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import {
  CommandError,
  type EngineEvent,
  type InlineProgramArgs,
  type LocalProgramArgs,
  LocalWorkspace,
  PulumiCommand,
  type PulumiFn,
  type Stack,
  type UpdateSummary,
} from "@pulumi/pulumi/automation";
import { type Cleanup, scratchFolder } from "../support/cleanup";
import { backendIn } from "./terminal";

const root = join(__dirname, "..", "..");

/** A stack on the real CLI. `Text` is the type of its program. */
export interface TestStack<Text = string> {
  readonly stack: Stack;
  /** The folder of the program. */
  readonly folder: string;
  /** Variables that the Pulumi CLI needs in addition to the environment of the tests. */
  readonly environment: Readonly<Record<string, string>>;
  /** Replaces the program, as a user's edit would. */
  readonly program: (text: Text, preamble?: string) => void;
  /** Returns everything that the CLI printed. Throws unless the operation fails. */
  readonly failure: (operation: Promise<unknown>) => Promise<string>;
}

/** A program in JavaScript, and its project. */
export interface Program {
  /** The program, which can use `pulumi` and `clouddb`. */
  readonly text: string;
  /** The name of the Pulumi project. Default: tested */
  readonly pulumiProject?: string;
  /** The name of the stack. Default: test */
  readonly stackName?: string | undefined;
  /** What loads `pulumi` and `clouddb`. Default: requires pulumi-clouddb */
  readonly preamble?: string | undefined;
  /** Further lines of Pulumi.yaml. Default: none */
  readonly settings?: string | undefined;
}

/** Creates a stack for a program. */
export function programStack(
  cleanup: Cleanup,
  { text, pulumiProject = "tested", stackName, preamble = dynamicPreamble, settings = "" }: Program,
  environment: Record<string, string>,
): Promise<TestStack> {
  const folder = scratchFolder(cleanup);
  // Without this option, Pulumi loads the TypeScript compiler for JavaScript, too.
  const runtime = "runtime: { name: nodejs, options: { typescript: false } }";
  writeFileSync(join(folder, "Pulumi.yaml"), `name: ${pulumiProject}\n${runtime}\n${settings}`);
  writeFileSync(join(folder, "package.json"), '{ "main": "index.js" }');
  writeFileSync(join(folder, "index.js"), `${preamble}${text}\n`);
  return stackIn(folder, environment, stackName);
}

/**
 * Creates a stack for a copy of an example.
 *
 * @param prepare changes the copy before the stack is created
 */
export function exampleStack(
  cleanup: Cleanup,
  example: string,
  environment: Record<string, string>,
  prepare: (folder: string) => void = () => undefined,
): Promise<TestStack> {
  const folder = scratchFolder(cleanup);
  cpSync(join(root, "examples", example), folder, { recursive: true });
  prepare(folder);
  // The checks compile the examples.
  return stackIn(folder, { ...environment, PULUMI_NODEJS_TRANSPILE_ONLY: "true" });
}

/** Creates a stack for a program in the test's process, for which Pulumi starts no language host. */
export async function inlineStack(
  cleanup: Cleanup,
  program: PulumiFn,
  environment: Record<string, string>,
  { stackName = "test", settings }: Pick<Program, "stackName" | "settings">,
): Promise<TestStack<PulumiFn>> {
  const folder = scratchFolder(cleanup);
  if (settings !== undefined) {
    writeFileSync(join(folder, "Pulumi.yaml"), `name: tested\nruntime: nodejs\n${settings}`);
  }
  const args = { stackName, projectName: "tested", program };
  const tested = await createStack(folder, environment, args);
  return {
    ...tested,
    program: (next) => {
      tested.stack.workspace.program = next;
    },
  };
}

/** Returns the state file as it is on disk. */
export function stateFile(stack: Stack): string {
  const stacks = join(stack.workspace.workDir, "backend", ".pulumi", "stacks");
  const [project = ""] = readdirSync(stacks);
  return readFileSync(join(stacks, project, `${stack.name}.json`), "utf8");
}

/** Collects the diagnostics of one severity; `onEvent` is an option of an operation. */
export function collectDiagnostics(severity: "warning" | "error"): {
  messages: string[];
  onEvent: (event: EngineEvent) => void;
} {
  const messages: string[] = [];
  const onEvent = ({ diagnosticEvent }: EngineEvent) => {
    if (diagnosticEvent?.severity === severity) messages.push(diagnosticEvent.message.trim());
  };
  return { messages, onEvent };
}

function stackIn(folder: string, environment: Record<string, string>, stackName = "test") {
  return createStack(folder, environment, { stackName, workDir: folder });
}

async function createStack(
  folder: string,
  settings: Record<string, string>,
  args: LocalProgramArgs | InlineProgramArgs,
): Promise<TestStack> {
  const backend = join(folder, "backend");
  mkdirSync(backend);
  const environment = { ...backendIn(backend), ...settings };
  const options = { workDir: folder, envVars: environment, pulumiCommand: await pulumiCommand };
  const stack = await ("program" in args
    ? LocalWorkspace.createStack(args, options)
    : LocalWorkspace.createStack(args, options));
  readResultsFrom(backend, stack);
  return {
    stack,
    folder,
    environment,
    program: (text, preamble = dynamicPreamble) => {
      writeFileSync(join(folder, "index.js"), `${preamble}${text}\n`);
    },
    failure: async (operation) => {
      try {
        await operation;
      } catch (error) {
        if (!(error instanceof CommandError)) throw error;
        assert.doesNotMatch(error.message, controlCharacter);
        return error.message;
      }
      throw new Error("the operation succeeded, but should fail");
    },
  };
}

/**
 * Reads the summary and the outputs of an operation from the files of the backend. The Automation API would start the
 * CLI three more times, which takes a third of an update's time.
 */
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

/** Loads pulumi-clouddb, which serves dynamic resources. */
export const dynamicPreamble = `const pulumi = require("@pulumi/pulumi");
const clouddb = require("pulumi-clouddb");
`;
