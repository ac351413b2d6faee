/**
 * Shares the stacks of a run among several processes and machines, with Graphile Worker's queue in a
 * PostgreSQL database. Every process adds the stacks that are not in the queue yet, and works on them until
 * all of them have results. The jobs of a project are in one named queue, so they run one at a time across
 * all processes.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { Logger, type Runner, type WorkerUtils, makeWorkerUtils, run } from "graphile-worker";
import { Pool } from "pg";
import { z } from "zod";
import type { WorkOptions } from "./local";
import { paced } from "./pace";
import type { Result } from "./result";
import { type ResultsTable, openResultsTable } from "./resultsTable";
import { type Presence, holdPresence, unlockJobsOfKilledDrivers } from "./takeover";

/** The PostgreSQL schema of the queue. It is separate because the fleet unlocks the jobs of any worker in it. */
export const queueSchema = "clouddb_fleet";

/** How a process takes part in a shared run. */
export interface QueueOptions extends WorkOptions {
  /** The name of the run, the same in every process. */
  readonly run: string;
  /** Called about once a second with the results of all processes. */
  readonly onResults: (results: readonly Result[]) => void;
}

const pollInterval = 1000;
/** Disables Graphile Worker's log: the driver reports the progress itself. */
const quiet = new Logger(() => () => undefined);
/** Attempts at a locked stack. Graphile Worker waits longer after each one: 4 minutes in total. */
const maxAttempts = 6;
const payloadSchema = z.object({ stack: z.string() });

/** The queue and the results of a run. */
export interface Queue {
  readonly results: ResultsTable;
  /** Works on the stacks until all of them have results, or until `stop` aborts. */
  readonly work: (options: QueueOptions) => Promise<void>;
  readonly close: () => Promise<void>;
}

/**
 * Connects to the database, and creates the tables if needed.
 *
 * @param connectionString the URL of the database; the password is in PGPASSWORD
 * @param run the name of the run
 * @param concurrency the number of stacks to run at a time
 */
export async function openQueue(
  connectionString: string,
  run: string,
  concurrency: number,
): Promise<Queue> {
  // Each worker needs a connection. The others are for the listener, the advisory locks and the results.
  const pool = new Pool({ connectionString, max: concurrency + 4 });
  // Without a listener, the loss of an idle connection would end the process.
  pool.on("error", () => undefined);
  const utils = await makeWorkerUtils({ pgPool: pool, schema: queueSchema, logger: quiet });
  await utils.migrate();
  const results = await openResultsTable(pool, run);
  return {
    results,
    work: (options) => workOnQueue({ ...options, pool, utils, results }),
    close: async () => {
      await utils.release();
      await pool.end();
    },
  };
}

/** A driver only takes jobs of its own run. */
function taskOf(run: string): string {
  return `stack:${run}`;
}

interface Connected extends QueueOptions {
  readonly pool: Pool;
  readonly utils: WorkerUtils;
  readonly results: ResultsTable;
}

async function workOnQueue(options: Connected): Promise<void> {
  await addJobs(options);
  const presence = await holdPresence(options.pool);
  try {
    const runner = await startWorkers(options, presence);
    try {
      await untilFinished(options, presence.lost);
    } finally {
      await runner.stop();
    }
  } finally {
    presence.release();
  }
}

/** Adds a job for each stack, unless it exists already. */
async function addJobs({ run: name, stacks, utils }: Connected): Promise<void> {
  for (const { name: stack, projectId } of stacks) {
    await utils.addJob(
      taskOf(name),
      { stack },
      {
        jobKey: `${name}/${stack}`,
        jobKeyMode: "unsafe_dedupe",
        queueName: `project:${projectId}`,
      },
    );
  }
}

function startWorkers(options: Connected, { events }: Presence): Promise<Runner> {
  const { pool, run: name, concurrency } = options;
  return run({
    pgPool: pool,
    schema: queueSchema,
    events,
    concurrency,
    pollInterval,
    noHandleSignals: true,
    logger: quiet,
    taskList: {
      [taskOf(name)]: async (payload, { job }) => {
        const { stack } = payloadSchema.parse(payload);
        await workOnJob(options, stack, job.attempts);
      },
    },
  });
}

/** Works on the stack of a job. If this throws, the job stays in the queue and runs again later. */
async function workOnJob(options: Connected, name: string, attempt: number): Promise<void> {
  const { fleet, stacks, results, stop, work } = options;
  const stack = stacks.find((each) => each.name === name);
  if (stack === undefined) throw new Error(`this driver's list of stacks does not contain ${name}`);
  // Another driver may have finished the stack while this one added the job.
  if ((await results.read()).some((result) => result.stack === name)) return;
  stop.throwIfAborted();
  await paced(fleet, stop, () => work(stack, attempt >= maxAttempts));
}

async function untilFinished(options: Connected, presenceLost: AbortSignal): Promise<void> {
  const { stacks, results, stop, onResults, pool, utils } = options;
  const wanted = new Set(stacks.map(({ name }) => name));
  while (!stop.aborted) {
    presenceLost.throwIfAborted();
    const found = await results.read();
    onResults(found);
    if (found.filter(({ stack }) => wanted.has(stack)).length === wanted.size) return;
    await unlockJobsOfKilledDrivers(pool, utils, queueSchema);
    await sleep(pollInterval, undefined, { signal: stop }).catch(() => undefined);
  }
}
