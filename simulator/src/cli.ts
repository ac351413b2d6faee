#!/usr/bin/env node
/** The `clouddb-simulator` command: prints the URL as JSON, and stops on a signal. With `exec`, runs a command. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { constants, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { isatty } from "node:tty";
import { parseArgs, styleText } from "node:util";
import spawn from "cross-spawn";
import { z } from "zod";
import {
  type ClientSettings,
  type LabeledSetting,
  clientSettings,
  credentialsIn,
  labeledAddress,
  labeledCredential,
  toVariables,
} from "./clientSettings";
import { codeOf, escapeMessage, messageOf } from "./errors";
import { fixtures } from "./fixtures";
import { type Seed, startSimulator } from "./index";
import { settingsSchema } from "./seed/settings";
import { parse } from "./seed/validation";

/** The signals that end a process. Windows sends SIGBREAK for Ctrl-Break, and SIGHUP when a console is closed. */
const endingSignals = ["SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK"] as const;

const text = (value: string, help: string) => ({ type: "string", value, help }) as const;
const flag = (help: string) => ({ type: "boolean", value: "", help }) as const;

/** The options, with the value that each takes. */
const options = {
  fixture: text("name", "initial data, one of the fixtures below (default: demo)"),
  seed: text("file", "initial organizations, projects and clusters, as JSON"),
  state: text("file", "keep the projects in this file between runs (default: in memory)"),
  port: text("number", "HTTPS port (default: a free port)"),
  host: text("address", "address to listen on (default: 127.0.0.1)"),
  "dns-port": text("number", "serve DNS; this port answers as the Internet does"),
  "ca-out": text("file", "where to write the CA certificate (default: a temporary file)"),
  profile: text("name", "default, or atlas for MongoDB Atlas, which has other defaults"),
  "api-path": text("path", "path of the API (default: /api/service/v1.0)"),
  "token-path": text("path", "path of the token endpoint (default: /api/oauth/token)"),
  "field-prefix": text("prefix", "prefix of the two version fields (default: db)"),
  "page-parameter": text("name", "query parameter of a page's number (default: pageNum)"),
  "page-size-parameter": text("name", "that of its size (default: itemsPerPage)"),
  "count-parameter": text("name", "that of the count (default: includeCount)"),
  "count-field": text("name", "field of a list for its count (default: totalCount)"),
  scheme: text("scheme", "scheme of the connection strings (default: db)"),
  domain: text("domain", "domain of the clusters (default: clusters.example)"),
  "requests-per-minute": text("number|none", "rate limit of each project (default: 100)"),
  "token-requests-per-minute": text("number|none", "that of each account (default: none)"),
  "tokens-per-account": text("number|none", "active tokens of each account (default: none)"),
  control: flag("serve /control, and let the page change projects and clusters"),
  version: flag("print the version"),
  help: { ...flag("print this help"), short: "h" },
};

type Values = ReturnType<typeof parseArgs<{ options: typeof options }>>["values"];

const help = () => `Usage: clouddb-simulator [options]
       clouddb-simulator exec [options] -- <command>

Starts the simulator, and prints {"url":...,"caFile":...} when it is ready. With exec, runs a command against
the simulator, with the CLOUDDB_* variables that lead to it, and exits with the exit code of the command.

${Object.entries(options)
  .map(([name, row]) => `  ${`--${name}${row.value && ` <${row.value}>`}`.padEnd(42)} ${row.help}`)
  .join("\n")}

Fixtures: ${Object.keys(fixtures).join(", ")}

Exit code: 0 stopped by a signal, 1 failure, 2 wrong usage.`;

/** A mistake in the arguments. */
class UsageError extends Error {}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  const [subcommand, command, ...args] = positionals;
  if (values.help) console.log(help());
  else if (values.version) console.log(packageVersion());
  else if (subcommand === undefined) await start(values);
  else if (subcommand !== "exec") throw new UsageError(`Unexpected argument '${subcommand}'`);
  else if (command === undefined) throw new UsageError("exec needs a command");
  else await exec(command, args, values);
}

/** Starts the simulator until a signal stops it, and prints how to reach it. */
async function start(values: Values): Promise<void> {
  const { simulator, caFile, stop, settings, seed } = await run(values);
  for (const signal of endingSignals) process.once(signal, () => void stop().catch(fail));
  console.log(JSON.stringify({ url: simulator.url, caFile, dns: simulator.dns }));
  if (!process.stderr.isTTY) return;
  const address = labeledAddress(clientSettings(simulator.url, settings));
  const credentials = credentialsIn(seed.organizations).flatMap(labeledCredential);
  console.error(introduction([...address, ...credentials]));
}

/** Returns a text for somebody who starts the simulator in a terminal. */
function introduction(settings: readonly LabeledSetting[]): string {
  const style = (format: "bold" | "dim", text: string) =>
    styleText(format, text, { stream: process.stderr });
  const lines = settings.map(
    ({ label, value }) => `  ${style("dim", label.padEnd(16))}${escapeMessage(value)}`,
  );
  return [
    `${style("bold", "The simulator is running.")} Ctrl-C stops it.`,
    ...lines,
    "Open the base URL in a browser. The page shows the projects, the requests, and the commands that",
    "make a stack use the simulator.",
  ].join("\n");
}

async function exec(command: string, args: string[], values: Values): Promise<void> {
  const { simulator, stop, settings, seed } = await run(values);
  const [credential] = credentialsIn(seed.organizations);
  const variables = variablesFor(clientSettings(simulator.url, settings, credential));
  try {
    process.exitCode = await exitCodeOf(command, args, { ...process.env, ...variables });
  } finally {
    await stop();
  }
}

