/** Defines a command of `npx --no pulumi-clouddb`: its help, options, settings and result. */
import type { SpawnSyncReturns } from "node:child_process";
import { type ParseArgsConfig, inspect, parseArgs, stripVTControlCharacters } from "node:util";
import { type Code, type Log, withCode, UserError, ProviderError } from "../messages/errors";
import { doctorAdvice } from "../messages/recommendations";
import { escapeMessage, escapeText, redactedLines } from "../messages/text";
import { withoutSecrets } from "../report/values";
import { parseJson } from "../validation/values";
import { credentialIn, knownSecrets } from "../settings/misplacedCredentials";
import { environmentSecrets } from "../settings/readSettings";
import {
  comparableNames,
  environmentVariable,
  isSettingKey,
  type SettingsSource,
  environmentOnly,
} from "../settings/settings";
import * as z from "zod/mini";

/** What a command prints, and its exit code. Both texts are safe to print to a terminal. */
export interface CommandResult {
  readonly code: number;
  readonly output: string;
  readonly error: string;
}

type Options = NonNullable<ParseArgsConfig["options"]>;

export type OptionValues<Given extends Options> = ReturnType<
  typeof parseArgs<{ args: string[]; options: Given; strict: true }>
>["values"];

/** A command as `cli.ts` runs it. */
export interface Command {
  readonly summary: string;
  readonly usage: string;
  readonly run: (args: string[]) => Promise<CommandResult>;
}

const failed = 1;
const wrongUsage = 2;

/** Defines a command, whose result for an error is the same in all commands. */
export function defineCommand<const Given extends Options>(definition: {
  /** Its name, which is also the code of errors that have no other one. */
  readonly name: Code;
  readonly summary: string;
  readonly usage: string;
  readonly help: string;
  /** Begins the message of an error that the user can fix, such as `Could not check the settings`. */
  readonly failure: string;
  readonly options: Given;
  /** The positional arguments that it takes. Default: none */
  readonly takes?: Takes;
  readonly run: (values: OptionValues<Given>, args: string[]) => Promise<CommandResult>;
}): Command {
  const { summary, usage, help, takes } = definition;
  const run = async (args: string[]): Promise<CommandResult> => {
    const end = args.includes("--") ? args.indexOf("--") : args.length;
    const own = args.slice(0, end);
    const passed = args.slice(end + 1);
    if (own.includes("--help") || own.includes("-h")) return success(help);
    try {
      const { values, positionals: files } = parseValues(own, definition.options, takes);
      const isPassed = takes === "arguments after --";
      rejectCredentials(values, isPassed ? files : [...files, ...passed]);
      if (takes !== "files") rejectArguments(files);
      if (!isPassed) rejectArguments(passed);
      return await definition.run(values, [...files, ...passed]);
    } catch (error) {
      const hasStack = own.some((argument) => /^--stack(=|$)/.test(argument));
      return errorResult(error, definition, hasStack);
    }
  };
  return { summary, usage, run };
}

/** Throws a UsageError if there are any. */
function rejectArguments([unexpected]: readonly string[]): void {
  if (unexpected === undefined) return;
  // Named only if it is a word or an ID, because it can be a secret that is not recognized.
  const isName = /^(?:[a-z-]{1,20}|[0-9a-f]{24})$/i.test(unexpected);
  throw new UsageError(`unexpected argument${isName ? ` ${unexpected}` : ""}`);
}

/**
 * Throws a UsageError, which does not repeat it, for an argument that contains a credential.
 *
 * @param source the secrets of which are recognized. Default: only those of the environment
 */
export function rejectCredentials(
  options: object,
  files: readonly string[],
  { get, owner }: SettingsSource = environmentOnly,
): void {
  const secrets = knownSecrets(get, comparableNames(process.env));
  const values = Object.entries(options).map(([name, value]) => [`--${name}`, String(value)]);
  for (const [name, value = ""] of [...values, ...files.map((file) => ["an argument", file])]) {
    const problem = credentialIn(value, secrets);
    if (problem === undefined) continue;
    throw new UsageError(`${name} ${forCommand(problem, owner.kind === "stack")}`);
  }
}

/** Returns the result for an error. Only a bug in this package has a stack trace. */
function errorResult(
  error: unknown,
  definition: { readonly name: Code; readonly failure: string },
  hasStack: boolean,
): CommandResult {
  const { name, failure } = definition;
  if (error instanceof UsageError) return usageFailure(error.message, name);
  if (error instanceof UserError) {
    const problem = `${failure}: ${forCommand(error.message, hasStack)}`;
    return failureResult(withCode(problem, error.code ?? name));
  }
  // What the operating system refused, such as a file that cannot be read.
  if (error instanceof Error && "syscall" in error)
    return failureResult(withCode(`${failure}: ${error.message}`, name));
  return failureResult(inspect(error));
}

/** Matches what a message quotes or recommends to run, which stays, and the names of settings. */
const namesInMessage = /"[^"\n]*"|\bpulumi config [^\n]*|\bclouddb:(\w+)/g;

/**
 * Names the settings in a message as the reader of a command knows them. With a stack, its configuration
 * takes precedence over the environment, so the names of settings stay. Without one, doctor needs none, either.
 *
 * @example forCommand("Check clouddb:apiPath.", false) // "Check CLOUDDB_API_PATH."
 */
