/** The stacks, their programs and their state. */
import type { Stack } from "@pulumi/pulumi/automation";
import { z } from "zod";
import type { Cleanup } from "../../tests/support/cleanup";
import { pluginSettings } from "../../tests/engine/pluginSettings";
import { type TestStack, dynamicPreamble, programStack } from "../../tests/engine/stack";

/** How a stack runs the provider. */
export type ProviderKind = "dynamic" | "plugin";

/** What a program declares, besides the mode. */
export interface ProgramArgs {
  readonly projectId: string;
  readonly onDelete: "retain" | "restore";
  /** The number of lookups of connection strings. */
  readonly lookups: number;
}

/** A stack, and its program. */
export interface ProgramStack {
  readonly tested: TestStack;
  readonly args: ProgramArgs;
  /** Replaces the program by one that requests this private IP mode. */
  readonly requestMode: (enabled: boolean) => void;
}

const lookups = [
  { clusterName: "orders", network: { kind: "peering" } },
  { clusterName: "analytics", network: { kind: "privateEndpoint", region: "us-east-1" } },
  { clusterName: "orders", network: { kind: "internet" } },
] as const;

/** The highest number of lookups of a program. */
export const maxLookups = lookups.length;

/** Creates a stack. */
export async function createStack(
  release: Cleanup,
  kind: ProviderKind,
  pulumiProject: string,
  args: ProgramArgs,
  environment: Record<string, string>,
): Promise<ProgramStack> {
  const preamble = kind === "plugin" ? pluginPreamble : dynamicPreamble;
  const settings = kind === "plugin" ? pluginSettings() : "";
  const program = { text: "", pulumiProject, preamble, settings };
  const tested = await programStack(release, program, environment);
  const requestMode = (enabled: boolean) => {
    const { projectId, onDelete } = args;
    const mode = JSON.stringify({ projectId, enabled, onDelete });
    const strings = lookups.slice(0, args.lookups).map((lookup, i) => {
      const lookupArgs = JSON.stringify({ projectId, ...lookup });
      return `exports.string${i} = new clouddb.ClusterConnectionStrings("lookup${i}", ${lookupArgs}).recommended;`;
    });
    const lines = [`new clouddb.PrivateIpMode("mode", ${mode});`, ...strings];
    tested.program(lines.join("\n"), preamble);
  };
  return { tested, args, requestMode };
}

/** Declares the plugin's resources without its SDK, because generating an SDK requires Go. */
const pluginPreamble = `const pulumi = require("@pulumi/pulumi");
const resource = (type, outputs) => class extends pulumi.CustomResource {
  constructor(name, args, options) {
    super("clouddb:index:" + type, name, { ...outputs, ...args }, options);
  }
};
const clouddb = {
  PrivateIpMode: resource("PrivateIpMode", { enabledAtAdoption: undefined }),
  ClusterConnectionStrings: resource("ClusterConnectionStrings", { recommended: undefined }),
};
`;

const resourceSchema = z.looseObject({
  type: z.string(),
  outputs: z.record(z.string(), z.unknown()).default({}),
});

const deploymentSchema = z.looseObject({
  resources: z.array(resourceSchema).default([]),
  pending_operations: z.array(z.unknown()).default([]),
});

/** The resources of this provider in a state. */
export interface StackState {
  /** The recorded private IP mode; undefined if no resource manages it. */
  readonly mode: unknown;
  /** The recommended connection strings of the lookups. */
  readonly strings: readonly unknown[];
  /** The number of operations whose end the engine did not record. */
  readonly pendingOperations: number;
}

/** Exports the state of a stack, and returns its contents. */
export async function readState(stack: Stack): Promise<StackState> {
  const exported = await stack.exportStack();
  const { resources, pending_operations } = deploymentSchema.parse(exported.deployment);
  const outputsOf = (type: string, name: string) =>
    resources.filter((each) => each.type.endsWith(`:${type}`)).map(({ outputs }) => outputs[name]);
  return {
    mode: outputsOf("PrivateIpMode", "enabled")[0],
    strings: outputsOf("ClusterConnectionStrings", "recommended"),
    pendingOperations: pending_operations.length,
  };
}