/** Runs a command with the same input, output and signals; resolves to its exit code, as in a shell. */
function exitCodeOf(
  command: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<number> {
  return new Promise((resolve, reject) => {
    // A terminal sends Ctrl-C to both processes. A second SIGINT would kill an update that is ending. A console of
    // Windows sends each of these signals to both.
    const isTerminal = [0, 1, 2].some((descriptor) => isatty(descriptor));
    const isSentToBoth = (signal: NodeJS.Signals) =>
      process.platform === "win32" ? signal !== "SIGTERM" : signal === "SIGINT" && isTerminal;
    // Before the command starts, because a signal without a handler would end this process but not the command.
    for (const name of endingSignals) {
      process.on(name, (signal) => isSentToBoth(signal) || child.kill(signal));
    }
    const child = spawn(command, args, { stdio: "inherit", env });
    child.once("exit", (code, signal) => {
      resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal]));
    });
    child.once("error", ({ message }) => {
      reject(new Error(`The command "${command}" cannot be started: ${message}`));
    });
  });
}

/** Starts the simulator. */
async function run(values: Values) {
  const seed = initialData(values);
  const { caFile, remove } = certificateFile(values["ca-out"]);
  try {
    const settings = { ...settingsIn(values), caFile };
    const simulator = await startSimulator({ ...settings, seed });
    const stop = () => simulator.stop().finally(remove);
    return { simulator, caFile, stop, settings, seed };
  } catch (error) {
    remove();
    throw error;
  }
}

/** Returns the settings of the library. It validates them, so a number that is none is a problem at its setting. */
function settingsIn(values: Values) {
  const number = (value: string | undefined) =>
    value === "none" ? Infinity : value && Number(value);
  const settings = {
    port: number(values.port),
    host: values.host,
    dns: values["dns-port"] && { internetPort: number(values["dns-port"]) },
    stateFile: values.state,
    profile: values.profile,
    apiPath: values["api-path"],
    tokenPath: values["token-path"],
    fieldPrefix: values["field-prefix"],
    pageParameter: values["page-parameter"],
    pageSizeParameter: values["page-size-parameter"],
    countParameter: values["count-parameter"],
    countField: values["count-field"],
    scheme: values.scheme,
    domain: values.domain,
    requestsPerMinute: number(values["requests-per-minute"]),
    tokenRequestsPerMinute: number(values["token-requests-per-minute"]),
    tokensPerAccount: number(values["tokens-per-account"]),
    control: values.control,
  };
  return parse(settingsSchema, settings, "The configuration");
}

function initialData({ seed: file, fixture }: Values): Seed {
  if (file !== undefined && fixture !== undefined)
    throw new UsageError("Option '--fixture' cannot be combined with '--seed'");
  if (file !== undefined) return readSeed(file);
  const seed = new Map<string, Seed>(Object.entries(fixtures)).get(fixture ?? "demo");
  if (seed === undefined) throw new UsageError(`There is no fixture '${fixture}'`);
  return seed;
}

/** Reads a seed, which startSimulator validates. An error names the position at most, because the text may be a secret. */
function readSeed(file: string): Seed {
  try {
    // Without the byte order mark that Windows may write.
    const text = new TextDecoder("utf-8", { fatal: true }).decode(readFileSync(file));
    return JSON.parse(text) as Seed;
  } catch (error) {
    const reason =
      error instanceof SyntaxError
        ? `it is not valid JSON${/ at position \d+/.exec(error.message)?.[0] ?? ""}`
        : error instanceof TypeError
          ? "it is not UTF-8. PowerShell's > may write UTF-16"
          : messageOf(error);
    throw new Error(`The seed ${file} cannot be read: ${reason}`, { cause: error });
  }
}

/** Returns the variables that make a client use the simulator. A value of undefined removes a variable of another service. */
function variablesFor(settings: ClientSettings): NodeJS.ProcessEnv {
  const inherited = Object.keys(process.env).filter((name) => name.startsWith("CLOUDDB_"));
  const hasProxy = Object.keys(process.env).some((name) => /^https?_proxy$/i.test(name));
  const excluded = process.env.no_proxy ?? process.env.NO_PROXY;
  const host = new URL(settings.baseUrl).hostname;
  const noProxy = [...(excluded ? [excluded] : []), host].join(",");
  return {
    ...Object.fromEntries(inherited.map((name) => [name, undefined])),
    ...toVariables(settings),
    ...(hasProxy ? { NO_PROXY: noProxy, no_proxy: noProxy } : {}),
  };
}

/** Returns the path for the certificate; by default, in a temporary folder that `remove` deletes. */
function certificateFile(file: string | undefined) {
  if (file !== undefined) return { caFile: resolve(file), remove: () => undefined };
  const folder = mkdtempSync(join(tmpdir(), "clouddb-simulator-"));
  const remove = () => {
    rmSync(folder, { recursive: true, force: true });
  };
  return { caFile: join(folder, "ca.pem"), remove };
}

function packageVersion(): string {
  const text = readFileSync(join(__dirname, "..", "package.json"), "utf8");
  return z.object({ version: z.string() }).parse(JSON.parse(text)).version;
}

function fail(error: unknown): void {
  const code = String(codeOf(error));
  const isUsage = error instanceof UsageError || code.startsWith("ERR_PARSE_ARGS");
  // The rest of a message of Node.js is about values that begin with a hyphen.
  const [problem = ""] = messageOf(error).split(". To specify");
  const hint = "Stop the other process or choose another port; 0 selects a free one.";
  const advice = isUsage
    ? "\nSee clouddb-simulator --help."
    : code === "EADDRINUSE"
      ? `\n${hint}`
      : "";
  console.error(`clouddb-simulator: ${escapeMessage(problem)}${advice}`);
  process.exitCode = isUsage ? 2 : 1;
}

main().catch(fail);
