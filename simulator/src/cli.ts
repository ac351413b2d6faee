#!/usr/bin/env node
/**
 * The `clouddb-simulator` command: starts the simulator, prints its URL as one line of JSON, and stops
 * on a signal. With `exec`, it runs another command against the simulator.
 */
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeSync } from "node:fs";
import { constants, devNull, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { isatty } from "node:tty";
import { styleText } from "node:util";
import spawn from "cross-spawn";
import { z } from "zod";
import {
  type Arguments,
  UsageError,
  fixtureList,
  withFlagNames,
  readArguments,
  toOptions,
  usage,
} from "./arguments";
import {
  type ClientSettings,
  clientSettings,
  labeledSettings,
  toVariables,
} from "./clientSettings";
import { codeOf, escapeMessage, messageOf, quoteForShell } from "./errors";
import { SeedError, startSimulator } from "./index";

async function main(): Promise<void> {
  const [, , first] = process.argv;
  const isExec = first === "exec";
  const words = process.argv.slice(isExec ? 3 : 2);
  const end = isExec && words.includes("--") ? words.indexOf("--") : words.length;
  const values = readArguments(words.slice(0, end));
  if (values.help !== undefined) console.log(usage);
  else if (values.version !== undefined) console.log(packageVersion());
  else if (values["list-fixtures"] !== undefined) console.log(fixtureList());
  else if (isExec) await exec(values, words.slice(end + 1));
  else await start(values);
}

/** Starts the simulator until a signal stops it, and prints how to reach it. */
async function start(values: Arguments): Promise<void> {
  const { simulator, caFile, stop, settingsWith } = await run(values);
  stopOnSignal(stop);
  const { url, dns } = simulator;
  if (values["print-env"] !== undefined) {
    const variables = variablesFor(settingsWith("serviceAccount"));
    printVariables({ ...variables, CLOUDDB_SIMULATOR_PID: String(process.pid) });
    return;
  }
  console.log(JSON.stringify({ url, caFile, dns }));
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

async function exec(values: Arguments, [program, ...args]: readonly string[]): Promise<void> {
  if (program === undefined) {
    throw new UsageError("exec requires -- and a command, for example: exec -- pulumi preview");
  }
  const { stop, settingsWith } = await run(values);
  const variables = variablesFor(settingsWith("serviceAccount"));
  try {
    process.exitCode = await exitCodeOf(program, args, { ...process.env, ...variables });
  } finally {
    await stop();
  }
}

/** Runs a command with the same input, output and signals; resolves to its exit code, as in a shell. */
function exitCodeOf(
  program: string,
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
    for (const each of endingSignals) {
      process.on(each, (signal) => isSentToBoth(signal) || child.kill(signal));
    }
    const child = spawn(program, args, { stdio: "inherit", env });
    child.once("exit", (code, signal) => {
      resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal]));
    });
    child.once("error", ({ message }) => {
      reject(new Error(`The command "${program}" cannot be started: ${message}`));
    });
  });
}

/** Starts the simulator; `settingsWith` returns the settings of a client, with the preferred kind of credential. */
async function run(values: Arguments) {
  const options = await toOptions(values);
  const { caFile, remove } = certificateFile(values["ca-out"]);
  try {
    const simulator = await startSimulator({ ...options, caFile });
    const stop = () => simulator.stop().finally(remove);
    const settingsWith = (preferred: "apiKey" | "serviceAccount") =>
      clientSettings(simulator.url, { ...options, caFile }, options.seed.organizations, preferred);
    return { simulator, caFile, stop, settingsWith };
  } catch (error) {
    remove();
    throw error instanceof SeedError ? withFlagNames(error, values.seed ?? "") : error;
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

/** Prints variables as shell commands, and closes the output so that `$(...)` returns. */
function printVariables(variables: NodeJS.ProcessEnv): void {
  const lines = Object.entries(variables).map(([name, value]) =>
    value === undefined ? `unset ${name}\n` : `export ${name}=${quoteForShell(value)}\n`,
  );
  writeSync(1, lines.join(""));
  closeSync(1);
  // The descriptor stays in use, so that no other file gets it.
  openSync(devNull, "w");
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

/** The signals that end a process. Windows sends SIGBREAK for Ctrl-Break, and SIGHUP when a console is closed. */
const endingSignals = ["SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK"] as const;

function stopOnSignal(stop: () => Promise<void>): void {
  for (const signal of endingSignals) process.once(signal, () => void stop().catch(fail));
}

function fail(error: unknown): void {
  process.exitCode = error instanceof UsageError ? 2 : 1;
  // Otherwise, eval "$(...)" would succeed.
  if (process.argv.includes("--print-env")) writeSync(1, "false\n");
  const isInUse = codeOf(error) === "EADDRINUSE";
  const hint = "\nStop the other process or choose another port; 0 selects a free one.";
  console.error(`clouddb-simulator: ${escapeMessage(messageOf(error))}${isInUse ? hint : ""}`);
}

main().catch(fail);
