/** Runs a command with this process alone, or together with other processes. */
import { join } from "node:path";
import { PulumiCommand } from "@pulumi/pulumi/automation";
import { type Fleet, UsageError } from "./stackList";
import { openJournal } from "./journal";
import { type WorkOptions, runLocally } from "./local";
import type { Progress } from "./progress";
import { openQueue } from "./queue";
import type { Action, Result, Results } from "./result";
import { StackLocked, runStack, timing } from "./runStack";

/** A command that is ready to run. */
export interface Command {
  readonly action: Action;
  readonly fleet: Fleet;
  readonly concurrency: number;
  readonly run: string | undefined;
  readonly retryFailed: boolean;
  readonly json: boolean;
}

/** What a run needs in addition to the command. */
export interface Running extends Command {
  readonly stop: AbortSignal;
  readonly interrupt: AbortSignal;
  readonly progress: Progress;
}

/** Runs the command with this process alone. */
export async function runAlone(options: Running): Promise<Result[]> {
  const { action, fleet, progress } = options;
  const journal = openJournal(join(process.cwd(), ".fleet", `${action}.jsonl`));
  const wanted = await doneIn(journal, fleet);
  const finished = new Map(wanted.map((result) => [result.stack, result]));
  if (finished.size > 0) {
    progress.say(`Resuming: ${finished.size} of ${fleet.stacks.length} stacks already done.`);
  }
  const stacks = fleet.stacks.filter(({ name }) => !finished.has(name));
  const record = async (result: Result) => {
    finished.set(result.stack, result);
    progress.results([...finished.values()]);
    await journal.record(result);
  };
  const work = await worker(options, record);
  await runLocally({
    ...options,
    stacks,
    work: (stack) => work(stack, true).catch(unlessInterrupted),
  });
  if (finished.size === fleet.stacks.length) journal.remove();
  return [...finished.values()];
}

/** Returns the results of an interrupted run, except for failed stacks, which run again. */
async function doneIn(results: Results, fleet: Fleet): Promise<Result[]> {
  const names = new Set(fleet.stacks.map(({ name }) => name));
  const recorded = await results.read();
  return recorded.filter(({ stack, status }) => names.has(stack) && status !== "failed");
}

/** Runs the command together with other processes. */
export async function runShared(options: Running): Promise<Result[]> {
  const { action, fleet, concurrency, progress, retryFailed, run = "" } = options;
  const database = process.env["FLEET_DATABASE"];
  if (!database)
    throw new UsageError("--run requires FLEET_DATABASE, the URL of a PostgreSQL database");
  const name = `${action}:${run}`;
  const queue = await openQueue(database, name, concurrency);
  try {
    const { results } = queue;
    if (retryFailed) await results.forgetFailed();
    const work = await worker(options, async (result) => {
      await results.record(result);
      progress.results(await results.read());
    });
    const { stacks } = fleet;
    await queue.work({ ...options, stacks, run: name, work, onResults: progress.results });
    return await results.read();
  } finally {
    await queue.close();
  }
}

/** Returns a function that works on one stack and records its result. */
async function worker(options: Running, record: Results["record"]): Promise<WorkOptions["work"]> {
  const { progress, stop } = options;
  const pulumi = await PulumiCommand.get();
  return async (entry, isLastAttempt) => {
    const stack = entry.name;
    progress.started(stack);
    let result: Result | undefined;
    try {
      result = await runStack(entry, { ...options, pulumi });
    } catch (error) {
      if (!(error instanceof StackLocked) || !isLastAttempt) throw error;
      const reason = error.message;
      result = { stack, status: "failed", reason, changes: {}, ...timing(Date.now()) };
    } finally {
      progress.finished(stack);
    }
    // An interrupted stack has no result: the resumed run works on it again.
    if (stop.aborted && result.status === "failed") throw new Interrupted();
    await record(result);
    progress.finished(stack, result);
  };
}

class Interrupted extends Error {}

function unlessInterrupted(error: unknown): void {
  if (!(error instanceof Interrupted)) throw error;
}
