/** The list of stacks: fleet.json. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";

const stackSchema = z.strictObject({
  /** The name of the Pulumi stack. */
  name: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,99}$/, "is not a stack name"),
  /** The service's project. Several stacks may use one project. */
  projectId: z.string().regex(/^[0-9a-f]{24}$/, "is not a project ID"),
  /** Whether private IP mode is on. Only one stack may manage the mode of a project. */
  privateIpMode: z.boolean().optional(),
  /** Names of the clusters whose connection strings the stack exports. */
  clusters: z.array(z.string()).default([]),
});

const fleetSchema = z
  .strictObject({
    /** The service's limit for one project. */
    requestsPerMinute: z.int().min(20).default(100),
    /** Requests that one stack may send per minute; the provider delays further requests. */
    requestsPerStack: z.int().min(1).default(10),
    /** No two machines share a host name: a lock is removed if its process on this host no longer exists. */
    uniqueHostNames: z.boolean().default(false),
    /**
     * The age at which locks are removed. Must be longer than any update takes. Default:
     * they are never removed, and the stack fails.
     */
    staleLockMinutes: z.int().min(1).optional(),
    stacks: z.array(stackSchema).min(1),
  })
  .superRefine(({ requestsPerMinute, requestsPerStack, stacks }, context) => {
    const problem = (path: (string | number)[], message: string) => {
      context.addIssue({ code: "custom", path, message });
    };
    if (requestsPerStack * 3 > requestsPerMinute) {
      problem(["requestsPerStack"], "exceeds a third of requestsPerMinute");
    }
    const managed = stacks.filter(({ privateIpMode }) => privateIpMode !== undefined);
    stacks.forEach(({ name, projectId, privateIpMode }, index) => {
      if (stacks.findIndex((other) => other.name === name) < index) {
        problem(["stacks", index, "name"], `${name} is the name of another stack`);
      }
      const manager = managed.find((other) => other.projectId === projectId);
      if (privateIpMode !== undefined && manager !== undefined && manager.name !== name) {
        problem(
          ["stacks", index, "privateIpMode"],
          `stack ${manager.name} already manages the mode`,
        );
      }
    });
  });

/** A list of stacks, and the limits for their requests. */
export type Fleet = z.infer<typeof fleetSchema>;

/** One stack of a fleet. */
export type FleetStack = Fleet["stacks"][number];

/** A mistake in the input of a command. Printed without a stack trace. */
export class UsageError extends Error {}

/** Returns the path of the list of stacks: FLEET_FILE, or else fleet.json in this folder. */
export function fleetFile(): string {
  return process.env["FLEET_FILE"] ?? join(__dirname, "fleet.json");
}

/**
 * Reads a list of stacks.
 *
 * @throws UsageError that names each problem with its path in the file
 */
export function readFleet(file = fleetFile()): Fleet {
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    throw new UsageError(`Cannot read the list of stacks: ${String(error)}`);
  }
  const result = fleetSchema.safeParse(content);
  if (result.success) return result.data;
  throw new UsageError(`${file} is not a list of stacks:\n${z.prettifyError(result.error)}`);
}
