#!/usr/bin/env node
/**
 * The `clouddb-simulator` command: starts the simulator, prints its URL as one line of JSON, and stops
 * on a signal. With `exec`, it runs another command against the simulator. `capture` writes a seed.
 */
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeSync } from "node:fs";
import { constants, devNull, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { isatty } from "node:tty";
import spawn from "cross-spawn";
import { z } from "zod";
import {
  type Arguments,
  UsageError,
  fixtureList,
  namingFlags,
  readArguments,
  toOptions,
  usage,
} from "./arguments";
import { capture } from "./capture";
import { captureOptions } from "./captureSource";
import { codeOf, escapeMessage, messageOf, quoteForShell } from "./errors";
import { type Seed, SeedError, type SimulatorOptions, startSimulator } from "./index";

async function main(): Promise<void> {
  const [, , first] = process.argv;
  const isExec = first === "exec";
  const isCapture = first === "capture";
  const words = process.argv.slice(isExec || isCapture ? 3 : 2);
  const end = isExec && words.includes("--") ? words.indexOf("--") : words.length;
  const values = readArguments(words.slice(0, end), isCapture);
  if (values.help !== undefined) console.log(usage);
  else if (values.version !== undefined) console.log(packageVersion());
  else if (values["list-fixtures"] !== undefined) console.log(fixtureList());
  else if (isCapture) await writeSeed(values);
  else if (isExec) await exec(values, words.slice(end + 1));
  else await start(values);
}

/** Starts the simulator until a signal stops it, and prints how to reach it. */
async function start(values: Arguments): Promise<void> {
  const { simulator, caFile, stop, variables } = await run(values);
  stopOnSignal(stop);
  const { url, dns } = simulator;
  if (values["print-env"] === undefined) console.log(JSON.stringify({ url, caFile, dns }));
  else printVariables({ ...variables, CLOUDDB_SIMULATOR_PID: String(process.pid) });
}

/** Prints the seed of a project of the service, and warnings about what it lacks. */
async function writeSeed(values: Arguments): Promise<void> {
  const { seed, warnings } = await capture(optionsOfCapture(values));
  for (const warning of warnings) console.error(`clouddb-simulator: ${warning}`);
  console.log(JSON.stringify(seed, undefined, 2));
}

/** Reads the options of `capture`. Whatever is wrong with them is wrong usage. */
function optionsOfCapture(values: Arguments) {
  try {
    return captureOptions(values, process.env);
  } catch (error) {
    throw new UsageError(messageOf(error));
  }
}

async function exec(values: Arguments, [program, ...args]: readonly string[]): Promise<void> {
  if (program === undefined) {
    throw new UsageError("exec requires -- and a command, for example: exec -- pulumi preview");
  }
  const { stop, variables } = await run(values);
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
    // Before the command starts: a signal without a handler would end this process, and leave the command alone.
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

/** Starts the simulator; `variables` are the variables of a client's environment, undefined to remove one. */
async function run(values: Arguments) {
  const options = await toOptions(values);
  const { caFile, remove } = certificateFile(values["ca-out"]);
  try {
    const simulator = await startSimulator({ ...options, caFile });
    const stop = () => simulator.stop().finally(remove);
    return { simulator, caFile, stop, variables: variablesFor(simulator.url, caFile, options) };
  } catch (error) {
    remove();
    throw error instanceof SeedError ? namingFlags(error, values.seed ?? "") : error;
  }
}

/** Returns the variables that make a client use the simulator, and no setting for another service. */
function variablesFor(
  url: string,
  caFile: string,
  { seed, apiPath, tokenPath, revokePath, fieldPrefix, versions }: SimulatorOptions,
): NodeJS.ProcessEnv {
  const inherited = Object.keys(process.env).filter((name) => name.startsWith("CLOUDDB_"));
  const date = versions?.dates
    .filter((each) => !versions.ended?.includes(each))
    .sort()
    .at(-1);
  const hasProxy = Object.keys(process.env).some((name) => /^https?_proxy$/i.test(name));
  const excluded = process.env.no_proxy ?? process.env.NO_PROXY;
  const noProxy = [...(excluded ? [excluded] : []), new URL(url).hostname].join(",");
  return {
    ...Object.fromEntries(inherited.map((name) => [name, undefined])),
    CLOUDDB_BASE_URL: url,
    CLOUDDB_CA_FILE: caFile,
    CLOUDDB_API_PATH: apiPath,
    CLOUDDB_TOKEN_PATH: tokenPath,
    CLOUDDB_REVOKE_PATH: revokePath,
    CLOUDDB_FIELD_PREFIX: fieldPrefix,
    CLOUDDB_MEDIA_TYPE: date && `application/vnd.${versions?.vendor ?? "clouddb"}.${date}+json`,
    ...credentialsIn(seed),
    ...(hasProxy ? { NO_PROXY: noProxy, no_proxy: noProxy } : {}),
  };
}

/** Returns the variables of the first owner in a seed, or else of the first credential. */
function credentialsIn({ organizations = [] }: Seed): NodeJS.ProcessEnv {
  const credentials = organizations.flatMap(({ serviceAccounts = [], apiKeys = [] }) => [
    ...serviceAccounts.map(({ clientId, clientSecret, roles }) => ({
      roles,
      variables: { CLOUDDB_CLIENT_ID: clientId, CLOUDDB_CLIENT_SECRET: clientSecret },
    })),
    ...apiKeys.map(({ publicKey, privateKey, roles }) => ({
      roles,
      variables: { CLOUDDB_PUBLIC_KEY: publicKey, CLOUDDB_PRIVATE_KEY: privateKey },
    })),
  ]);
  const isOwner = ({ roles = [] }: (typeof credentials)[number]) =>
    roles.some(({ role }) => role === "owner");
  return (credentials.find(isOwner) ?? credentials[0])?.variables ?? {};
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
  console.error(`clouddb-simulator: ${escapeMessage(messageOf(error))}${hintFor(error)}`);
}

/** Returns what to do about an error, on a line of its own; empty if the message says it already. */
function hintFor(error: unknown): string {
  if (error instanceof UsageError) return "\nSee clouddb-simulator --help.";
  return codeOf(error) === "EADDRINUSE"
    ? "\nStop the other process or choose another port; 0 selects a free one."
    : "";
}

main().catch(fail);
