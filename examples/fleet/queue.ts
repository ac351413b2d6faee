/**
 * The queue that runners share, which is pg-boss in a PostgreSQL database. Each stack is a job in the queue of its
 * project and action, whose policy allows one active job. If a runner dies, its job expires and runs again.
 */
import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import PgBoss from "pg-boss";
import { z } from "zod";
import type { Fleet } from "./stackList";

/** What a run does with each stack. `drift` only compares the stack with the service. */
export const actions = ["up", "drift", "destroy"] as const;

export type Action = (typeof actions)[number];

const resultSchema = z.object({
  /** `drifted`: the service or the program differs from the stack's state. */
  status: z.enum(["succeeded", "drifted", "failed"]),
  /** Why the stack failed, in one line. */
  reason: z.string().optional(),
  /** Number of resources by operation, such as `{ create: 3 }`. */
  changes: z.record(z.string(), z.number()).default({}),
  /** When the work started (ISO 8601), how long it took, and which process did it. */
  startedAt: z.string().optional(),
  seconds: z.number().optional(),
  runner: z.string().optional(),
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
  /** Returns the results of all runners so far, by stack. */
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
  { maxUpdateMinutes, stacks }: Fleet,
  action: Action,
  run: string,
): Promise<Queue> {
  const boss = new PgBoss({
    connectionString,
    schema: "clouddb_fleet",
    schedule: false,
    maintenanceIntervalSeconds: 5,
  });
  // pg-boss repeats a failed query. Without a listener, the error would end the process.
  boss.on("error", (error) => {
    console.error(`queue: ${error.message}`);
  });
  const queueOf = (projectId: string) => `${action}-${projectId}`;
  const queues = [...new Set(stacks.map(({ projectId }) => queueOf(projectId)))];
  const jobs = stacks.map(({ name, projectId }) => ({
    id: idOf(run, action, name),
    name: queueOf(projectId),
    data: { stack: name },
    expireInSeconds: Math.ceil(maxUpdateMinutes * 60),
    retryLimit: 5,
    retryDelay: 10,
    retryBackoff: true,
  }));
  try {
    await boss.start();
    for (const name of queues) await createQueue(boss, name);
    await boss.insert(jobs);
  } catch (error) {
    // Its timers and connections would keep the process running.
    await boss.stop({ graceful: false });
    throw error;
  }

  const results = new Map<string, Result>();
  return {
    next: async () => {
      for (const queue of queues) {
        const [job] = await boss.fetch<{ stack: string }>(queue);
        if (job === undefined) continue;
        return {
          stack: job.data.stack,
          finish: (result) => boss.complete(queue, job.id, result),
          retryLater: (reason) => boss.fail(queue, job.id, { status: "failed", reason }),
        };
      }
      return undefined;
    },
    results: async () => {
      for (const { id, name, data } of jobs.filter((each) => !results.has(each.data.stack))) {
        const job = await boss.getJobById(name, id, { includeArchive: true });
        const isFinished = ["completed", "failed", "cancelled"].includes(job?.state ?? "");
        if (isFinished) results.set(data.stack, resultOf(job?.output));
      }
      return results;
    },
    close: () => boss.stop({ graceful: false }),
  };
}

/** Creates a queue. Runners that start together create its table at once, and PostgreSQL may abort one of them. */
async function createQueue(boss: PgBoss, name: string): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await boss.createQueue(name, { name, policy: "singleton" });
      return;
    } catch (error) {
      // 40P01: PostgreSQL ended one of two transactions that waited for each other.
      const isDeadlock = error instanceof Error && "code" in error && error.code === "40P01";
      if (!isDeadlock || attempt === 5) throw error;
      await sleep(attempt * 200);
    }
  }
}

/** Returns the same job ID in every runner, so that the queue contains each stack of a run once. */
function idOf(...parts: string[]): string {
  const digits = createHash("sha256").update(parts.join("\n")).digest("hex");
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, "$1-$2-$3-$4-$5");
}

function resultOf(output: unknown): Result {
  const result = resultSchema.safeParse(output);
  if (result.success) return result.data;
  return { status: "failed", reason: "every runner of this stack died", changes: {} };
}
