#!/usr/bin/env node
/**
 * The `clouddb-simulator` command: starts the simulator, prints its URL as one line of JSON, and stops
 * on SIGTERM or SIGINT.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import writeFileAtomic from "write-file-atomic";
import { z } from "zod";
import { type Seed, type Simulator, type SimulatorOptions, startSimulator } from "./index";

const usage = `Usage: clouddb-simulator --seed <file> [options]

  --seed <file>              initial organizations, projects and clusters (JSON); required
  --state <file>             keep the projects in this file between runs (default: in memory)
  --port <number>            HTTPS port; 0 selects a free port (default: 0)
  --host <address>           address to listen on (default: 127.0.0.1)
  --http-port <number|none>  plain HTTP port that rejects every request (default: none)
  --ca-out <file>            where to write the CA certificate (default: a temporary file)
  --api-path <path>          path of the API (default: /api/service/v1.0)
  --token-path <path>        path of the token endpoint (default: /api/oauth/token)
  --field-prefix <prefix>    prefix of the two version fields (default: db)
  --scheme <scheme>          scheme of the connection strings (default: db)
  --domain <domain>          domain of the clusters (default: clusters.example)
  --requests-per-minute <number|none>  rate limit of each project (default: 100)
  --creation-seconds <number>          seconds until a new cluster is IDLE (default: 5)
  --control                  serve /control: faults, clock and reset for other processes
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
  "ca-out": { type: "string" },
  "api-path": { type: "string" },
  "token-path": { type: "string" },
  "field-prefix": { type: "string" },
  scheme: { type: "string" },
  domain: { type: "string" },
  "requests-per-minute": { type: "string" },
  "creation-seconds": { type: "string" },
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
  const simulator = await startSimulator(toOptions(values));
  const caFolder = values["ca-out"] === undefined ? createTemporaryFolder() : undefined;
  const caFile = resolve(values["ca-out"] ?? join(caFolder ?? "", "ca.pem"));
  await writeFileAtomic(caFile, simulator.ca);
  stopOnSignal(simulator, caFolder);
  console.log(JSON.stringify({ url: simulator.url, caFile }));
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
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function toOptions(values: Arguments): SimulatorOptions {
  if (values.seed === undefined) throw new UsageError("--seed <file> is required.");
  const settings = {
    port: parseNumber("port", values.port),
    host: values.host,
    httpPort:
      values["http-port"] === "none" ? undefined : parseNumber("http-port", values["http-port"]),
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
    control: values.control,
  };
  return { seed: readSeed(values.seed), ...settings };
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

function createTemporaryFolder(): string {
  return mkdtempSync(join(tmpdir(), "clouddb-simulator-"));
}

function stopOnSignal(simulator: Simulator, caFolder: string | undefined): void {
  const stop = () => {
    simulator
      .stop()
      .catch(fail)
      .finally(() => {
        if (caFolder !== undefined) rmSync(caFolder, { recursive: true, force: true });
      });
  };
  process.once("SIGTERM", stop);
  process.once("SIGINT", stop);
}

function fail(error: unknown): void {
  process.exitCode = error instanceof UsageError ? 2 : 1;
  const hint = error instanceof UsageError ? "\nSee clouddb-simulator --help." : "";
  console.error(`clouddb-simulator: ${messageOf(error)}${hint}`);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

main().catch(fail);
