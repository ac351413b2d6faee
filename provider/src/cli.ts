#!/usr/bin/env node
/** The command `npx pulumi-clouddb`, for use without a Pulumi program. */
import { inspect } from "node:util";
import { escapeMessage, escapeText } from "./api/text";
import { suggestion } from "./session/nearest";
import { type CommandResult, readinessCommand } from "./privateIpMode/readinessCommand";
import { version } from "./version";

const help = `Usage: pulumi-clouddb <command>

  readiness --project ID   report whether private IP mode of a project can be disabled now
  --help                   print this help
  --version                print the version of pulumi-clouddb

For details, run pulumi-clouddb readiness --help.`;

void main(process.argv.slice(2)).then(({ code, output, error }) => {
  if (output !== "") console.log(process.stdout.isTTY ? colored(output, code) : output);
  if (error !== "") console.error(error);
  // Do not call process.exit: output to a pipe may still be pending.
  process.exitCode = code;
}, unexpected);

async function main([command, ...args]: string[]): Promise<CommandResult> {
  if (command === "readiness") return await readinessCommand(args);
  if (command === "--help" || command === "-h") return { code: 0, output: help, error: "" };
  if (command === "--version") return { code: 0, output: version, error: "" };
  const problem = command === undefined ? "" : `${noSuchCommand(command)}\n\n`;
  return { code: 2, output: "", error: `${problem}${help}` };
}

function noSuchCommand(command: string): string {
  const known = ["readiness", "--help", "--version"];
  return `Unknown command ${escapeText(command)}; ${suggestion(command, known)}`;
}

/** Reports a bug in this package. Exit code 1 would mean "not ready". */
function unexpected(error: unknown): void {
  console.error(escapeMessage(inspect(error)));
  process.exitCode = 2;
}

/** Prints the verdict in green or red if the terminal supports colors. Respects NO_COLOR. */
function colored(output: string, code: number): string {
  if (!process.stdout.hasColors()) return output;
  const color = code === 0 ? 32 : 31;
  return output.replace(/^(Ready|Not ready)/m, `\u001b[${color}m$1\u001b[39m`);
}
