/** What a command of `npx pulumi-clouddb` is: its help, its options and what it returns. */
import { type ParseArgsConfig, inspect, parseArgs, styleText } from "node:util";
import { type Code, withCode } from "../messages/codes";
import { escapeMessage, escapeText } from "../messages/text";
import { projectIdSchema } from "../messages/arguments";
import { UserError } from "../messages/errors";
import { suggestion } from "../messages/nearest";
import type * as z from "../messages/zod";
import {
  type SettingsOwner,
  environmentOnly,
  isSettingKey,
  settingKeys,
  settingName,
} from "../settings/settings";
import type { Log } from "../service/session";

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

export interface Command {
  /** What it does, for the list of commands: an imperative without a period. */
  readonly summary: string;
  /** Its options, for the list of commands, such as `--project ID`. */
  readonly usage: string;
  readonly run: (args: string[]) => Promise<CommandResult>;
}

/** The exit codes of all commands. */
const [failed, wrongUsage] = [1, 2];

/**
 * Defines a command. `--help` prints `help`. The message of an error that the user can fix begins with `failure`, such
 * as `Could not determine readiness`.
 */
export function defineCommand<const Given extends Options>(definition: {
  /** Its name, which is also the code of errors that have no other one. */
  readonly name: Code;
  readonly summary: string;
  readonly usage: string;
  readonly help: string;
  readonly failure: string;
  readonly options: Given;
  /** Whether it takes arguments that are no options, such as names of files. Default: false */
  readonly takesArguments?: boolean;
  /** Whether everything after `--` is passed to it as it is. Default: false */
  readonly passesArguments?: boolean;
  readonly run: (values: OptionValues<Given>, rest: string[]) => Promise<CommandResult>;
}): Command {
  const {
    name,
    summary,
    usage,
    help,
    failure,
    takesArguments = false,
    passesArguments = false,
  } = definition;
  const options = { ...definition.options, help: { type: "boolean", short: "h" } } as const;
  const run = async (given: string[]): Promise<CommandResult> => {
    const end = passesArguments ? given.indexOf("--") : -1;
    const args = end === -1 ? given : given.slice(0, end);
    try {
      const problem = unknownOption(args, options);
      if (problem !== undefined) throw new UsageError(problem);
      if (args.includes("--help") || args.includes("-h")) return success(help);
      const { values, positionals } = parseValues(args, definition.options);
      // Not quoted, because it can be a token or a connection string.
      if (positionals.length > 0 && !takesArguments) throw new UsageError("unexpected argument");
      return await definition.run(values, end === -1 ? positionals : given.slice(end + 1));
    } catch (error) {
      if (error instanceof UsageError) return usageFailure(error.message, name);
      const own = error instanceof UserError ? error.code : undefined;
      const isRefusal = error instanceof Error && "syscall" in error; // by the operating system
      // A bug in this package
      if (!(error instanceof UserError || isRefusal)) return failureResult(inspect(error));
      return failureResult(withCode(`${failure}: ${error.message}`, own ?? name));
    }
  };
  return {
    summary,
    usage,
    async run(given) {
      const { error, ...result } = await run(given);
      // The configuration of the stack takes precedence, so a variable could have no effect.
      const isOfStack = given.some((each) => /^--stack(=|$)/.test(each));
      const owner = isOfStack ? ({ kind: "stack" } as const) : environmentOnly.owner;
      return { ...result, error: withSettingNames(error, owner) };
    },
  };
}

/** A mistake in the arguments of a command. Its message begins in lower case and has no final period. */
export class UsageError extends Error {}

export function success(output: string, code = 0): CommandResult {
  return { code, output, error: "" };
}

export function failureResult(error: string): CommandResult {
  return { code: failed, output: "", error: escapeMessage(error) };
}

const namesInMessages = new RegExp(
  `"[^"]*"|(?<![\\w:/.-])(?:${settingKeys.filter((key) => /[A-Z]/.test(key)).join("|")})(?![\\w/]|[.-]\\w)`,
  "g",
);

/** Replaces the names of settings in a message, outside quotes, by those that their owner sets. */
export function withSettingNames(message: string, owner: SettingsOwner): string {
  return message.replace(namesInMessages, (name) =>
    isSettingKey(name) ? settingName(owner, name) : name,
  );
}

/** Reports a mistake in the arguments in one line, which begins with the name of the program and of its command. */
export function usageFailure(problem: string, command?: string): CommandResult {
  const program = ["pulumi-clouddb", ...(command === undefined ? [] : [command])].join(" ");
  const see = problem.endsWith("?") ? " See" : "; see";
  const error = escapeMessage(`${program}: ${problem}${see} ${program} --help`);
  return { code: wrongUsage, output: "", error };
}

/** Returns the value of the option `--project`, which must be the ID of a project. */
export function requiredProject(project: string | undefined): string {
  if (!project) throw new UsageError("--project ID is missing");
  return readOption("--project", projectIdSchema, project);
}

/** Checks the value of an option like the argument of a resource. */
export function readOption<T>(option: string, schema: z.ZodMiniType<T>, value: string): T {
  const { success, data, error } = schema.safeParse(value);
  if (success) return data;
  throw new UsageError(`${option} ${error.issues[0]?.message ?? "is invalid"}`);
}

/** Says that the Pulumi CLI could not be started, with the error code of Node.js. */
export function notStarted(code: string): string {
  return `the Pulumi CLI could not be started (${code}). Install it: https://www.pulumi.com/docs/install/`;
}

/** Colors the first word of each line that starts with one, if the terminal supports it. Respects NO_COLOR. */
export function colorWords(
  text: string,
  colors: Readonly<Record<string, "green" | "red" | "yellow">>,
): string {
  if (!process.stdout.isTTY || !process.stdout.hasColors()) return text;
  const words = new RegExp(`(?<=^ *)(?:${Object.keys(colors).join("|")})\\b`, "gm");
  return text.replace(words, (word) => styleText(colors[word] ?? "reset", word));
}

/** Logs warnings and progress to standard error, because there is no engine. */
export const errorLog: Log = (severity, message, code) => {
  const named = withSettingNames(`${severity}: ${message}`, environmentOnly.owner);
  console.error(withCode(escapeMessage(named), code));
  return Promise.resolve();
};

function parseValues<const Given extends Options>(
  args: string[],
  options: Given,
): { values: OptionValues<Given>; positionals: string[] } {
  try {
    return parseArgs<{ args: string[]; options: Given; strict: true; allowPositionals: true }>({
      ...{ args, options, strict: true, allowPositionals: true },
    });
  } catch (error) {
    // The first sentence of Node.js; the others are about arguments that begin with a hyphen.
    const [problem = ""] = String(error instanceof Error ? error.message : error).split(
      /\. |\.?\n/,
    );
    throw new UsageError(escapeText(`${problem.charAt(0).toLowerCase()}${problem.slice(1)}`));
  }
}

/** Node.js would name the unknown option, but not suggest the right one. */
function unknownOption(args: string[], options: Options): string | undefined {
  const names = Object.keys(options);
  const isKnown = (rawName: string) =>
    rawName === "-h" || names.some((name) => rawName === `--${name}`);
  const lenient = { strict: false, allowPositionals: true, tokens: true } as const;
  const { tokens } = parseArgs({ args, options, ...lenient });
  const unknown = tokens.find((token) => token.kind === "option" && !isKnown(token.rawName));
  if (unknown?.kind !== "option") return undefined;
  const { rawName } = unknown;
  return `unknown option ${escapeText(rawName)}; ${suggestion(rawName, names, "--")}`;
}
