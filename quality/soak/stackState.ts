/** Reads the state of a stack. */
import type { Stack } from "@pulumi/pulumi/automation";
import { z } from "zod";

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
