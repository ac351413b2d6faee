/** `clouddb-connection-strings check`: checks a string in this network, without an account and without Pulumi. */
import { Resolver } from "node:dns/promises";
import { inspect, parseArgs } from "node:util";
import { type Conclusion, conclude } from "./conclusion";
import { type Open, openConnection } from "./connections";
import { Dns } from "./dns";
import { factsOf, gatherEvidence, gatherFacts } from "./gather";
import { readText } from "../diagnosis";
import { sentencesOf } from "../rules/drivers";

/** What the command prints, and its exit code. */
export interface CommandResult {
  readonly code: 0 | 1 | 2;
  readonly output: string;
  readonly error: string;
}

/** What the command gets from its process. */
export interface Context {
  readonly environment: Readonly<NodeJS.ProcessEnv>;
  /** Reads standard input. Undefined at a terminal, where a typed password would stay visible. */
  readonly readInput: (() => Promise<string>) | undefined;
  /** Opens connections; for tests. Default: to the address itself */
  readonly open?: Open;
}

/** A problem that the person at the terminal can solve. */
export class CheckError extends Error {}

/** A mistake in the arguments. */
class UsageError extends Error {}

const help = `Usage: clouddb-connection-strings check [--variable NAME] [--resolver ADDRESS]

Finds what drivers refuse in a connection string and what nobody means, and shows what its names resolve to in this
network and whether the hosts accept TLS connections. Run it where the application runs. It needs no account, does
not log in, and prints no user name and no password. It sends nothing to the hosts except TLS handshakes, in which a
client certificate of the string goes only to hosts whose own certificate a driver accepts.

The string comes from an environment variable or from standard input, because other processes can see arguments:

  npx --no clouddb-connection-strings check --variable DATABASE_URL
  pulumi stack output DATABASE_URL --show-secrets | npx --no clouddb-connection-strings check

  --variable NAME      the environment variable that contains the string
  --resolver ADDRESS   the DNS server to ask, such as 10.0.0.2 or 127.0.0.1:5353 (default: those of this machine)
  --help               print this help

Each row is a fact: ok; warning; problem, with which the string or this host is not reachable; or also, which no
driver asks for. A replica set is reachable if a majority of its hosts is; other strings need one host.

Exit code: 0 the string is reachable, 1 it is not, or is not known, 2 wrong usage.`;

/** Runs the command with the arguments that follow `check`. */
export async function check(args: string[], context: Context): Promise<CommandResult> {
  if (args.includes("--help") || args.includes("-h")) return { code: 0, output: help, error: "" };
  try {
    const { variable, resolver } = parseOptions(args);
    const text = await readInput(variable, context);
    const { isReachable, report } = await checkText(text, resolver, context.open);
    return { code: isReachable ? 0 : 1, output: report, error: "" };
  } catch (error) {
    return failure(error);
  }
}

function failure(error: unknown): CommandResult {
  if (error instanceof UsageError) {
    const command = "clouddb-connection-strings check";
    return { code: 2, output: "", error: `${command}: ${error.message}; see ${command} --help` };
  }
  const isRefusal = error instanceof Error && "syscall" in error; // by the operating system
  if (error instanceof CheckError || isRefusal)
    return { code: 1, output: "", error: `Could not check the string: ${error.message}` };
  // Anything else is a bug in this package.
  return { code: 1, output: "", error: inspect(error) };
}

/** Concludes from what a driver asks, and if that fails, from further facts. Throws a CheckError for another text. */
async function checkText(
  text: string,
  resolver: string | undefined,
  open: Open = openConnection,
): Promise<Conclusion> {
  const { parts, findings } = readText(text);
  if (parts === undefined) {
    const problems = [...new Set(findings.map(sentencesOf))].join(" ");
    throw new CheckError(`the text is not a connection string. ${problems}`);
  }
  const string = factsOf(parts, findings);
  const dns = new Dns(resolver);
  const facts = await gatherFacts(string, dns, open);
  const conclusion = conclude(facts);
  return conclusion.isReachable ? conclusion : conclude(await gatherEvidence(facts, dns));
}

function parseOptions(args: string[]) {
  const { values, positionals } = parseValues(args);
  const { variable, resolver } = values;
  // Not repeated, because it can contain a password.
  if (positionals.length > 0)
    throw new UsageError(
      "unexpected argument. A connection string must not be one, because other processes can see arguments. Use --variable, or pipe it into the command",
    );
  if (variable !== undefined && !/^[\w.-]{1,100}$/.test(variable))
    throw new UsageError("--variable must be the name of an environment variable, not its value");
  if (resolver !== undefined && !isServer(resolver))
    throw new UsageError(
      "--resolver must be the IP address of a DNS server, with or without a port",
    );
  return { variable, resolver };
}

function parseValues(args: string[]) {
  const options = { variable: { type: "string" }, resolver: { type: "string" } } as const;
  try {
    return parseArgs({ args, options, allowPositionals: true });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    // The first sentence of Node.js, unless it repeats a string.
    const [problem = ""] = message.includes("://")
      ? ["Unknown option"]
      : message.split(/\. |\.?\n/);
    throw new UsageError(`${problem.charAt(0).toLowerCase()}${problem.slice(1)}`);
  }
}

function isServer(address: string): boolean {
  try {
    new Resolver().setServers([address]);
    return true;
  } catch {
    return false;
  }
}

async function readInput(
  variable: string | undefined,
  { environment, readInput: readStandardInput }: Context,
): Promise<string> {
  if (variable !== undefined) {
    const value = environment[variable] ?? "";
    if (value.trim() !== "") return value;
    throw new CheckError(
      `${variable} is not set here, or empty. To check the output ${variable} of a stack:\n\n  pulumi stack output ${variable} --show-secrets | npx --no clouddb-connection-strings check`,
    );
  }
  if (readStandardInput === undefined)
    throw new UsageError("--variable NAME is missing, and nothing is piped into the command");
  // A command ends its output with a line break, and PowerShell can begin it with a byte order mark.
  const text = (await readStandardInput()).replace(/^\ufeff/, "").replace(/\r?\n$/, "");
  if (text.trim() !== "") return text;
  throw new CheckError(
    "standard input is empty. If another command should print the string, see why it did not. Otherwise, use --variable NAME.",
  );
}
