/** Works on the stacks of a fleet with one process. */
import type { Fleet, FleetStack } from "./stackList";
import { paced } from "./pace";

/** How one process works on its stacks. */
export interface WorkOptions {
  readonly fleet: Fleet;
  /** The stacks to work on. */
  readonly stacks: readonly FleetStack[];
  /** The number of stacks to run at a time. */
  readonly concurrency: number;
  /** Once it aborts, no further stack starts. */
  readonly stop: AbortSignal;
  /**
   * Works on one stack, and records its result. Throws if there is no result: because the stack is locked
   * and this is not the last attempt, or because the run was interrupted.
   */
  readonly work: (stack: FleetStack, isLastAttempt: boolean) => Promise<void>;
}

/** Works on the stacks. The stacks of a project run one at a time. */
export async function runLocally({
  fleet,
  stacks,
  concurrency,
  stop,
  work,
}: WorkOptions): Promise<void> {
  const { default: pLimit } = await import("p-limit");
  const limit = pLimit(concurrency);
  const runProject = async (projectId: string) => {
    for (const stack of stacks.filter((each) => each.projectId === projectId)) {
      await limit(async () => {
        if (!stop.aborted) await paced(fleet, stop, () => work(stack, true));
      });
    }
  };
  const projects = new Set(stacks.map(({ projectId }) => projectId));
  await Promise.all([...projects].map(runProject));
}
