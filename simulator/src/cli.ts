#!/usr/bin/env node
// The command: starts the service, says where it is in one line of JSON, and stops on SIGTERM or
// SIGINT.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import writeFileAtomic from "write-file-atomic";
import { z } from "zod";
import { type Seed, type Simulator, type SimulatorOptions, startSimulator } from "./index";

const USAGE = `Usage: clouddb-simulator --seed <file> [options]

  --seed <file>              what the service holds at its start (JSON)
  --state <file>             keep the projects here between runs
  --port <number>            0 takes a free port (0)
  --host <address>           the address to listen on (127.0.0.1)
  --http-port <number|none>  a plain HTTP port that refuses every request (none)
  --ca-out <file>            write the certificate authority here (a temporary file)
  --api-path <path>          (/api/service/v1.0)
  --token-path <path>        (/api/oauth/token)
  --field-prefix <prefix>    of the two version fields (db)
  --scheme <scheme>          of the connection strings (db)
  --domain <domain>          of the clusters (clusters.example)
  --requests-per-minute <number|none>  for each project (100)
  --creation-seconds <number>          until a created cluster is IDLE (5)
  --control                  serve /control: faults, clock and reset for other processes
  --help                     show this
  --version                  show the version of clouddb-simulator

Prints {"url":...,"caFile":...} when it is ready.`;

/** A mistake in how the command was called. */
class UsageError extends Error {
  override readonly name = "UsageError";
}

const OPTIONS = {
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

type Values = ReturnType<typeof readArguments>;

async function main(): Promise<void> {
  const values = readArguments();
  if (values.help) {
    console.log(USAGE);
    return;
  }
  if (values.version) {
    console.log(version());
    return;
  }
  const simulator = await startSimulator(optionsFrom(values));
  const temporary = values["ca-out"] === undefined ? temporaryFolder() : undefined;
  const caFile = resolve(values["ca-out"] ?? join(temporary ?? "", "ca.pem"));
  await writeFileAtomic(caFile, simulator.ca);
  stopOnSignal(simulator, temporary);
  console.log(JSON.stringify({ url: simulator.url, caFile }));
}

/** As package.json states it. */
function version(): string {
  const text = readFileSync(join(__dirname, "..", "package.json"), "utf8");
  return z.object({ version: z.string() }).parse(JSON.parse(text)).version;
}

function readArguments() {
  try {
    return parseArgs({ options: OPTIONS }).values;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function optionsFrom(values: Values): SimulatorOptions {
  if (values.seed === undefined) throw new UsageError("--seed <file> is needed.");
  const given = {
    port: number("port", values.port),
    host: values.host,
    httpPort: values["http-port"] === "none" ? undefined : number("http-port", values["http-port"]),
    stateFile: values.state,
    apiPath: values["api-path"],
    tokenPath: values["token-path"],
    fieldPrefix: values["field-prefix"],
    scheme: values.scheme,
    domain: values.domain,
    requestsPerMinute:
      values["requests-per-minute"] === "none"
        ? Infinity
        : number("requests-per-minute", values["requests-per-minute"]),
    creationSeconds: number("creation-seconds", values["creation-seconds"]),
    control: values.control,
  };
  return { seed: readSeed(values.seed), ...given };
}

function number(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d+(?:\.\d+)?$/.test(text)) return Number(text);
  throw new UsageError(`--${name} must be a number, not "${text}".`);
}

function readSeed(file: string): Seed {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    throw new UsageError(`The seed cannot be read: ${messageOf(error)}`);
  }
  try {
    // Whether it is a seed is checked at the start, with the path of what is wrong.
    return JSON.parse(text) as Seed;
  } catch (error) {
    throw new UsageError(`The seed ${file} is not valid JSON: ${messageOf(error)}`);
  }
}

function temporaryFolder(): string {
  return mkdtempSync(join(tmpdir(), "clouddb-simulator-"));
}

function stopOnSignal(simulator: Simulator, temporary: string | undefined): void {
  const stop = () => {
    simulator
      .stop()
      .catch(fail)
      .finally(() => {
        if (temporary !== undefined) rmSync(temporary, { recursive: true, force: true });
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
