#!/usr/bin/env node
/** The command `npx pulumi-clouddb`, for use without a Pulumi program. */
import { inspect, parseArgs } from "node:util";
import { escapeMessage, escapeText } from "./api/text";
import { readReadiness, readinessReport } from "./privateIpMode/readiness";
import { readProjectId } from "./session/arguments";
import { isUserError } from "./session/errors";
import { suggestion } from "./session/nearest";
import { type Log, openSession } from "./session/session";
import { environmentOnly } from "./session/settings";
import { version } from "./version";

const help = `Usage: pulumi-clouddb <command>

  readiness --project ID   report whether private IP mode of a project can be disabled now
  --help                   print this help
  --version                print the version of pulumi-clouddb

For details, run pulumi-clouddb readiness --help.`;

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

/** The help text of the command. */
const readinessHelp = `Usage: pulumi-clouddb readiness --project ID [--json]

Reports whether private IP mode of a project can be disabled now: whether every cluster runs version
7.0.0 or later. Changes nothing.

  --project ID   the ID of the project
  --json         print the result as one JSON object
  --help         print this help

Settings are read from the provider's environment variables: CLOUDDB_BASE_URL, CLOUDDB_CLIENT_ID and
CLOUDDB_CLIENT_SECRET or CLOUDDB_PUBLIC_KEY and CLOUDDB_PRIVATE_KEY, CLOUDDB_CA_FILE, ...

Exit code: 0 ready, 1 not ready, 2 could not be determined.`;

/** What a command prints, and its exit code. Both texts are safe to print to a terminal. */
interface CommandResult {
  /** The exit code of the process. */
  readonly code: 0 | 1 | 2;
  /** Printed to standard output; empty for nothing. */
  readonly output: string;
  /** Printed to standard error; empty for nothing. */
  readonly error: string;
}

/** Runs `pulumi-clouddb readiness`: reports whether private IP mode of a project can be disabled now. */
async function readinessCommand(commandLine: string[]): Promise<CommandResult> {
  const parsed = parse(commandLine);
  if (parsed.kind === "help") return { code: 0, output: readinessHelp, error: "" };
  if (parsed.kind === "invalid") return undetermined(`${parsed.problem}\n\n${readinessHelp}`);
  try {
    readProjectId(parsed.projectId, "--project");
    const session = openSession(environmentOnly, errorLog);
    const readiness = await readReadiness(session, parsed.projectId);
    const output = parsed.json
      ? JSON.stringify(readiness, null, 2)
      : readinessReport(readiness).join("\n");
    return { code: readiness.ready ? 0 : 1, output, error: "" };
  } catch (error) {
    if (!isUserError(error)) throw error;
    return undetermined(`Could not determine readiness: ${error.message}`);
  }
}

function undetermined(error: string): CommandResult {
  return { code: 2, output: "", error: escapeMessage(error) };
}

/** Logs warnings and progress to standard error, because there is no engine. */
const errorLog: Log = (severity, message) => {
  console.error(escapeMessage(`${severity}: ${message}`));
  return Promise.resolve();
};

type Parsed =
  | { readonly kind: "help" }
  | { readonly kind: "invalid"; readonly problem: string }
  | { readonly kind: "valid"; readonly projectId: string; readonly json: boolean };

const options = {
  project: { type: "string" },
  json: { type: "boolean", default: false },
  help: { type: "boolean", short: "h", default: false },
} as const;

function parse(args: string[]): Parsed {
  const problem = unknownOption(args);
  if (problem !== undefined) return { kind: "invalid", problem };
  try {
    const { values } = parseArgs({ args, options });
    if (values.help) return { kind: "help" };
    if (!values.project) return { kind: "invalid", problem: "--project ID is missing." };
    return { kind: "valid", projectId: values.project, json: values.json };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { kind: "invalid", problem: message };
  }
}

/** Node.js would name the unknown option, but not suggest the right one. */
function unknownOption(args: string[]): string | undefined {
  const names = Object.keys(options);
  const isKnown = (rawName: string) =>
    rawName === "-h" || names.some((name) => rawName === `--${name}`);
  const { tokens } = parseArgs({
    args,
    options,
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const unknown = tokens.find((token) => token.kind === "option" && !isKnown(token.rawName));
  if (unknown?.kind !== "option") return undefined;
  const { rawName } = unknown;
  return `Unknown option ${escapeText(rawName)}; ${suggestion(rawName, names, "--")}`;
}

void main(process.argv.slice(2)).then(({ code, output, error }) => {
  if (output !== "") console.log(process.stdout.isTTY ? colored(output, code) : output);
  if (error !== "") console.error(error);
  // Do not call process.exit: output to a pipe may still be pending.
  process.exitCode = code;
}, unexpected);
