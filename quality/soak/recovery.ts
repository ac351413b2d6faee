/** The steps that a user takes after an update was killed (docs/internals/reliability.md). */
import type { Stack } from "@pulumi/pulumi/automation";
import { readState } from "./stackState";

/** A step of the recovery. */
export type RecoveryStep = "cancel" | "refresh" | "up";

/** The recovery of a stack. */
export interface Recovery {
  /** The steps that were needed, in order. */
  readonly steps: readonly RecoveryStep[];
  /** Why the steps did not recover the stack. */
  readonly problem: string | undefined;
}

/**
 * Recovers a stack: repeats the update, after removing the lock of a killed engine if necessary, and
 * refreshes the state if it contains pending operations.
 */
export async function recover(stack: Stack): Promise<Recovery> {
  const steps: RecoveryStep[] = [];
  const take = async (step: RecoveryStep, run: () => Promise<unknown>) => {
    steps.push(step);
    await run();
  };
  try {
    try {
      await take("up", () => stack.up());
    } catch (error) {
      if (!isLocked(error)) throw error;
      steps.pop();
      await take("cancel", () => stack.cancel());
      await take("up", () => stack.up());
    }
    if ((await readState(stack)).pendingOperations > 0) {
      await take("refresh", () => stack.refresh({ clearPendingCreates: true }));
      await take("up", () => stack.up());
    }
    return { steps, problem: undefined };
  } catch (error) {
    return { steps, problem: error instanceof Error ? error.message : String(error) };
  }
}

function isLocked(error: unknown): boolean {
  return error instanceof Error && /currently locked/.test(error.message);
}
