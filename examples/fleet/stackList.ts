/** The list of stacks in fleet.json. */
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
    /** Longer than any update takes. An older runner or lock counts as dead. */
    maxUpdateMinutes: z.number().positive().max(720).default(30),
    stacks: z.array(stackSchema).min(1),
  })
  .refine(({ requestsPerMinute, requestsPerStack }) => requestsPerStack * 3 <= requestsPerMinute, {
    message: "exceeds a third of requestsPerMinute",
    path: ["requestsPerStack"],
  })
  .refine(({ stacks }) => areDistinct(stacks.map(({ name }) => name)), {
    message: "two stacks have the same name",
    path: ["stacks"],
  })
  .refine(
    ({ stacks }) =>
      areDistinct(
        stacks.flatMap(({ privateIpMode, projectId }) =>
          privateIpMode === undefined ? [] : [projectId],
        ),
      ),
    { message: "two stacks manage the private IP mode of one project", path: ["stacks"] },
  );

function areDistinct(values: readonly string[]): boolean {
  return new Set(values).size === values.length;
}

/** A list of stacks, and the limits of a run. */
export type Fleet = z.infer<typeof fleetSchema>;

/** One stack of a fleet. */
export type FleetStack = Fleet["stacks"][number];

/** Reads the list of stacks. Throws an error that names each mistake with its path in the file. */
export function readFleet(): Fleet {
  const file = process.env["FLEET_FILE"] ?? join(__dirname, "fleet.json");
  const result = fleetSchema.safeParse(JSON.parse(readFileSync(file, "utf8")));
  if (result.success) return result.data;
  throw new Error(`${file} is not a list of stacks:\n${z.prettifyError(result.error)}`);
}
