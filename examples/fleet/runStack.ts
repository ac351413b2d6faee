/** Runs an action on one stack, with Pulumi's Automation API. */
import { stripVTControlCharacters } from "node:util";
import {
  CommandError,
  ConcurrentUpdateError,
  type EngineEvent,
  LocalWorkspace,
  type PulumiCommand,
  type Stack,
} from "@pulumi/pulumi/automation";
import { deploy } from "./program";
import type { Action, Result } from "./queue";
import type { Fleet, FleetStack } from "./stackList";

/** The errors and changes that the engine reported. */
interface EngineReport {
  readonly errors: string[];
  changes: Record<string, number>;
}

/**
 * Runs an action on a stack. Creates the stack if needed.
 *
 * @param credentials environment variables that replace those of this process
 * @returns the result, even if the action failed
 * @throws an error if the stack cannot be opened, or if another process is updating it; retry later
 */
export async function runStack(
  entry: FleetStack,
  action: Action,
  fleet: Fleet,
  pulumiCommand: PulumiCommand,
  credentials: Readonly<Record<string, string>>,
): Promise<Pick<Result, "status" | "reason" | "changes">> {
  const stack = await LocalWorkspace.createOrSelectStack(
    {
      stackName: entry.name,
      projectName: "clouddb-fleet",
      program: () => Promise.resolve(deploy(entry)),
    },
    {
      // The folder of Pulumi.yaml. Providers load pulumi-clouddb from its node_modules.
      workDir: __dirname,
      pulumiCommand,
      envVars: {
        PULUMI_SKIP_UPDATE_CHECK: "1",
        CLOUDDB_REQUESTS_PER_MINUTE: String(fleet.requestsPerStack),
        ...credentials,
      },
    },
  );
  const milliseconds = fleet.maxUpdateMinutes * 60_000;
  const report: EngineReport = { errors: [], changes: {} };
  try {
    await operate(stack, action, AbortSignal.timeout(milliseconds), report);
  } catch (error) {
    if (error instanceof ConcurrentUpdateError) {
      if (hasLockSince(error.message, Date.now() - milliseconds)) throw error;
      // Only a killed process leaves such a lock behind, because an update ends earlier.
      await stack.cancel();
      return await runStack(entry, action, fleet, pulumiCommand, credentials);
    }
    // `pulumi preview --expect-no-changes` exits with 7 if there are changes.
    const drifted = error instanceof CommandError && /exit code 7:/.test(error.message);
    return drifted
      ? { status: "drifted", changes: report.changes }
      : { status: "failed", changes: report.changes, reason: reasonOf(report.errors, error) };
  }
  return { status: "succeeded", changes: report.changes };
}

/** Runs the action. On abort, running operations finish, and no further ones start. */
async function operate(
  stack: Stack,
  action: Action,
  signal: AbortSignal,
  report: EngineReport,
): Promise<void> {
  const onEvent = ({ diagnosticEvent, summaryEvent }: EngineEvent) => {
    if (diagnosticEvent?.severity === "error") report.errors.push(diagnosticEvent.message);
    if (summaryEvent !== undefined) report.changes = { ...summaryEvent.resourceChanges };
  };
  const options = { onEvent, signal };
  if (action === "up") await stack.up(options);
  else if (action === "destroy") await stack.destroy(options);
  else await stack.preview({ ...options, refresh: true, expectNoChanges: true });
}

/** Returns whether the error of a refused update names no lock, or a lock that is newer than a time. */
function hasLockSince(refusal: string, time: number): boolean {
  const locks = [...refusal.matchAll(/created by \S+ \(pid \d+\) at (\S+)/g)];
  return locks.length === 0 || locks.some(([, at = ""]) => !(Date.parse(at) < time));
}

/** Returns why a stack failed. The engine's last errors only say that the update failed. */
function reasonOf(errors: readonly string[], error: unknown): string {
  const lines = errors.map(oneLine);
  const specific = lines.find((line) => !/^(error: )?(update|preview) failed/.test(line));
  return specific ?? lines[0] ?? oneLine(String(error));
}

/** Returns external text as a line without control characters and the engine's color markers. */
export function oneLine(text: string): string {
  const line = stripVTControlCharacters(text.replace(/<\{%[a-z ]+%\}>/g, ""))
    .replace(/[\p{C}\p{Z}]+/gu, " ")
    .trim();
  return line.length > 240 ? `${line.slice(0, 240)}...` : line;
}
