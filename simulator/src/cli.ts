#!/usr/bin/env node
/**
 * The `clouddb-simulator` command: starts the simulator, prints its URL as one line of JSON, and stops
 * on SIGTERM or SIGINT.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { z } from "zod";
import { escapeMessage, messageOf } from "./errors";
import { type Seed, SeedError, type SimulatorOptions, startSimulator } from "./index";

/** The options of the command: the setting that each one sets, if it is a setting of the library, and its help. */
const flags = {
  seed: ["", "<file>", "initial organizations, projects and clusters (JSON); required"],
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
  "field-prefix": ["fieldPrefix", "<prefix>", "prefix of the two version fields (default: db)"],
  scheme: ["scheme", "<scheme>", "scheme of the connection strings (default: db)"],
  domain: ["domain", "<domain>", "domain of the clusters (default: clusters.example)"],
  "requests-per-minute": [
    "requestsPerMinute",
    "<number|none>",
    "rate limit of each project (default: 100)",
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
  help: ["", "", "print this help"],
  version: ["", "", "print the version of clouddb-simulator"],
} as const;

const indent = " ".repeat(40);
const usage = `Usage: clouddb-simulator --seed <file> [options]

${Object.entries(flags)
  .map(([flag, [, value, help]]) => {
    const start = `  --${flag} ${value}`.trimEnd().padEnd(indent.length - 1);
    return `${start} ${help.replaceAll("\n", `\n${indent}`)}`;
  })
  .join("\n")}

Prints {"url":...,"caFile":...} when it is ready.`;

/** Invalid arguments: the command exits with code 2 and points to `--help`. */
class UsageError extends Error {
  override readonly name = "UsageError";
}

type Flag = keyof typeof flags;

/** The arguments of the command: the text of each option, or "" for one that takes no value. */
type Arguments = Partial<Record<Flag, string>>;

async function main(): Promise<void> {
  const values = readArguments();
  if (values.help !== undefined) console.log(usage);
  else if (values.version !== undefined) console.log(packageVersion());
  else await start(values);
}

/** Starts the simulator, and prints its URL and the path of its certificate. */
async function start(values: Arguments): Promise<void> {
  const options = toOptions(values);
  const { caFile, remove } = certificateFile(values["ca-out"]);
  try {
    const simulator = await startSimulator({ ...options, caFile });
    stopOnSignal(() => simulator.stop().finally(remove));
    const { url, dns } = simulator;
    console.log(JSON.stringify({ url, caFile, dns }));
  } catch (error) {
    remove();
    throw error instanceof SeedError ? namingFlags(error, values.seed ?? "") : error;
  }
}

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

function readArguments(): Arguments {
  const options = Object.fromEntries(
    Object.entries(flags).map(([flag, [, value]]) => [
      flag,
      { type: value === "" ? ("boolean" as const) : ("string" as const) },
    ]),
  );
  try {
    const { values } = parseArgs({ options });
    return Object.fromEntries(
      Object.entries(values).map(([flag, value]) => [flag, typeof value === "string" ? value : ""]),
    );
  } catch (error) {
    throw new UsageError(messageOf(error));
  }
}

/** Converts the arguments to options of the library, which validates them. */
function toOptions(values: Arguments): SimulatorOptions {
  if (values.seed === undefined) throw new UsageError("--seed <file> is required.");
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
  const internetPort = number("dns-port");
  const peeredNetworkPort = number("dns-peered-port");
  const hasDns = internetPort !== undefined || peeredNetworkPort !== undefined;
  return {
    seed: readSeed(values.seed),
    port: number("port"),
    host: values.host,
    httpPort: number("http-port"),
    dns: hasDns ? { internetPort, peeredNetworkPort } : undefined,
    stateFile: values.state,
    apiPath: values["api-path"],
    tokenPath: values["token-path"],
    fieldPrefix: values["field-prefix"],
    scheme: values.scheme,
    domain: values.domain,
    requestsPerMinute: number("requests-per-minute", Infinity),
    creationSeconds: number("creation-seconds"),
    versions: dates === undefined ? undefined : { dates, ended },
    control: values.control !== undefined,
  };
}

function readSeed(file: string): Seed {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    throw new UsageError(`--seed: The seed cannot be read: ${messageOf(error)}`);
  }
  try {
    // startSimulator validates it.
    return JSON.parse(text) as Seed;
  } catch (error) {
    throw new UsageError(`--seed: The seed ${file} is not valid JSON: ${messageOf(error)}`);
  }
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
  console.error(`clouddb-simulator: ${escapeMessage(messageOf(error))}${hintFor(error)}`);
}

/** Returns what to do about an error, on a line of its own; empty if the message says it already. */
function hintFor(error: unknown): string {
  if (error instanceof UsageError) return "\nSee clouddb-simulator --help.";
  const isInUse = error instanceof Error && "code" in error && error.code === "EADDRINUSE";
  return isInUse ? "\nStop the other process or choose another port; 0 selects a free one." : "";
}

main().catch(fail);
