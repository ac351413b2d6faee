/** The arguments of the `clouddb-simulator` command, and the options of the library that they set. */
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { messageOf } from "./errors";
import { type Fixtures, fixtures } from "./fixtures";
import type { Seed, SeedError, SimulatorOptions } from "./index";

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

function help(): string {
  const indent = " ".repeat(40);
  return Object.entries<Flags[string]>(flags)
    .map(([flag, [, value, does]]) => {
      const start = `  --${flag} ${value}`.trimEnd().padEnd(indent.length - 1);
      return `${start} ${does.replaceAll("\n", `\n${indent}`)}`;
    })
    .join("\n");
}

/** What `--help` prints. */
export const usage = `Usage: clouddb-simulator [options]
       clouddb-simulator exec [options] -- <command>

Starts the simulator, and prints {"url":...,"caFile":...} when it is ready. With exec, runs the command
against it, and exits with the exit code of the command.

${help()}

The variables of exec and --print-env: CLOUDDB_BASE_URL, CLOUDDB_CA_FILE and the credentials of a service
account or an API key in the seed. All other CLOUDDB_* variables are removed. In a shell:
  eval "$(clouddb-simulator --print-env &)"; pulumi preview; kill "$CLOUDDB_SIMULATOR_PID"`;

/** Invalid arguments: a message of one line that points to `--help`. The command exits with code 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";

  constructor(problem: string) {
    const line = problem
      .trim()
      .replace(/\.$/, "")
      .replace(/\s*\n\s*/g, " ");
    super(`${line}; see clouddb-simulator --help`);
  }
}

type Flag = keyof typeof flags;

/** The arguments of the command: the text of each option, or "" for one that takes no value. */
export type Arguments = Partial<Record<Flag, string>>;

export function readArguments(args: string[]): Arguments {
  const options = Object.fromEntries(
    Object.entries<Flags[string]>(flags).map(([flag, [, value]]) => [
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
    // No command takes a positional argument, although Node.js explains how to pass one.
    throw new UsageError(messageOf(error).replace(/ To specify a positional argument .*/s, ""));
  }
}

/** Converts the arguments to options of the library, which validates them. */
export async function toOptions(values: Arguments): Promise<SimulatorOptions> {
  if (values.versions === undefined && values["ended-versions"] !== undefined) {
    throw new UsageError("--ended-versions requires --versions.");
  }
  if (values.seed !== undefined && values.fixture !== undefined) {
    throw new UsageError("--seed and --fixture cannot be used together.");
  }
  const settings: Record<string, unknown> = {};
  for (const [flag, [setting, kind]] of Object.entries<Flags[string]>(flags)) {
    const text = values[flag as Flag];
    if (setting === "" || text === undefined) continue;
    const [name = "", inner] = setting.split(".");
    const value = valueOf(flag, kind, text);
    settings[name] =
      inner === undefined ? value : Object.assign(settings[name] ?? {}, { [inner]: value });
  }
  const seed =
    values.seed === undefined ? fixtureNamed(values.fixture) : await readSeed(values.seed);
  return { ...settings, seed };
}

/** Returns the value of an option; `kind` is how the help names it. */
function valueOf(flag: string, kind: string, text: string): unknown {
  if (kind === "") return true;
  if (kind === "<dates>") return text.split(",");
  if (!kind.startsWith("<number")) return text;
  if (/^\d+(?:\.\d+)?$/.test(text)) return Number(text);
  if (text === "none" && kind === "<number|none>")
    return flag === "http-port" ? undefined : Infinity;
  throw new UsageError(`--${flag} must be a number, but is "${text}".`);
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
  // startSimulator validates it.
  return (/\.ya?ml$/i.test(file) ? await parseYaml(file, text) : parseJson(file, text)) as Seed;
}

/** Parses JSON. Errors name the position at most, because the text may be a secret. */
function parseJson(file: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const position = / at position \d+/.exec(messageOf(error))?.[0] ?? "";
    throw new UsageError(`--seed: The seed ${file} is not valid JSON${position}`);
  }
}

/** Parses YAML. Errors name the place and the kind of problem without its text, which may be a secret. */
async function parseYaml(file: string, text: string): Promise<unknown> {
  const { LineCounter, parseDocument } = await import("yaml");
  const lineCounter = new LineCounter();
  const document = parseDocument(text, { lineCounter, prettyErrors: false, logLevel: "error" });
  const [problem] = [...document.errors, ...document.warnings];
  const invalidYaml = (reason: string) =>
    new UsageError(`--seed: The seed ${file} is not valid YAML: ${reason}`);
  if (problem !== undefined) {
    const { line, col } = lineCounter.linePos(problem.pos[0]);
    const kind = problem.code.toLowerCase().replaceAll("_", " ");
    throw invalidYaml(`${kind} (line ${line}, column ${col})`);
  }
  try {
    return document.toJS();
  } catch {
    throw invalidYaml(
      "an alias has no anchor, or there are too many. Quote text that begins with *",
    );
  }
}

/** Returns a line for each fixture. */
export function fixtureList(): string {
  return Object.entries(seeds)
    .map(([name, { projects = [] }]) => {
      const clusters = projects.flatMap((project) => project.clusters ?? []);
      const count = `${clusters.length} cluster${clusters.length === 1 ? "" : "s"}`;
      const mode = projects[0]?.privateIpMode?.enabled ? "on" : "off";
      return `${name.padEnd(18)}${count}, private IP mode ${mode}`;
    })
    .join("\n");
}

const seeds: Readonly<Record<keyof Fixtures, Seed>> = fixtures;

/** Replaces the names of settings by options of the command, and names the file of an invalid seed. */
export function withFlagNames({ message }: SeedError, seed: string): Error {
  if (message.startsWith("The seed")) return new Error(`--seed ${seed}: ${message}`);
  let text = message;
  for (const [flag, [setting]] of Object.entries(flags)) {
    if (setting !== "") text = text.replaceAll(`\n  ${setting}`, `\n  --${flag}`);
  }
  return new UsageError(problemsIn(text));
}

/** Returns the problems in the message of an invalid value, in one line. */
function problemsIn(message: string): string {
  return message.replace(/^.*is not valid:\n {2}/, "").replaceAll("\n  ", "; ");
}
