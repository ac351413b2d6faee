/** The programs of the stacks, their state and their requests. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Stack } from "@pulumi/pulumi/automation";
import type { ReceivedRequest } from "clouddb-simulator";
import { z } from "zod";
import { projectId } from "../../tests/support/service";

const lookups = [
  { clusterName: "orders", network: { kind: "peering" } },
  { clusterName: "analytics", network: { kind: "privateEndpoint", region: "us-east-1" } },
] as const;

/** Returns the program of a stack, which declares the mode and two lookups. */
export function programOf(kind: "dynamic" | "plugin", enabled: boolean): string {
  const mode = JSON.stringify({ projectId, enabled });
  const strings = lookups.map((lookup, i) => {
    const lookupArgs = JSON.stringify({ projectId, ...lookup });
    return `exports.string${i} = new clouddb.ClusterConnectionStrings("lookup${i}", ${lookupArgs}).recommended;`;
  });
  const classes = kind === "plugin" ? pluginClasses : "";
  const lines = [classes, `new clouddb.PrivateIpMode("mode", ${mode});`, ...strings];
  return `{ ${lines.join("\n")} }`;
}

/** Declares the plugin's resources without its SDK, because generating an SDK requires Go. */
const pluginClasses = `const resource = (type, outputs) => class extends pulumi.CustomResource {
  constructor(name, args, options) {
    super("clouddb:index:" + type, name, { ...outputs, ...args }, options);
  }
};
const clouddb = {
  PrivateIpMode: resource("PrivateIpMode", {}),
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

/** Returns the recorded mode and strings, and how many operations have no recorded end. */
export async function readState(stack: Stack) {
  const exported = await stack.exportStack();
  const { resources, pending_operations } = deploymentSchema.parse(exported.deployment);
  const outputsOf = (type: string, name: string) =>
    resources
      .filter((resource) => resource.type.endsWith(`:${type}`))
      .map(({ outputs }) => outputs[name]);
  return {
    mode: outputsOf("PrivateIpMode", "enabled")[0],
    strings: outputsOf("ClusterConnectionStrings", "recommended"),
    pendingOperations: pending_operations.length,
  };
}

/** Counts the changes of the mode that the service processed, and those repeated without a read in between. */
export function changesIn(requests: readonly ReceivedRequest[]) {
  const patches = requests.filter(({ method, status }) => method === "PATCH" && status !== 401);
  const isRead = ({ operation, method, status }: ReceivedRequest) =>
    operation === "getPrivateIpMode" && method === "GET" && status === 200;
  return {
    // The service reads the body of a request only when it processes it.
    applied: patches.filter(({ status, body }) => body !== undefined && [0, 200].includes(status))
      .length,
    repeatedBlindly: patches.filter((patch, i) => {
      const previous = patches[i - 1];
      // A request that was rejected with a 429 had no effect.
      if (previous === undefined || previous.status === 429) return false;
      return !requests.slice(requests.indexOf(previous), requests.indexOf(patch)).some(isRead);
    }).length,
  };
}

/** Waits until a condition holds. Returns false if the time limit was reached. */
export async function waitUntil(
  holds: () => boolean,
  seconds: number,
  pollMs = 50,
): Promise<boolean> {
  const end = performance.now() + seconds * 1000;
  while (!holds()) {
    if (performance.now() > end) return false;
    await sleep(pollMs);
  }
  return true;
}
