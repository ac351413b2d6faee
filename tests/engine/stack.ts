/**
 * Runs a Pulumi program on the real CLI, with its own file backend. The program is JavaScript in a
 * folder in the repository, so that `require` finds pulumi-clouddb as it does in a user's project.
 */
import assert from "node:assert/strict";
import { cpSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import {
  CommandError,
  type EngineEvent,
  LocalWorkspace,
  PulumiCommand,
  type Stack,
  type UpdateSummary,
} from "@pulumi/pulumi/automation";
import { type Cleanup, scratchFolder } from "../cleanup";

const root = join(__dirname, "..", "..");

/** A stack on the real CLI, and what tests do with it. */
export interface TestStack {
  readonly stack: Stack;
  /** The folder of the program. */
  readonly folder: string;
  /** Variables that the Pulumi CLI needs in addition to the environment of the tests. */
  readonly environment: Readonly<Record<string, string>>;
  /** Replaces the program, as a user's edit would. */
  readonly program: (text: string, preamble?: string) => void;
  /** Returns everything that the CLI printed. Throws unless the operation fails. */
  readonly failure: (operation: Promise<unknown>) => Promise<string>;
}

/** A program in JavaScript, and its project. */
export interface Program {
  /** The program, which can use `pulumi` and `clouddb`. */
  readonly text: string;
  /** The name of the Pulumi project. */
  readonly pulumiProject: string;
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
  { text, pulumiProject, stackName, preamble = dynamicPreamble, settings = "" }: Program,
  environment: Record<string, string>,
): Promise<TestStack> {
  const folder = scratchFolder(cleanup);
  const project = `name: ${pulumiProject}\nruntime: nodejs\n${settings}`;
  writeFileSync(join(folder, "Pulumi.yaml"), project);
  writeFileSync(join(folder, "package.json"), '{ "main": "index.js" }');
  writeFileSync(join(folder, "index.js"), `${preamble}${text}\n`);
  return stackIn(folder, environment, stackName);
}

/** Creates a stack for a copy of an example. */
export function exampleStack(
  cleanup: Cleanup,
  example: string,
  environment: Record<string, string>,
): Promise<TestStack> {
  const folder = scratchFolder(cleanup);
  cpSync(join(root, "examples", example), folder, { recursive: true });
  return stackIn(folder, environment);
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

async function stackIn(
  folder: string,
  settings: Record<string, string>,
  stackName = "test",
): Promise<TestStack> {
  const backend = join(folder, "backend");
  mkdirSync(backend);
  const fileBackend = `file://${backend}`;
  const environment = {
    PULUMI_BACKEND_URL: fileBackend,
    PULUMI_CONFIG_PASSPHRASE: "",
    PULUMI_SKIP_UPDATE_CHECK: "1",
    ...settings,
  };
  const stack = await LocalWorkspace.createStack(
    { stackName, workDir: folder },
    { envVars: environment, pulumiCommand: await pulumiCommand },
  );
  if (environment.PULUMI_BACKEND_URL === fileBackend) readResultsFrom(backend, stack);
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
 * Reads the summary and the outputs of an operation from the files of the backend. The Automation API
 * starts the CLI three more times for them, which is a third of the time of an update.
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

/** The part of a state file that holds the outputs: those of the resource that stands for the stack. */
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
