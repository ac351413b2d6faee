/** The Mocha hooks of this layer, which start and stop a service and remove stacks. */
import type { Seed } from "clouddb-simulator";
import { type Lifetime, markerFolder, useCleanup } from "../cleanup";
import { type Command, startCommand } from "../command";
import { type Service, settingsFor, useService } from "../service";
import { type TestStack, exampleStack, programStack } from "./stack";

interface Options {
  /** The initial data of the service. Default: the quickstart's seed */
  readonly seed?: Seed;
  /** When stacks are removed and commands are killed. Default: "test" */
  readonly lifetime?: Lifetime;
}

interface StackOptions {
  /** Environment variables. Default: the settings for the service */
  readonly environment?: Record<string, string>;
  /** The name of the stack. Default: test */
  readonly stackName?: string;
}

interface TestedStacks {
  readonly service: Service;
  /** Creates a stack for a program, which can use `pulumi` and `clouddb`. */
  readonly createStack: (program: string, options?: StackOptions) => Promise<TestStack>;
  /** Creates a stack for a copy of an example. */
  readonly createExample: (
    example: string,
    options?: Pick<StackOptions, "environment">,
  ) => Promise<TestStack>;
  /** Starts a command in the folder of a stack. */
  readonly run: (
    tested: TestStack,
    command: string,
    args: readonly string[],
    options?: { readonly environment?: NodeJS.ProcessEnv; readonly input?: string },
  ) => Command;
}

/** Runs a service during the tests of the enclosing `describe`, and removes the stacks that they create. */
export function useStack({ seed, lifetime = "test" }: Options = {}): TestedStacks {
  const cleanup = useCleanup(lifetime);
  const service = useService(seed);
  const folder = markerFolder();
  const variables = (environment = settingsFor(service)) => ({ TMPDIR: folder, ...environment });
  return {
    service,
    createStack: (program, { environment, stackName } = {}) =>
      programStack(
        cleanup,
        { text: program, pulumiProject: "tested", stackName },
        variables(environment),
      ),
    createExample: (example, { environment } = {}) =>
      exampleStack(cleanup, example, variables(environment)),
    run: (tested, command, args, { environment, input = "" } = {}) =>
      startCommand(cleanup, command, args, {
        cwd: tested.folder,
        env: { ...process.env, ...tested.environment, ...environment },
        input,
      }),
  };
}
