/** The command `npx --no clouddb-connection-strings`, for a container that has neither Pulumi nor pulumi-clouddb. */
import { getServers } from "node:dns";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { CheckError, type CommandResult, check } from "./check/command";
import { codeOf } from "./check/facts";

// oxlint-disable-next-line typescript/no-unsafe-assignment -- `require` is not typed
const manifest: { readonly version: string } = require("../package.json");

const help = `Usage: clouddb-connection-strings <command>

  check [--variable NAME] [--resolver ADDRESS]  check a connection string in this network
  --help                                        print this help
  --version                                     print the version of clouddb-connection-strings

For the options of check, run clouddb-connection-strings check --help.`;

async function main([command, ...args]: string[]): Promise<CommandResult> {
  const { env: environment, stdin } = process;
  if (command === "check")
    return await check(args, { environment, readInput: stdin.isTTY ? undefined : readInput });
  if (command === "--help" || command === "-h") return { code: 0, output: help, error: "" };
  if (command === "--version") return { code: 0, output: manifest.version, error: "" };
  if (command === undefined) return { code: 2, output: "", error: help };
  // Not repeated, because it can be a string with a password.
  const error =
    "clouddb-connection-strings: unknown command, expected check; see clouddb-connection-strings --help";
  return { code: 2, output: "", error };
}

/** How long to wait for standard input, which is longer than a command takes that looks up a string. */
const inputTimeoutMs = 300_000;

async function readInput(): Promise<string> {
  const notice = setTimeout(() => {
    console.error("Waiting for a connection string on standard input.");
  }, 3000);
  const input = await Promise.race([text(process.stdin), sleep(inputTimeoutMs)]);
  clearTimeout(notice);
  if (input !== undefined) return input;
  throw new CheckError("standard input has not ended in 5 minutes. Use --variable NAME.");
}

/** Prints a line. Resolves when it is written, or to the error. */
function print(stream: NodeJS.WriteStream, line: string): Promise<Error | undefined> {
  if (line === "") return Promise.resolve(undefined);
  // The callback gets the same error.
  stream.on("error", () => undefined);
  return new Promise((resolve) => {
    stream.write(`${line}\n`, (error) => {
      resolve(error ?? undefined);
    });
  });
}

/** Prints a result. Returns the exit code. */
async function printResult({ code, output, error }: CommandResult): Promise<number> {
  const problem = await print(process.stdout, output);
  await print(process.stderr, error);
  // A reader such as `head` may have enough.
  if (problem === undefined || codeOf(problem) === "EPIPE") return code;
  const cause = `standard output cannot be written (${codeOf(problem)})`;
  await print(process.stderr, `clouddb-connection-strings: ${cause}`);
  return 1;
}

// glibc would ask each silent DNS server twice for 5 s, and no process can end while it waits.
process.env["RES_OPTIONS"] ??= `timeout:2 attempts:${getServers().length > 1 ? 1 : 2}`;

void main(process.argv.slice(2))
  .then(printResult)
  .then((code) => {
    // Also ends a question that the operating system still asks a DNS server that does not respond.
    process.exit(code);
  });
