import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { z } from "zod";
import { escapeMessage, messageOf } from "./errors";
import { type Seed, type SimulatorOptions, startSimulator } from "./index";

/**
 * The `clouddb-simulator` command: starts the simulator, prints its URL as one line of JSON, and stops
 * on SIGTERM or SIGINT.
 */

const usage = `Usage: clouddb-simulator --seed <file> [options]

  --seed <file>              initial organizations, projects and clusters (JSON); required
  --state <file>             keep the projects in this file between runs (default: in memory)
  --port <number>            HTTPS port; 0 selects a free port (default: 0)
  --host <address>           address to listen on (default: 127.0.0.1)
  --http-port <number|none>  plain HTTP port that rejects every request (default: none)
  --dns-port <number>        serve DNS for the host names, as the Internet resolves them (default: none)
  --dns-peered-port <number> the same, as a peered network resolves them (default: a free port)
  --ca-out <file>            where to write the CA certificate (default: a temporary file)
  --api-path <path>          path of the API (default: /api/service/v1.0)
  --token-path <path>        path of the token endpoint (default: /api/oauth/token)
  --field-prefix <prefix>    prefix of the two version fields (default: db)
  --scheme <scheme>          scheme of the connection strings (default: db)
  --domain <domain>          domain of the clusters (default: clusters.example)
  --requests-per-minute <number|none>  rate limit of each project (default: 100)
  --creation-seconds <number>          seconds until a new cluster is IDLE (default: 5)
  --versions <dates>         dates of the API's versions, separated by commas; clients must select one
                             by media type, e.g. application/vnd.clouddb.2023-01-01+json (default: none)
  --ended-versions <dates>   dates of the versions that have ended (default: none)
  --control                  serve /control, and let the page change clusters, inject faults and more
  --help                     print this help
  --version                  print the version of clouddb-simulator

Prints {"url":...,"caFile":...} when it is ready.`;

/** Invalid arguments: the command exits with code 2 and points to `--help`. */
class UsageError extends Error {
  override readonly name = "UsageError";
}

const optionTypes = {
  seed: { type: "string" },
  state: { type: "string" },
  port: { type: "string" },
  host: { type: "string" },
  "http-port": { type: "string" },
  "dns-port": { type: "string" },
  "dns-peered-port": { type: "string" },
  "ca-out": { type: "string" },
  "api-path": { type: "string" },
  "token-path": { type: "string" },
  "field-prefix": { type: "string" },
  scheme: { type: "string" },
  domain: { type: "string" },
  "requests-per-minute": { type: "string" },
  "creation-seconds": { type: "string" },
  versions: { type: "string" },
  "ended-versions": { type: "string" },
  control: { type: "boolean" },
  help: { type: "boolean" },
  version: { type: "boolean" },
} as const;

type Arguments = ReturnType<typeof readArguments>;

async function main(): Promise<void> {
  const values = readArguments();
  if (values.help) {
    console.log(usage);
    return;
  }
  if (values.version) {
    console.log(packageVersion());
    return;
  }
  await start(values);
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
    throw error;
  }
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

function readArguments() {
  try {
    return parseArgs({ options: optionTypes }).values;
  } catch (error) {
    throw new UsageError(messageOf(error));
  }
}

function toOptions(values: Arguments): SimulatorOptions {
  if (values.seed === undefined) throw new UsageError("--seed <file> is required.");
  const settings = {
    port: parseNumber("port", values.port),
    host: values.host,
    httpPort:
      values["http-port"] === "none" ? undefined : parseNumber("http-port", values["http-port"]),
    dns: dnsPorts(values["dns-port"], values["dns-peered-port"]),
    stateFile: values.state,
    apiPath: values["api-path"],
    tokenPath: values["token-path"],
    fieldPrefix: values["field-prefix"],
    scheme: values.scheme,
    domain: values.domain,
    requestsPerMinute:
      values["requests-per-minute"] === "none"
        ? Infinity
        : parseNumber("requests-per-minute", values["requests-per-minute"]),
    creationSeconds: parseNumber("creation-seconds", values["creation-seconds"]),
    versions: parseVersions(values.versions, values["ended-versions"]),
    control: values.control,
  };
  return { seed: readSeed(values.seed), ...settings };
}

/** Returns the ports of the DNS servers; undefined if neither option is set. */
function dnsPorts(internet: string | undefined, peered: string | undefined) {
  if (internet === undefined && peered === undefined) return undefined;
  return {
    internetPort: parseNumber("dns-port", internet),
    peeredNetworkPort: parseNumber("dns-peered-port", peered),
  };
}

/** Returns the setting `versions`; undefined if the options are not set. */
function parseVersions(dates: string | undefined, ended: string | undefined) {
  if (dates === undefined && ended === undefined) return undefined;
  if (dates === undefined) throw new UsageError("--ended-versions requires --versions.");
  return { dates: dates.split(","), ended: ended?.split(",") };
}

/** Parses the number of an option; undefined if the option is not set. */
function parseNumber(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d+(?:\.\d+)?$/.test(text)) return Number(text);
  throw new UsageError(`--${name} must be a number, but is "${text}".`);
}

function readSeed(file: string): Seed {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    throw new UsageError(`The seed cannot be read: ${messageOf(error)}`);
  }
  try {
    // startSimulator validates it.
    return JSON.parse(text) as Seed;
  } catch (error) {
    throw new UsageError(`The seed ${file} is not valid JSON: ${messageOf(error)}`);
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
