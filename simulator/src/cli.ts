#!/usr/bin/env node
/**
 * The `clouddb-simulator` command: starts the simulator, prints its URL as one line of JSON, and stops
 * on a signal. With `exec`, it runs another command against the simulator.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { constants, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { isatty } from "node:tty";
import { styleText } from "node:util";
import { Command, InvalidArgumentError, Option } from "commander";
import spawn from "cross-spawn";
import { z } from "zod";
import {
  type ClientSettings,
  clientSettings,
  labeledSettings,
  toVariables,
} from "./clientSettings";
import { codeOf, escapeMessage, messageOf } from "./errors";
import { fixtures } from "./fixtures";
import { type Seed, type SimulatorSettings, startSimulator } from "./index";

/** The options of the command: settings of the library, and those that are read here. */
interface Options extends SimulatorSettings {
  readonly fixture: keyof typeof fixtures;
  readonly seed?: string;
  readonly state?: string;
  readonly caOut?: string;
  readonly dnsPort?: number;
}

/** The signals that end a process. Windows sends SIGBREAK for Ctrl-Break, and SIGHUP when a console is closed. */
const endingSignals = ["SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK"] as const;

const program = new Command("clouddb-simulator")
  .description('Starts the simulator, and prints {"url":...,"caFile":...} when it is ready.')
  .version(packageVersion())
  .showHelpAfterError("See clouddb-simulator --help.")
  .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2))
  .addOption(
    new Option("--fixture <name>", "initial data, a fixture of the library")
      .choices(Object.keys(fixtures))
      .default("demo")
      .conflicts("seed"),
  )
  .option("--seed <file>", "initial organizations, projects and clusters, as JSON")
  .option("--state <file>", "keep the projects in this file between runs (default: in memory)")
  .option("--port <number>", "HTTPS port (default: a free port)", number)
  .option("--host <address>", "address to listen on (default: 127.0.0.1)")
  .option("--dns-port <number>", "serve DNS; this port answers as the Internet does", number)
  .option("--ca-out <file>", "where to write the CA certificate (default: a temporary file)")
  .addOption(
    new Option("--profile <name>", "family of services; v2 simulates MongoDB Atlas")
      .choices(["default", "v2"])
      .default("default"),
  )
  .option("--api-path <path>", "path of the API (default: /api/service/v1.0)")
  .option("--token-path <path>", "path of the token endpoint (default: /api/oauth/token)")
  .option("--field-prefix <prefix>", "prefix of the two version fields (default: db)")
  .option("--page-parameter <name>", "query parameter of a page's number (default: pageNum)")
  .option("--page-size-parameter <name>", "that of its size (default: itemsPerPage)")
  .option("--count-parameter <name>", "that of the count (default: includeCount)")
  .option("--count-field <name>", "field of a list for its count (default: totalCount)")
  .option("--scheme <scheme>", "scheme of the connection strings (default: db)")
  .option("--domain <domain>", "domain of the clusters (default: clusters.example)")
  .option(
    "--requests-per-minute <number|none>",
    "rate limit of each project (default: 100)",
    numberOrNone,
  )
  .option(
    "--token-requests-per-minute <number|none>",
    "token requests of each service account (default: none)",
    numberOrNone,
  )
  .option(
    "--tokens-per-account <number|none>",
    "active tokens of each service account (default: none)",
    numberOrNone,
  )
  .option("--control", "serve /control, and let the page change clusters, inject faults and more")
  .action(() => start(program.opts()));

program
  .command("exec")
  .description("runs a command against the simulator, and exits with its exit code")
  .usage("[options of clouddb-simulator] -- <command>")
  .argument("<command...>", "a command and its arguments, which gets CLOUDDB_* variables")
  .action(([command = "", ...args]: string[]) => exec(command, args, program.opts()));

function number(text: string): number {
  if (!/^\d+(?:\.\d+)?$/.test(text)) throw new InvalidArgumentError("It must be a number.");
  return Number(text);
}

function numberOrNone(text: string): number {
  return text === "none" ? Infinity : number(text);
}

/** Starts the simulator until a signal stops it, and prints how to reach it. */
async function start(options: Options): Promise<void> {
  const { simulator, caFile, stop, settingsWith } = await run(options);
  for (const signal of endingSignals) process.once(signal, () => void stop().catch(fail));
  console.log(JSON.stringify({ url: simulator.url, caFile, dns: simulator.dns }));
  if (process.stderr.isTTY) console.error(introduction(settingsWith("apiKey")));
}

/** Returns the address and the credentials, for somebody who starts the simulator in a terminal. */
function introduction(settings: ClientSettings): string {
  const style = (format: "bold" | "dim", text: string) =>
    styleText(format, text, { stream: process.stderr });
  const lines = labeledSettings(settings).map(
    ({ label, value }) => `  ${style("dim", label.padEnd(16))}${escapeMessage(value)}`,
  );
  return [
    `${style("bold", "The simulator is running.")} Ctrl-C stops it.`,
    ...lines,
    "Open the base URL in a browser. The page shows the projects, the requests, and the commands that",
    "make a stack use the simulator.",
  ].join("\n");
}

async function exec(command: string, args: string[], options: Options): Promise<void> {
  const { stop, settingsWith } = await run(options);
  const variables = variablesFor(settingsWith("serviceAccount"));
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

/** Starts the simulator; `settingsWith` returns the settings of a client, with the preferred kind of credential. */
async function run({ seed: file, fixture, state, caOut, ...options }: Options) {
  const seed = file === undefined ? fixtures[fixture] : readSeed(file);
  const { dnsPort, ...settings } = options;
  const { caFile, remove } = certificateFile(caOut);
  try {
    const simulator = await startSimulator({
      ...settings,
      seed,
      caFile,
      stateFile: state,
      dns: dnsPort === undefined ? undefined : { internetPort: dnsPort },
    });
    const stop = () => simulator.stop().finally(remove);
    const settingsWith = (preferred: "apiKey" | "serviceAccount") =>
      clientSettings(simulator.url, { ...settings, caFile }, seed.organizations, preferred);
    return { simulator, caFile, stop, settingsWith };
  } catch (error) {
    remove();
    throw error;
  }
}

/** Reads a seed, which startSimulator validates. An error names the position at most, because the text may be a secret. */
function readSeed(file: string): Seed {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as Seed;
  } catch (error) {
    const reason =
      error instanceof SyntaxError
        ? `it is not valid JSON${/ at position \d+/.exec(error.message)?.[0] ?? ""}`
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
  process.exitCode = 1;
  const isInUse = codeOf(error) === "EADDRINUSE";
  const hint = "\nStop the other process or choose another port; 0 selects a free one.";
  console.error(`clouddb-simulator: ${escapeMessage(messageOf(error))}${isInUse ? hint : ""}`);
}

program.parseAsync().catch(fail);
