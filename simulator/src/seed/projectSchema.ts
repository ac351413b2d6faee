/** The schema of a project in the seed and the state file. format.ts describes the fields. */
import { z } from "zod";
import { clusterSchema } from "./clusterSchema";
import { dateSchema, idSchema, isProviderLabel } from "./fields";

/** The schema of private IP mode. */
export const privateIpModeSchema = z.strictObject({
  enabled: z.boolean(),
});

/** The schema of a project. */
export const projectSchema = z.strictObject({
  id: idSchema,
  name: z.string().min(1).max(64),
  organization: z.string(),
  createdAt: dateSchema.optional(),
  label: z
    .string()
    .regex(/^[a-z0-9]{1,20}$/, "must be 1 to 20 lower case letters and digits")
    .refine((label) => !isProviderLabel(label), "is the label of a cloud provider in host names")
    .optional(),
  privateIpMode: privateIpModeSchema.default({ enabled: false }),
  clusters: z.array(clusterSchema).default([]),
});

/** A project with its defaults. */
export type CompleteSeedProject = z.output<typeof projectSchema>;
