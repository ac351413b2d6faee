/** Runs the command `pulumi-clouddb` in a process of its own. */
import { join } from "node:path";
import { useCleanup } from "../../cleanup";
import { type CommandResult, startCommand } from "../../command";

const cli = join(__dirname, "../../../provider/dist/cli.js");

/** Runs the command with arguments and environment variables, and resolves when it has ended. */
export type RunCli = (
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
) => Promise<CommandResult>;

/** Registers the hook that ends commands after each test. */
export function useCli(): RunCli {
  const cleanup = useCleanup("test");
  return (args, environment) =>
    startCommand(cleanup, process.execPath, [cli, ...args], {
      env: { PATH: process.env["PATH"], ...environment },
    }).result;
}
