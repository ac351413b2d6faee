/** Recovers a stack after a killed update (docs/internals/reliability.md), and reads its state. */
import type { Stack } from "@pulumi/pulumi/automation";
import { z } from "zod";

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

const deploymentSchema = z.looseObject({
  resources: z
    .array(
      z.looseObject({ type: z.string(), outputs: z.record(z.string(), z.unknown()).optional() }),
    )
    .default([]),
  pending_operations: z.array(z.unknown()).default([]),
});

/** The resources of this provider in a state. */
export interface StackState {
  /** The recorded private IP mode; undefined if no resource manages it. */
  readonly mode: { readonly enabled: unknown; readonly enabledAtAdoption: unknown } | undefined;
  /** The recommended connection strings of the lookups. */
  readonly strings: readonly unknown[];
  /** The number of operations whose end the engine did not record. */
  readonly pendingOperations: number;
}

/** Exports the state of a stack, and returns its contents. */
export async function readState(stack: Stack): Promise<StackState> {
  const exported = await stack.exportStack();
  const { resources, pending_operations } = deploymentSchema.parse(exported.deployment);
  const outputsOf = (type: string) =>
    resources.filter((each) => each.type.endsWith(`:${type}`)).map(({ outputs }) => outputs ?? {});
  const [mode] = outputsOf("PrivateIpMode");
  return {
    mode: mode && { enabled: mode["enabled"], enabledAtAdoption: mode["enabledAtAdoption"] },
    strings: outputsOf("ClusterConnectionStrings").map(({ recommended }) => recommended),
    pendingOperations: pending_operations.length,
  };
}
