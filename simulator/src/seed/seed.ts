/** Validates the seed. The state file uses the same format for projects. */
import { z } from "zod";
import { organizationSchema } from "./organizationSchema";
import { projectSchema } from "./projectSchema";
import { reportContradictions } from "./references";
import { parse } from "./validation";

/** The schema of a seed. format.ts describes the fields. */
export const seedSchema = z
  .strictObject({
    organizations: z.array(organizationSchema).default([]),
    projects: z.array(projectSchema).default([]),
  })
  .superRefine((seed, context) => {
    reportContradictions(seed, (path, message) => {
      context.addIssue({ code: "custom", path, message });
    });
  });

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
