#!/usr/bin/env node
/** The command `npx --no pulumi-clouddb`, for use without a Pulumi program. */
import { columns } from "./messages/format";
import { escapeText } from "./messages/text";
import { type Command, type CommandResult, success, usageFailure } from "./commands/command";
import { doctor } from "./commands/doctor";
import { preview } from "./commands/preview";
import { report } from "./commands/report";
import { token } from "./commands/token";
import { nearestName, suggestion } from "./messages/recommendations";
import { version } from "./version";

const commands: Readonly<Record<string, Command>> = {
  doctor,
  preview,
  report,
  token,
};

const help = `Usage: pulumi-clouddb <command>

${columns([
  ...Object.entries(commands).map(([name, { usage, summary }]) => [
    "",
    `${name} ${usage}`,
    summary,
  ]),
  ["", "--help", "print this help"],
  ["", "--version", "print the version of pulumi-clouddb"],
])}

For the options of a command, run pulumi-clouddb <command> --help.`;

async function main([name, ...args]: string[]): Promise<CommandResult> {
  if (name === "--help" || name === "-h") return success(help);
  if (name === "--version") return success(version);
  const command = name !== undefined && Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command !== undefined) return await command.run(args);
  if (name === undefined) return { code: 2, output: "", error: help };
  const names = [...Object.keys(commands), "--help", "--version"];
  // Any other name is not repeated, because it can be a connection string with a password.
  const repeated = nearestName(name, names) === undefined ? "" : ` ${escapeText(name)}`;
  return usageFailure(`unknown command${repeated}; ${suggestion(name, names)}`);
}

process.stdout.on("error", ({ code = "" }: NodeJS.ErrnoException) => {
  // A reader such as `head` may have enough.
  if (code === "EPIPE") return;
  console.error(`pulumi-clouddb: standard output cannot be written (${code})`);
  process.exitCode = 1;
});

void main(process.argv.slice(2)).then(({ code, output, error }) => {
  if (output !== "") console.log(output);
  if (error !== "") console.error(error);
  // Do not call process.exit, because output to a pipe may still be pending.
  process.exitCode = code;
});
