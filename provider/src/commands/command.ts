/** What a command of `npx pulumi-clouddb` is: its help, its options and what it returns. */
import { type ParseArgsConfig, inspect, parseArgs } from "node:util";
import { type Code, type Log, withCode } from "../messages/codes";
import { escapeMessage, escapeText } from "../messages/text";
import { projectIdSchema } from "../messages/arguments";
import { UserError } from "../messages/errors";
import type * as z from "../messages/zod";
import {
  type SettingsOwner,
  environmentOnly,
  isSettingKey,
  settingName,
} from "../settings/settings";

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
  /** The positional arguments that it takes. Default: none */
  readonly takes?: "files" | "arguments after --";
  readonly run: (values: OptionValues<Given>, args: string[]) => Promise<CommandResult>;
}): Command {
  const { name, summary, usage, help, failure, takes } = definition;
  const run = async (args: string[]): Promise<CommandResult> => {
    const end = args.includes("--") ? args.indexOf("--") : args.length;
    const [own, passed] = [args.slice(0, end), args.slice(end + 1)];
    if (own.includes("--help") || own.includes("-h")) return success(help);
    try {
      const { values, positionals: files } = parseValues(own, definition.options);
      const isUnexpected =
        (files.length > 0 && takes !== "files") ||
        (passed.length > 0 && takes !== "arguments after --");
      // Not quoted, because it can be a token or a connection string.
      if (isUnexpected) throw new UsageError("unexpected argument");
      return await definition.run(values, [...files, ...passed]);
    } catch (error) {
      if (error instanceof UsageError) return usageFailure(error.message, name);
      const code = error instanceof UserError ? error.code : undefined;
      const isRefusal = error instanceof Error && "syscall" in error; // by the operating system
      // A bug in this package
      if (!(error instanceof UserError || isRefusal)) return failureResult(inspect(error));
      return failureResult(withCode(`${failure}: ${error.message}`, code ?? name));
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

/** Replaces the names of settings in a message, such as `clouddb:baseUrl`, by those that their owner sets. */
export function withSettingNames(message: string, owner: SettingsOwner): string {
  return message.replace(/\bclouddb:(\w+)/g, (name, key: string) =>
    isSettingKey(key) ? settingName(owner, key) : name,
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

/** Logs warnings and progress to standard error, because there is no engine. The caller names settings for their owner. */
export const errorLog: Log = (severity, message, code) => {
  console.error(withCode(escapeMessage(`${severity}: ${message}`), code));
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

/** Aligns the columns of a table. The texts must be escaped. */
export function columns(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]?.map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)));
  const lines = rows.map((row) => row.map((text, at) => text.padEnd(widths?.[at] ?? 0)).join("  "));
  return lines.map((line) => line.trimEnd()).join("\n");
}
