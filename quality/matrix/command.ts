/** Runs the commands of a row. */
import type { Cleanup } from "../../tests/cleanup";
import { type CommandOptions, startCommand } from "../../tests/command";

/** A command that takes longer is killed. */
const maxMinutes = 10;

/**
 * Runs a command without blocking this process, which runs the service.
 *
 * @param release kills the command if it is still running
 * @returns its standard output
 * @throws an error with its whole output if it fails
 */
export async function runCommand(
  release: Cleanup,
  command: string,
  args: readonly string[],
  options: CommandOptions,
): Promise<string> {
  const started = startCommand(release, command, args, options);
  const timeout = setTimeout(() => {
    started.kill("SIGKILL");
  }, maxMinutes * 60_000);
  const { code, stdout, stderr } = await started.result.finally(() => {
    clearTimeout(timeout);
  });
  if (code === 0) return stdout;
  const ended =
    code === null
      ? `was killed, at the latest after ${maxMinutes} minutes`
      : `exited with code ${code}`;
  throw new Error(`${command} ${args.join(" ")} ${ended}:\n${stdout}${stderr}`);
}
