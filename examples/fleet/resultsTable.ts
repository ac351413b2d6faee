/** Records the results of a shared run in a table, which all drivers read. */
import type { Pool } from "pg";
import { type Result, type Results, resultSchema } from "./result";

/** The results of a shared run. */
export interface ResultsTable extends Results {
  /** Deletes the results of failed stacks, so that the run works on them again. */
  readonly forgetFailed: () => Promise<void>;
}

/** Opens the results of a run. Creates the table if needed. */
export async function openResultsTable(pool: Pool, run: string): Promise<ResultsTable> {
  await createTable(pool);
  return {
    read: async () => {
      const { rows } = await pool.query<{ result: unknown }>(
        "select result from clouddb_fleet_results where run = $1 order by finished_at",
        [run],
      );
      return rows.map(({ result }): Result => resultSchema.parse(result));
    },
    record: async (result) => {
      await pool.query(
        `insert into clouddb_fleet_results (run, stack, result) values ($1, $2, $3)
        on conflict (run, stack) do update set result = excluded.result, finished_at = now()`,
        [run, result.stack, result],
      );
    },
    forgetFailed: async () => {
      await pool.query(
        "delete from clouddb_fleet_results where run = $1 and result->>'status' = 'failed'",
        [run],
      );
    },
  };
}

/** Creates the table. Drivers that start at the same time take turns. */
async function createTable(pool: Pool): Promise<void> {
  await pool.query(`
    begin;
    select pg_advisory_xact_lock(hashtextextended('clouddb_fleet_results', 0));
    create table if not exists clouddb_fleet_results (
      run text not null,
      stack text not null,
      result jsonb not null,
      finished_at timestamptz not null default now(),
      primary key (run, stack)
    );
    commit`);
}
