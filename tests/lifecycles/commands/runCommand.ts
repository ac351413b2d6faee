import { mock } from "node:test";
import type { Command } from "../../../provider/src/commands/command";
import type { CommandResult } from "../../support/command";

/** Runs a command in this process, with only these variables. process.test.ts tests its process. */
export async function runCommand(
  command: Command,
  args: readonly string[],
  environment: NodeJS.ProcessEnv,
): Promise<CommandResult> {
  const before = process.env;
  const log = mock.method(console, "error", () => undefined);
  process.env = { ...environment };
  try {
    const { code, output, error } = await command.run([...args]);
    const logged = log.mock.calls.map((call) => call.arguments.join(" "));
    const lines = (texts: readonly string[]) =>
      texts.flatMap((text) => (text === "" ? [] : [`${text}\n`])).join("");
    return { code, stdout: lines([output]), stderr: lines([...logged, error]) };
  } finally {
    process.env = before;
    log.mock.restore();
  }
}
