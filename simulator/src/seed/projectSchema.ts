/** A project in the seed and the state file. */
import { z } from "zod";
import { clusterSchema } from "./clusterSchema";
import { dateSchema, idSchema, isProviderLabel } from "./fields";

/** Private IP mode of a project. */
export const privateIpModeSchema = z.strictObject({
  /** Whether private IP mode is on. */
  enabled: z.boolean(),
});

/** A project in the seed or the state file. */
export const projectSchema = z.strictObject({
  /** Unique in the seed: 24 hexadecimal digits. */
  id: idSchema,
  /** Unique in the organization. */
  name: z.string().min(1).max(64),
  /** Name of the organization. */
  organization: z.string(),
  /** Default: the time at which the project is added. */
  createdAt: dateSchema.optional(),
  /** Label in the host names of the clusters; unique. Default: derived from the ID. */
  label: z
    .string()
    .regex(/^[a-z0-9]{1,20}$/, "must be 1 to 20 lower case letters and digits")
    .refine((label) => !isProviderLabel(label), "is the label of a cloud provider in host names")
    .optional(),
  /**
   * Private IP mode.
   *
   * @default { enabled: false }
   */
  privateIpMode: privateIpModeSchema.default({ enabled: false }),
  /**
   * Clusters of the project.
   *
   * @default []
   */
  clusters: z.array(clusterSchema).default([]),
});

/** A project in a seed. */
export type SeedProject = z.input<typeof projectSchema>;
/** A project with its defaults. */
export type CompleteSeedProject = z.output<typeof projectSchema>;
