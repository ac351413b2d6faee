/** The Mocha hooks of this layer, which start and stop a service and remove stacks. */
import { cpSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { PulumiFn } from "@pulumi/pulumi/automation";
import type { Seed } from "clouddb-simulator";
import { packedPlugin } from "../lifecycles/packedPlugin";
import { type Cleanup, type Lifetime, scratchFolder, useCleanup } from "../support/cleanup";
import { type Command, startCommand } from "../support/command";
import { type Service, type ServiceSettings, settingsFor, useService } from "../support/service";
import { type WrapPlugin, attachablePlugin } from "./attachedPlugin";
import { type TestStack, folderStack, inlineStack, programFolder } from "./stack";

const root = join(__dirname, "..", "..");

interface Options {
  /** The initial data of the service. Default: the quickstart's seed */
  readonly seed?: Seed;
  /** Settings of the service. */
  readonly settings?: ServiceSettings;
  /** When stacks are removed and commands are killed. Default: "test" */
  readonly lifetime?: Lifetime;
  /** Wraps the plugin that the engine attaches to. Default: unchanged */
  readonly wrapPlugin?: WrapPlugin;
}

interface StackOptions {
  /** Environment variables. Default: the settings for the service */
  readonly environment?: Record<string, string>;
  /** Whether the engine starts the packed plugin. Default: false. Inline programs use the plugin in this process */
  readonly usesPackedPlugin?: boolean;
}

/** The service of the enclosing `describe`, and what creates stacks. */
export interface TestedStacks {
  readonly service: Service;
  /** Creates a stack for a program, which can use `pulumi` and `clouddb`. */
  readonly createStack: (
    program: string,
    options?: StackOptions & { readonly stackName?: string },
  ) => Promise<TestStack>;
  /** Creates a stack for a function, with the plugin in this process, whose environment it sets until the end. */
  readonly createInline: (
    program: PulumiFn,
    options?: StackOptions,
  ) => Promise<TestStack<PulumiFn>>;
  /** Creates a stack for a copy of an example, which `prepare` may change. */
  readonly createExample: (
    example: string,
    options?: Pick<StackOptions, "environment"> & { readonly prepare?: (folder: string) => void },
  ) => Promise<TestStack>;
  /** Starts a command in the folder of a stack. */
  readonly run: (
    tested: TestStack,
    command: string,
    args: readonly string[],
    options?: { readonly environment?: NodeJS.ProcessEnv },
  ) => Command;
}

/** Runs a service during the tests of the enclosing `describe`, and removes the stacks that they create. */
export function useStack({
  seed,
  settings,
  lifetime = "test",
  wrapPlugin,
}: Options = {}): TestedStacks {
  const cleanup = useCleanup(lifetime);
  const service = useService(seed, settings);
  const variables = (environment = settingsFor(service)) => environment;
  return {
    service,
    createStack(text, { environment, stackName, usesPackedPlugin = false } = {}) {
      const settings = usesPackedPlugin ? pluginSettings() : "";
      const folder = programFolder(cleanup, text, settings);
      return folderStack(folder, variables(environment), stackName);
    },
    async createInline(program, { environment, usesPackedPlugin = false } = {}) {
      const folder = scratchFolder(cleanup);
      const own = variables(environment);
      setEnvironment(cleanup, own);
      if (usesPackedPlugin) {
        const project = `name: tested\nruntime: nodejs\n${pluginSettings()}`;
        writeFileSync(join(folder, "Pulumi.yaml"), project);
        return inlineStack(folder, program, own);
      }
      const attached = {
        PULUMI_DEBUG_PROVIDERS: await attachablePlugin(cleanup, process.env, wrapPlugin),
        // Otherwise the engine warns that it finds the plugin on the PATH of npm's commands.
        PULUMI_IGNORE_AMBIENT_PLUGINS: "true",
      };
      return inlineStack(folder, program, { ...own, ...attached });
    },
    createExample(example, { environment, prepare } = {}) {
      const folder = scratchFolder(cleanup);
      cpSync(join(root, "examples", example), folder, { recursive: true });
      prepare?.(folder);
      // The checks compile the examples.
      const compiled = { PULUMI_NODEJS_TRANSPILE_ONLY: "true" };
      return folderStack(folder, { ...variables(environment), ...compiled });
    },
    run: (tested, command, args, { environment } = {}) =>
      startCommand(cleanup, command, args, {
        cwd: tested.folder,
        env: { ...process.env, ...tested.environment, ...environment },
      }),
  };
}

/** Sets environment variables of this process. The cleanup restores them. */
function setEnvironment(cleanup: Cleanup, variables: Record<string, string>): void {
  const before = { ...process.env };
  Object.assign(process.env, variables);
  cleanup(() => {
    for (const name of Object.keys(variables)) Reflect.deleteProperty(process.env, name);
    Object.assign(process.env, before);
  });
}

/** Returns the lines of Pulumi.yaml that name the folder of the packed plugin. */
export function pluginSettings(): string {
  return `plugins:\n  providers:\n    - name: clouddb\n      path: ${packedPlugin()}\n`;
}
