/** `pulumi-clouddb readiness`: whether private IP mode of a project could be disabled now. */
import { parseArgs } from "node:util";
import { isForPeople } from "../engine/errors";
import { openSession } from "../session";
import { readReadiness, readinessReport } from "./readiness";

export const readinessHelp = `Usage: pulumi-clouddb readiness --project ID [--json]

Tells whether private IP mode of a project could be disabled now: whether every cluster runs version
7.0.0 or later. It changes nothing.

  --project ID   the project
  --json         the facts as one JSON object
  --help         this text

Settings are read from the environment, named as the provider's: CLOUDDB_BASE_URL,
CLOUDDB_PUBLIC_KEY and CLOUDDB_PRIVATE_KEY or CLOUDDB_CLIENT_ID and CLOUDDB_CLIENT_SECRET,
CLOUDDB_CA_FILE, ...

Exit code: 0 ready, 1 not ready, 2 could not tell.`;

/** What a command has to say, and its exit code. */
export interface CommandResult {
  readonly code: 0 | 1 | 2;
  readonly output: string;
  readonly error: string;
}

export async function readinessCommand(commandLine: string[]): Promise<CommandResult> {
  const parsed = parse(commandLine);
  if (parsed.kind === "help") return { code: 0, output: readinessHelp, error: "" };
  if (parsed.kind === "wrong") return couldNotTell(`${parsed.problem}\n\n${readinessHelp}`);
  try {
    const session = openSession(() => undefined);
    const readiness = await readReadiness(session, parsed.projectId);
    const lines = parsed.json ? [JSON.stringify(readiness, null, 2)] : readinessReport(readiness);
    return { code: readiness.ready ? 0 : 1, output: lines.join("\n"), error: "" };
  } catch (error) {
    if (!isForPeople(error)) throw error;
    return couldNotTell(`Could not tell: ${error.message}`);
  }
}

function couldNotTell(error: string): CommandResult {
  return { code: 2, output: "", error };
}

type Parsed =
  | { readonly kind: "help" }
  | { readonly kind: "wrong"; readonly problem: string }
  | { readonly kind: "asked"; readonly projectId: string; readonly json: boolean };

function parse(args: string[]): Parsed {
  const options = {
    project: { type: "string" },
    json: { type: "boolean", default: false },
    help: { type: "boolean", short: "h", default: false },
  } as const;
  try {
    const { values } = parseArgs({ args, options });
    if (values.help) return { kind: "help" };
    if (!values.project) return { kind: "wrong", problem: "--project ID is missing." };
    return { kind: "asked", projectId: values.project, json: values.json };
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    return { kind: "wrong", problem };
  }
}
