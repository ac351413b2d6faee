/** The shared queue, pg-boss in PostgreSQL: a job for each stack, one active, which runs again if it fails. */
import { createHash } from "node:crypto";
import PgBoss from "pg-boss";
import { z } from "zod";
import type { FleetStack } from "./stacks";

/** A runner whose job is active for longer is considered dead. Must exceed your longest update. */
const maxUpdateMinutes = 30;

/** The action for each stack. `drift` only compares the stack with the service and the program. */
export const actions = ["up", "drift"] as const;

export type Action = (typeof actions)[number];

const resultSchema = z.object({
  status: z.enum(["succeeded", "drifted", "failed"]),
  /** The changes, or the reason for the failure. */
  text: z.string(),
});

/** The result of one stack. */
export type Result = z.infer<typeof resultSchema>;

/** A stack that a runner works on. No other runner works on its project until it is finished. */
export interface Job {
  readonly stack: string;
  readonly finish: (result: Result) => Promise<void>;
  /** Runs the job again after a while, up to five times. */
  readonly retryLater: (reason: string) => Promise<void>;
}

/** The jobs of a run. */
export interface Queue {
  /** Returns a job that no other runner works on; undefined if there is none at the moment. */
  readonly next: () => Promise<Job | undefined>;
  /** Returns whether no job is waiting or active. */
  readonly isDone: () => Promise<boolean>;
  /** Returns the results of all runners, by stack. */
  readonly results: () => Promise<ReadonlyMap<string, Result>>;
  readonly close: () => Promise<void>;
}

/**
 * Connects to the queue, and adds the jobs of a run that it does not contain yet.
 *
 * @param connectionString the URL of the database; the password is in PGPASSWORD
 * @param run the name of the run, the same for all of its runners
 */
export async function openQueue(
  connectionString: string,
  stacks: readonly FleetStack[],
  action: Action,
  run: string,
): Promise<Queue> {
  const boss = new PgBoss({
    connectionString,
    schema: "clouddb_fleet",
    schedule: false,
    maintenanceIntervalSeconds: 10,
  });
  // pg-boss repeats a failed query. Without a listener, the error would end the process.
  boss.on("error", (error) => {
    console.error(`queue: ${error.message}`);
  });
  const close = () => boss.stop({ graceful: false });
  const jobs = stacks.map(({ name, projectId }) => ({
    id: jobId(run, action, name),
    name: `${action}-${projectId}`,
    data: { stack: name },
    expireInSeconds: maxUpdateMinutes * 60,
    retryLimit: 5,
    retryDelay: 10,
    retryBackoff: true,
  }));
  const queues = [...new Set(jobs.map(({ name }) => name))];
  try {
    await boss.start();
    for (const name of queues) {
      const create = () => boss.createQueue(name, { name, policy: "singleton" });
      // If two runners create the same queue and block each other, PostgreSQL aborts one of them.
      await create().catch(create);
    }
    await boss.insert(jobs);
  } catch (error) {
    await close();
    throw error;
  }
  return {
    next: async () => {
      for (const queue of queues) {
        for (const job of await boss.fetch<{ stack: string }>(queue)) {
          return {
            stack: job.data.stack,
            finish: (result) => boss.complete(queue, job.id, result),
            retryLater: (reason) => boss.fail(queue, job.id, { status: "failed", text: reason }),
          };
        }
      }
      return undefined;
    },
    isDone: async () => {
      const sizes = await Promise.all(
        queues.map((queue) => boss.getQueueSize(queue, { before: "completed" })),
      );
      return sizes.every((size) => size === 0);
    },
    results: async () => {
      const results = new Map<string, Result>();
      for (const { id, name, data } of jobs) {
        const job = await boss.getJobById(name, id, { includeArchive: true });
        if (job?.state === "completed" || job?.state === "failed") {
          results.set(data.stack, resultOf(job.output));
        }
      }
      return results;
    },
    close,
  };
}

/** Returns the same job ID in every runner, so that the queue contains each stack of a run once. */
function jobId(...parts: string[]): string {
  const digits = createHash("sha256").update(parts.join("\n")).digest("hex");
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, "$1-$2-$3-$4-$5");
}

function resultOf(output: unknown): Result {
  const result = resultSchema.safeParse(output);
  return result.success
    ? result.data
    : { status: "failed", text: "every runner of this stack died" };
}
