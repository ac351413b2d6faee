/** The result of one stack. */
import { z } from "zod";

/** What a run does with each stack. */
export const actions = ["up", "drift", "destroy"] as const;

/** What a run does with each stack. `drift` only compares the stack with the service. */
export type Action = (typeof actions)[number];

/** The format of a recorded result. */
export const resultSchema = z.object({
  stack: z.string(),
  /** `drifted`: the service or the program differs from the stack's state. */
  status: z.enum(["succeeded", "drifted", "failed"]),
  /** Why the stack failed, in one line. */
  reason: z.string().optional(),
  /** Number of resources by operation, such as `{ create: 3 }`. */
  changes: z.record(z.string(), z.number()),
  /** ISO 8601 in UTC. */
  startedAt: z.string(),
  seconds: z.number(),
  /** The process that worked on the stack. */
  driver: z.string(),
});

/** The result of one stack. */
export type Result = z.infer<typeof resultSchema>;

/** The recorded results of a run, from which an interrupted run resumes. */
export interface Results {
  /** Returns all recorded results. */
  readonly read: () => Promise<Result[]>;
  readonly record: (result: Result) => Promise<void>;
}