export function forCommand(message: string, hasStack: boolean): string {
  const ownDoctor = "To check them, run npx --no pulumi-clouddb doctor.";
  const checked = hasStack ? message : message.replace(doctorAdvice, ownDoctor);
  return checked.replace(namesInMessage, (text, key: string = "") =>
    isSettingKey(key) && !hasStack ? environmentVariable(key) : text,
  );
}

/** A mistake in the arguments of a command, whose message becomes one line with the hint to `--help`. */
export class UsageError extends Error {}

export function success(output: string, code = 0): CommandResult {
  return { code, output, error: "" };
}

/** Returns the result of a command that failed; `error` is what it prints to standard error. */
function failureResult(error: string): CommandResult {
  return { code: failed, output: "", error: escapeMessage(error) };
}

/** Reports a mistake in the arguments in one line, which begins with the name of the program and of its command. */
export function usageFailure(problem: string, command?: string): CommandResult {
  const program = ["pulumi-clouddb", ...(command === undefined ? [] : [command])].join(" ");
  const see = problem.endsWith("?") ? " See" : "; see";
  const error = escapeMessage(`${program}: ${problem}${see} ${program} --help`);
  return { code: wrongUsage, output: "", error };
}

/** Says that the Pulumi CLI could not be started, for a code such as `ENOENT`. */
export function notStarted(code: string): string {
  return `the Pulumi CLI could not be started (${code}). Install it: https://www.pulumi.com/docs/install/`;
}

/** Returns a log that prints to standard error; `hasStack` is that of {@link forCommand}. */
export function errorLog(hasStack: boolean): Log {
  return (severity, message, code) => {
    const text = forCommand(message, hasStack);
    console.error(withCode(escapeMessage(`${severity}: ${text}`), code));
    return Promise.resolve();
  };
}

/** What a command takes beside its options. */
type Takes = "files" | "arguments after --";

/** Parses the options. Throws a UsageError that says the problem in the words of Node.js. */
function parseValues<const Given extends Options>(
  args: string[],
  options: Given,
  takes: Takes | undefined,
): { values: OptionValues<Given>; positionals: string[] } {
  try {
    return parseArgs<{ args: string[]; options: Given; strict: true; allowPositionals: true }>({
      args,
      options,
      strict: true,
      allowPositionals: true,
    });
  } catch (error) {
    // The first sentence of Node.js; the others are about arguments that begin with a hyphen.
    const [problem = ""] = String(error instanceof Error ? error.message : error).split(
      /\. |\.?\n/,
    );
    const isUnknown =
      error instanceof Error && "code" in error && error.code === "ERR_PARSE_ARGS_UNKNOWN_OPTION";
    const hint = isUnknown && takes === "arguments after --" ? "; Pulumi's options follow --" : "";
    throw new UsageError(
      escapeText(`${problem.charAt(0).toLowerCase()}${problem.slice(1)}`) + hint,
    );
  }
}

const configuration = z.record(z.string(), z.object({ value: z.optional(z.string()) }));

/**
 * Reads the settings of the environment and, with the Pulumi CLI, of a stack.
 *
 * @param timeout of the Pulumi CLI, in milliseconds
 */
export async function commandSettings(
  stack: string | undefined,
  timeout = 60_000,
): Promise<SettingsSource> {
  if (stack === undefined) return environmentOnly;
  // Pulumi would take the selected stack.
  if (stack === "") throw new UsageError("--stack NAME is missing");
  const args = ["config", "--json", "--show-secrets", "--non-interactive", "--stack", stack];
  const subject = `the configuration of stack ${escapeText(stack)}`;
  const { default: spawn } = await import("cross-spawn");
  const result = spawn.sync("pulumi", args, {
    // Node.js 26 would not use an environment that a test replaces.
    env: process.env,
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
    timeout,
    killSignal: "SIGKILL",
  });
  if (result.status !== 0)
    throw new ProviderError(`${subject} cannot be read: ${failureOfPulumi(result, timeout)}`);
  const { stdout } = result;
  const values = parseJson(stdout, configuration, subject);
  return {
    owner: { kind: "stack", name: stack },
    get: (key) => values[`clouddb:${key}`]?.value,
    keys: () => Object.keys(values),
  };
}

/** Says why Pulumi did not run or end or, in its own words, why it failed. */
function failureOfPulumi(
  { stderr, status, error }: SpawnSyncReturns<string>,
  timeout: number,
): string {
  // cross-spawn returns null instead of undefined.
  if (error instanceof Error) {
    const code = String("code" in error ? error.code : status);
    return code === "ETIMEDOUT"
      ? `pulumi config did not end within ${timeout / 1000} s. Check the access to Pulumi's backend and to the secrets provider of the stack.`
      : notStarted(code);
  }
  const printed = stripVTControlCharacters(stderr).trim();
  if (printed === "") return notStarted(String(status));
  const elsewhere = /no (?:stack named|Pulumi\.yaml)/.test(printed)
    ? " If the stack's project is in another folder, run the command there."
    : "";
  const text = redactedLines(withoutSecrets(printed), environmentSecrets(process.env));
  return `${escapeText(text.replaceAll(/\r?\n/g, " "))}.${elsewhere}`;
}
