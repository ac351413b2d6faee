#!/usr/bin/env node
/**
 * The `clouddb-simulator` command: starts the simulator, prints its URL as one line of JSON, and stops
 * on SIGTERM or SIGINT. With `exec`, it runs another command against the simulator. `capture` writes a seed.
 */
import { spawn } from "node:child_process";
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeSync } from "node:fs";
import { constants, devNull, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { isatty } from "node:tty";
import { parseArgs } from "node:util";
import { z } from "zod";
import { capture, captureFlags, captureOptions } from "./capture";
import { escapeMessage, messageOf, quoteForShell } from "./errors";
import { type Fixtures, fixtures } from "./fixtures";
import { type Seed, SeedError, type SimulatorOptions, startSimulator } from "./index";

/** The options of the command: the setting that each one sets, if it is a setting of the library, and its help. */
const flags = {
  fixture: ["", "<name>", "initial data: a fixture of the library (default: demo)"],
  "list-fixtures": ["", "", "print the names of the fixtures"],
  seed: ["", "<file>", "initial organizations, projects and clusters, as JSON or YAML"],
  state: [
    "stateFile",
    "<file>",
    "keep the projects in this file between runs (default: in memory)",
  ],
  port: ["port", "<number>", "HTTPS port; 0 selects a free port (default: 0)"],
  host: ["host", "<address>", "address to listen on (default: 127.0.0.1)"],
  "http-port": [
    "httpPort",
    "<number|none>",
    "plain HTTP port that rejects every request (default: none)",
  ],
  "dns-port": [
    "dns.internetPort",
    "<number>",
    "serve DNS for the host names, as the Internet resolves them (default: none)",
  ],
  "dns-peered-port": [
    "dns.peeredNetworkPort",
    "<number>",
    "the same, as a peered network resolves them (default: a free port)",
  ],
  "ca-out": ["caFile", "<file>", "where to write the CA certificate (default: a temporary file)"],
  "api-path": ["apiPath", "<path>", "path of the API (default: /api/service/v1.0)"],
  "token-path": ["tokenPath", "<path>", "path of the token endpoint (default: /api/oauth/token)"],
  "revoke-path": [
    "revokePath",
    "<path>",
    "path where tokens are revoked (default: revoke beside the token path)",
  ],
  "field-prefix": ["fieldPrefix", "<prefix>", "prefix of the two version fields (default: db)"],
  scheme: ["scheme", "<scheme>", "scheme of the connection strings (default: db)"],
  domain: ["domain", "<domain>", "domain of the clusters (default: clusters.example)"],
  "requests-per-minute": [
    "requestsPerMinute",
    "<number|none>",
    "rate limit of each project (default: 100)",
  ],
  "token-requests-per-minute": [
    "tokenRequestsPerMinute",
    "<number|none>",
    "token requests of each service account (default: none)",
  ],
  "tokens-per-account": [
    "tokensPerAccount",
    "<number|none>",
    "active tokens of each service account (default: none)",
  ],
  "creation-seconds": [
    "creationSeconds",
    "<number>",
    "seconds until a new cluster is IDLE (default: 5)",
  ],
  versions: [
    "versions.dates",
    "<dates>",
    "dates of the API's versions, separated by commas; clients must select one\n" +
      "by media type, e.g. application/vnd.clouddb.2023-01-01+json (default: none)",
  ],
  "ended-versions": [
    "versions.ended",
    "<dates>",
    "dates of the versions that have ended (default: none)",
  ],
  control: [
    "control",
    "",
    "serve /control, and let the page change clusters, inject faults and more",
  ],
  "print-env": ["", "", "print shell commands that set the variables, instead of JSON"],
  help: ["", "", "print this help"],
  version: ["", "", "print the version of clouddb-simulator"],
} as const;

/** Options by name: the setting that each one sets, its value and its help. */
type Flags = Readonly<Record<string, readonly [setting: string, value: string, help: string]>>;

function helpFor(options: Flags): string {
  const indent = " ".repeat(40);
  return Object.entries(options)
    .map(([flag, [, value, help]]) => {
      const start = `  --${flag} ${value}`.trimEnd().padEnd(indent.length - 1);
      return `${start} ${help.replaceAll("\n", `\n${indent}`)}`;
    })
    .join("\n");
}

const usage = `Usage: clouddb-simulator [options]
       clouddb-simulator exec [options] -- <command>
       clouddb-simulator capture --project <id> [options of capture]

Starts the simulator, and prints {"url":...,"caFile":...} when it is ready. With exec, runs the command
against it, and exits with the exit code of the command. Capture prints a seed of a project of the real
service, with other names, IDs and hosts.

${helpFor(flags)}

Options of capture, which takes its credentials from the variables of pulumi-clouddb:
${helpFor(captureFlags)}

The variables of exec and --print-env: CLOUDDB_BASE_URL, CLOUDDB_CA_FILE and the credentials of a service
account or an API key in the seed. All other variables CLOUDDB_* are removed. In a shell:
  eval "$(clouddb-simulator --print-env &)"; pulumi preview; kill "$CLOUDDB_SIMULATOR_PID"`;

/** Invalid arguments: the command exits with code 2 and points to `--help`. */
class UsageError extends Error {
  override readonly name = "UsageError";
}

type Flag = keyof typeof flags;

/** The arguments of the command: the text of each option, or "" for one that takes no value. */
type Arguments = Partial<Record<Flag | keyof typeof captureFlags, string>>;

async function main(): Promise<void> {
  const [, , first] = process.argv;
  const isExec = first === "exec";
  const isCapture = first === "capture";
  const words = process.argv.slice(isExec || isCapture ? 3 : 2);
  const end = isExec && words.includes("--") ? words.indexOf("--") : words.length;
  const values = readArguments(
    isCapture ? { ...captureFlags, help: flags.help } : flags,
    words.slice(0, end),
  );
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
  const { seed, warnings } = await capture(captureOptions(values, process.env));
  for (const warning of warnings) console.error(`clouddb-simulator: ${warning}`);
  console.log(JSON.stringify(seed, undefined, 2));
}

/** Runs a command against the simulator. */
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
    // A terminal sends Ctrl-C to both processes. A second SIGINT would kill an update that is ending.
    const isTerminal = [0, 1, 2].some((descriptor) => isatty(descriptor));
    // Before the command starts: a signal without a handler would end this process, and leave the command alone.
    process.on("SIGTERM", (signal) => child.kill(signal));
    process.on("SIGINT", (signal) => isTerminal || child.kill(signal));
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

/** Returns a line for each fixture. */
function fixtureList(): string {
  return Object.entries(seeds)
    .map(([name, { projects = [] }]) => {
      const clusters = projects.flatMap((project) => project.clusters ?? []);
      const count = `${clusters.length} cluster${clusters.length === 1 ? "" : "s"}`;
      const mode = projects[0]?.privateIpMode?.enabled ? "on" : "off";
      return `${name.padEnd(18)}${count}, private IP mode ${mode}`;
    })
    .join("\n");
}

/** The fixtures by name. */
const seeds: Readonly<Record<keyof Fixtures, Seed>> = fixtures;

/** Replaces the names of settings by options of the command, and names the file of an invalid seed. */
function namingFlags({ message }: SeedError, seed: string): Error {
  if (message.startsWith("The seed")) return new Error(`--seed ${seed}: ${message}`);
  let text = message;
  for (const [flag, [setting]] of Object.entries(flags)) {
    if (setting !== "") text = text.replaceAll(`\n  ${setting}`, `\n  --${flag}`);
  }
  return new Error(text);
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

/** Returns the version in package.json. */
function packageVersion(): string {
  const text = readFileSync(join(__dirname, "..", "package.json"), "utf8");
  return z.object({ version: z.string() }).parse(JSON.parse(text)).version;
}

function readArguments(allowed: Flags, args: string[]): Arguments {
  const options = Object.fromEntries(
    Object.entries(allowed).map(([flag, [, value]]) => [
      flag,
      { type: value === "" ? ("boolean" as const) : ("string" as const) },
    ]),
  );
  try {
    const { values } = parseArgs({ options, args });
    return Object.fromEntries(
      Object.entries(values).map(([flag, value]) => [flag, typeof value === "string" ? value : ""]),
    );
  } catch (error) {
    throw new UsageError(messageOf(error));
  }
}

/** Converts the arguments to options of the library, which validates them. */
async function toOptions(values: Arguments): Promise<SimulatorOptions> {
  const number = (flag: Flag, none?: number) => {
    const text = values[flag];
    if (text === undefined || (text === "none" && flags[flag][1] === "<number|none>")) {
      return text === undefined ? undefined : none;
    }
    if (/^\d+(?:\.\d+)?$/.test(text)) return Number(text);
    throw new UsageError(`--${flag} must be a number, but is "${text}".`);
  };
  const dates = values.versions?.split(",");
  const ended = values["ended-versions"]?.split(",");
  if (dates === undefined && ended !== undefined) {
    throw new UsageError("--ended-versions requires --versions.");
  }
  if (values.seed !== undefined && values.fixture !== undefined) {
    throw new UsageError("--seed and --fixture cannot be used together.");
  }
  const internetPort = number("dns-port");
  const peeredNetworkPort = number("dns-peered-port");
  const hasDns = internetPort !== undefined || peeredNetworkPort !== undefined;
  return {
    seed: values.seed === undefined ? fixtureNamed(values.fixture) : await readSeed(values.seed),
    port: number("port"),
    host: values.host,
    httpPort: number("http-port"),
    dns: hasDns ? { internetPort, peeredNetworkPort } : undefined,
    stateFile: values.state,
    apiPath: values["api-path"],
    tokenPath: values["token-path"],
    revokePath: values["revoke-path"],
    tokenRequestsPerMinute: number("token-requests-per-minute", Infinity),
    tokensPerAccount: number("tokens-per-account", Infinity),
    fieldPrefix: values["field-prefix"],
    scheme: values.scheme,
    domain: values.domain,
    requestsPerMinute: number("requests-per-minute", Infinity),
    creationSeconds: number("creation-seconds"),
    versions: dates === undefined ? undefined : { dates, ended },
    control: values.control !== undefined,
  };
}

function fixtureNamed(name = "demo"): Seed {
  const fixture = Object.entries(seeds).find(([each]) => each === name)?.[1];
  if (fixture !== undefined) return fixture;
  const names = Object.keys(seeds).join(", ");
  throw new UsageError(`--fixture: There is no fixture "${name}". Fixtures: ${names}.`);
}

async function readSeed(file: string): Promise<Seed> {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    throw new UsageError(`--seed: The seed cannot be read: ${messageOf(error)}`);
  }
  const format = /\.ya?ml$/i.test(file) ? "YAML" : "JSON";
  try {
    // startSimulator validates it.
    return (format === "YAML" ? await parseYaml(text) : JSON.parse(text)) as Seed;
  } catch (error) {
    throw new UsageError(`--seed: The seed ${file} is not valid ${format}: ${messageOf(error)}`);
  }
}

/** Parses YAML. Errors name the line without its text, which may be a secret. */
async function parseYaml(text: string): Promise<unknown> {
  const { LineCounter, parseDocument } = await import("yaml");
  const lineCounter = new LineCounter();
  const document = parseDocument(text, { lineCounter, prettyErrors: false });
  const [problem] = [...document.errors, ...document.warnings];
  if (problem === undefined) return document.toJS();
  const { line, col } = lineCounter.linePos(problem.pos[0]);
  throw new Error(`${problem.message} (line ${line}, column ${col})`);
}

function stopOnSignal(stop: () => Promise<void>): void {
  const onSignal = () => {
    stop().catch(fail);
  };
  process.once("SIGTERM", onSignal);
  process.once("SIGINT", onSignal);
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
  const isInUse = error instanceof Error && "code" in error && error.code === "EADDRINUSE";
  return isInUse ? "\nStop the other process or choose another port; 0 selects a free one." : "";
}

main().catch(fail);
