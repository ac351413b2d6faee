/** What a command of `npx pulumi-clouddb` is: its help, its options and what it returns. */
import { type ParseArgsConfig, inspect, parseArgs, styleText } from "node:util";
import { escapeMessage, escapeText } from "../messages/text";
import { readProjectId } from "../messages/arguments";
import { UserError } from "../messages/errors";
import { suggestion } from "../messages/nearest";
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

/**
 * Defines a command. `--help` prints `help`. Every failure ends with `failureCode`; the message of an error that a
 * user can mend begins with `failure`, such as `Could not determine readiness`.
 */
export function defineCommand<const Given extends Options>(definition: {
  readonly summary: string;
  readonly usage: string;
  readonly help: string;
  readonly failure: string;
  readonly options: Given;
  /** Whether it takes arguments that are no options, such as names of files. Default: false */
  readonly takesArguments?: boolean;
  /** Whether everything after `--` is passed to it as it is. Default: false */
  readonly passesArguments?: boolean;
  /** The exit code of failures. Default: 2 */
  readonly failureCode?: number;
  readonly run: (values: OptionValues<Given>, rest: string[]) => Promise<CommandResult>;
}): Command {
  const {
    summary,
    usage,
    help,
    failure,
    takesArguments = false,
    passesArguments = false,
    failureCode: code = 2,
  } = definition;
  const options = { ...definition.options, help: { type: "boolean", short: "h" } } as const;
  return {
    summary,
    usage,
    async run(given) {
      const end = passesArguments ? given.indexOf("--") : -1;
      const args = end === -1 ? given : given.slice(0, end);
      try {
        const problem = unknownOption(args, options);
        if (problem !== undefined) throw new UsageError(problem);
        if (args.includes("--help") || args.includes("-h")) return success(help);
        const { values, positionals } = parseValues(args, definition.options, takesArguments);
        return await definition.run(values, end === -1 ? positionals : given.slice(end + 1));
      } catch (error) {
        if (error instanceof UsageError) return failureResult(code, `${error.message}\n\n${help}`);
        // A bug in this package: no other exit code may look like a result.
        if (!(error instanceof UserError)) return failureResult(code, inspect(error));
        return failureResult(code, `${failure}: ${error.message}`);
      }
    },
  };
}

/** A mistake in the arguments of a command. Its message is printed before the help of the command. */
export class UsageError extends Error {}

export function success(output: string): CommandResult {
  return { code: 0, output, error: "" };
}

function failureResult(code: number, error: string): CommandResult {
  return { code, output: "", error: escapeMessage(error) };
}

/** Returns the value of the option `--project`, which must be the ID of a project. */
export function requiredProject(project: string | undefined): string {
  if (!project) throw new UsageError("--project ID is missing.");
  return readProjectId(project, "--project");
}

/** Aligns the columns of a table. The texts must be escaped. */
export function columns(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]?.map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)));
  const lines = rows.map((row) => row.map((text, at) => text.padEnd(widths?.[at] ?? 0)).join("  "));
  return lines.map((line) => line.trimEnd()).join("\n");
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
export const errorLog: Log = (severity, message) => {
  console.error(escapeMessage(`${severity}: ${message}`));
  return Promise.resolve();
};

function parseValues<const Given extends Options>(
  args: string[],
  options: Given,
  allowPositionals: boolean,
): { values: OptionValues<Given>; positionals: string[] } {
  try {
    return parseArgs<{ args: string[]; options: Given; strict: true; allowPositionals: boolean }>({
      ...{ args, options, strict: true, allowPositionals },
    });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
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
  return `Unknown option ${escapeText(rawName)}; ${suggestion(rawName, names, "--")}`;
}
