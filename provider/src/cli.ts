#!/usr/bin/env node
/** `npx pulumi-clouddb <command>`: for use without a Pulumi program. */
import { inspect } from "node:util";
import { escapeMessage, escapeText } from "./api/escapeText";
import { suggestion } from "./engine/nearest";
import { type CommandResult, readinessCommand } from "./privateIpMode/readinessCommand";
import { version } from "./version";

const help = `Usage: pulumi-clouddb <command>

  readiness --project ID   whether private IP mode of a project could be disabled now
  --help                   this text
  --version                the version of pulumi-clouddb

pulumi-clouddb readiness --help tells more.`;

void main(process.argv.slice(2)).then(({ code, output, error }) => {
  if (output !== "") console.log(process.stdout.isTTY ? coloured(output, code) : output);
  if (error !== "") console.error(error);
  // Not process.exit: a pipe may still be taking the output.
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

/** A defect of this package: 1 would say "not ready". */
function unexpected(error: unknown): void {
  console.error(escapeMessage(inspect(error)));
  process.exitCode = 2;
}

/** The verdict in green or red, where the terminal has colours (NO_COLOR is respected). */
function coloured(output: string, code: number): string {
  if (!process.stdout.hasColors()) return output;
  const colour = code === 0 ? 32 : 31;
  return output.replace(/^(Ready|Not ready)/m, `\u001b[${colour}m$1\u001b[39m`);
}
