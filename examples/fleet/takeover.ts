/**
 * Lets other drivers take over the jobs of a killed one. Graphile Worker itself unlocks them after four hours.
 * Each driver holds an advisory lock for each of its workers, which PostgreSQL releases when the driver's
 * connection ends.
 */
import { EventEmitter } from "node:events";
import type { WorkerEvents, WorkerUtils } from "graphile-worker";
import type { Pool } from "pg";

/** Shows other drivers that this one is running. */
export interface Presence {
  /** Emits the events of this driver's workers. */
  readonly events: WorkerEvents;
  /** Aborts when other drivers may take over the jobs of this one. */
  readonly lost: AbortSignal;
  readonly release: () => void;
}

// A lost machine does not close its connections. With these settings, PostgreSQL notices after a minute.
const keepAlive =
  "set tcp_keepalives_idle = 20; set tcp_keepalives_interval = 10; set tcp_keepalives_count = 4";

/** Holds a lock for each worker that is created with the returned events. */
export async function holdPresence(pool: Pool): Promise<Presence> {
  const client = await pool.connect();
  const lost = new AbortController();
  const lose = (error: Error) => {
    lost.abort(new Error(`The connection to the queue's database was lost: ${error.message}`));
  };
  client.on("error", lose);
  await client.query(keepAlive);
  const events: WorkerEvents = new EventEmitter();
  events.on("worker:create", ({ worker }) => {
    client.query("select pg_advisory_lock(hashtextextended($1, 0))", [worker.workerId]).catch(lose);
  });
  return {
    events,
    lost: lost.signal,
    release: () => {
      // The connection is closed, which releases the locks.
      client.release(true);
    },
  };
}

/** Unlocks the jobs of workers whose driver is no longer connected. */
export async function unlockJobsOfKilledDrivers(
  pool: Pool,
  utils: WorkerUtils,
  schema: string,
): Promise<void> {
  // Skips recent jobs: a new worker may lock a job before its driver holds the advisory lock.
  const { rows } = await pool.query<{ worker: string }>(`
    select worker from (
      select distinct locked_by as worker from ${schema}.jobs
      where locked_by is not null and locked_at < now() - interval '5 seconds'
    ) as workers
    where pg_try_advisory_xact_lock(hashtextextended(worker, 0))`);
  if (rows.length > 0) await utils.forceUnlockWorkers(rows.map(({ worker }) => worker));
}
