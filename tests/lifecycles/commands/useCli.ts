/** Runs the command `pulumi-clouddb` in a process of its own. */
import { useCleanup } from "../../cleanup";
import { type CommandResult, minimalEnvironment, sourceCommand, startCommand } from "../../command";

/** Runs the command with arguments and environment variables, and resolves when it has ended. */
export type RunCli = (
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
) => Promise<CommandResult>;

/** Registers the hook that ends commands after each test. */
export function useCli(): RunCli {
  const cleanup = useCleanup("test");
  return (args, environment) =>
    startCommand(cleanup, process.execPath, [...sourceCommand("provider"), ...args], {
      env: { ...minimalEnvironment(), ...environment },
    }).result;
}
