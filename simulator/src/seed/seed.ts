/**
 * The seed: the initial organizations with their credentials, projects and clusters. The state file uses
 * the same format for projects.
 */
import { z } from "zod";
import { organizationSchema } from "./organizationSchema";
import { projectSchema } from "./projectSchema";
import { reportContradictions } from "./references";
import { parse } from "./validation";

const seedSchema = z
  .strictObject({
    /**
     * Organizations with their credentials.
     *
     * @default []
     */
    organizations: z.array(organizationSchema).default([]),
    /**
     * Projects with their clusters.
     *
     * @default []
     */
    projects: z.array(projectSchema).default([]),
  })
  .superRefine((seed, context) => {
    reportContradictions(seed, (path, message) => {
      context.addIssue({ code: "custom", path, message });
    });
  });

/**
 * The initial organizations, credentials, projects and clusters. Fields with a default are optional.
 *
 * @example
 * {
 *   organizations: [{ name: "acme", apiKeys: [{ publicKey: "k", privateKey: "s", roles: [{ role: "owner" }] }] }],
 *   projects: [{ id: "64a0c0ffee0000000000a001", name: "orders", organization: "acme", clusters: [{ name: "orders" }] }],
 * }
 */
export type Seed = z.input<typeof seedSchema>;
/** A seed with its defaults. */
export type CompleteSeed = z.output<typeof seedSchema>;

/**
 * Validates a seed and applies its defaults.
 *
 * @param seed the seed
 * @returns the seed with defaults
 * @throws SeedError if the seed is invalid
 */
export function parseSeed(seed: unknown): CompleteSeed {
  return parse(seedSchema, seed, "The seed");
}
