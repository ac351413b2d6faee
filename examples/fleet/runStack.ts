/** Runs an action on one stack, with Pulumi's Automation API. */
import { hostname } from "node:os";
import {
  CommandError,
  ConcurrentUpdateError,
  type EngineEvent,
  LocalWorkspace,
  type PulumiCommand,
  type Stack,
} from "@pulumi/pulumi/automation";
import type { Fleet, FleetStack } from "./stackList";
import { deploy } from "./program";
import { oneLine, reasonOf } from "./reason";
import type { Action, Result } from "./result";
import { removeStaleLock } from "./stackLock";

/** What all stacks of a run have in common. */
export interface RunOptions {
  readonly fleet: Fleet;
  readonly action: Action;
  readonly pulumi: PulumiCommand;
  /** Interrupts the engine when it aborts: running operations finish, and no further ones start. */
  readonly interrupt: AbortSignal;
}

/** Thrown if another process is working on the stack. The message is one line. */
export class StackLocked extends Error {}

/** The folder of Pulumi.yaml. Providers load pulumi-clouddb from its node_modules. */
const workDir = __dirname;

/** The name of this process in results. */
const driverName = `${hostname()}:${process.pid}`;

/**
 * Runs an action on a stack. Creates the stack if needed.
 *
 * @returns the result, also if the action failed
 * @throws StackLocked if another process is working on the stack
 */
export async function runStack(entry: FleetStack, options: RunOptions): Promise<Result> {
  const started = Date.now();
  const seen: Seen = { errors: [], changes: {} };
  let outcome: Pick<Result, "status" | "reason">;
  try {
    await withoutStaleLock(entry, options, async (stack) => {
      await operate(stack, options, (event) => {
        note(seen, event);
      });
    });
    outcome = { status: "succeeded" };
  } catch (error) {
    if (error instanceof StackLocked) throw error;
    outcome = failure(error, seen);
  }
  return { stack: entry.name, ...outcome, changes: seen.changes, ...timing(started) };
}

/** Returns the fields of a result that say when and by which driver the work was done. */
export function timing(started: number): Pick<Result, "startedAt" | "seconds" | "driver"> {
  return {
    startedAt: new Date(started).toISOString(),
    seconds: Math.round((Date.now() - started) / 100) / 10,
    driver: driverName,
  };
}

/** What the engine reported during an operation. */
interface Seen {
  readonly errors: string[];
  changes: Record<string, number>;
}

function note(seen: Seen, { diagnosticEvent, summaryEvent }: EngineEvent): void {
  if (diagnosticEvent?.severity === "error") seen.errors.push(diagnosticEvent.message);
  if (summaryEvent !== undefined) seen.changes = { ...summaryEvent.resourceChanges };
}

/** Runs the work, and runs it again if it failed because of a stale lock. */
async function withoutStaleLock(
  entry: FleetStack,
  options: RunOptions,
  work: (stack: Stack) => Promise<void>,
): Promise<void> {
  const stack = await openStack(entry, options);
  try {
    await work(stack);
  } catch (error) {
    if (!(error instanceof ConcurrentUpdateError)) throw error;
    const holder = await removeStaleLock(stack, error, options.fleet);
    if (holder !== undefined) throw new StackLocked(`locked by ${oneLine(holder)}`);
    await work(stack);
  }
}

/**
 * Opens a stack, and creates it if needed. Retries if another process created the table of an empty
 * PostgreSQL backend at the same time, because the CLI then fails in one of the two processes.
 */
async function openStack(entry: FleetStack, options: RunOptions): Promise<Stack> {
  try {
    return await createOrSelectStack(entry, options);
  } catch (error) {
    const isRace = error instanceof CommandError && /failed to create table/.test(error.message);
    if (!isRace) throw error;
    return await createOrSelectStack(entry, options);
  }
}

function createOrSelectStack(entry: FleetStack, { fleet, pulumi }: RunOptions): Promise<Stack> {
  const program = () => Promise.resolve(deploy(entry));
  return LocalWorkspace.createOrSelectStack(
    { stackName: entry.name, projectName: "clouddb-fleet", program },
    {
      workDir,
      pulumiCommand: pulumi,
      envVars: {
        PULUMI_SKIP_UPDATE_CHECK: "1",
        CLOUDDB_REQUESTS_PER_MINUTE: String(fleet.requestsPerStack),
      },
    },
  );
}

async function operate(
  stack: Stack,
  { action, interrupt }: RunOptions,
  onEvent: (event: EngineEvent) => void,
): Promise<void> {
  const options = { onEvent, signal: interrupt };
  if (action === "up") await stack.up(options);
  else if (action === "destroy") await stack.destroy(options);
  else await stack.preview({ ...options, refresh: true, expectNoChanges: true });
}

function failure(error: unknown, { errors }: Seen): Pick<Result, "status" | "reason"> {
  // `pulumi preview --expect-no-changes` exits with 7 if there are changes.
  if (error instanceof CommandError && /failed with exit code 7:/.test(error.message)) {
    return { status: "drifted" };
  }
  return { status: "failed", reason: reasonOf(errors, error) };
}
