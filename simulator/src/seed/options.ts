/** Validates the settings of a simulator and applies their defaults. simulatorOptions.ts describes them. */
import { z } from "zod";
import type { SimulatorSettings } from "./simulatorOptions";
import { parse } from "./validation";

const path = z
  .string()
  .regex(/^(?:\/[\w.-]+)+$/, "must begin with a slash and end without one, e.g. /api/service/v1.0");

const port = z.int().min(0).max(65535);

/** The version of a resource: a calendar date. */
const versionDate = z.iso.date();

/** The versions of resources that clients select by dated media type. */
const versionsSchema = z
  .strictObject({
    vendor: z
      .string()
      .regex(/^[a-z][a-z0-9-]*$/, "must be lower case letters, digits and hyphens")
      .default("clouddb"),
    dates: z.array(versionDate).min(1),
    ended: z.array(versionDate).default([]),
    resources: z
      .partialRecord(
        z.enum(["Root", "Project", "Cluster", "PrivateIpMode"]),
        z.array(versionDate).min(1),
      )
      .default({}),
  })
  .refine(
    ({ dates, ended, resources }) =>
      ended.every((date) => [dates, ...Object.values(resources)].flat().includes(date)),
    { path: ["ended"], message: "must contain only dates of versions" },
  );

/** The schema of the settings. */
export const settingsSchema = z.strictObject({
  port: port.default(0),
  host: z.union([z.ipv4(), z.ipv6(), z.literal("localhost")]).default("127.0.0.1"),
  httpPort: port.optional(),
  dns: z
    .strictObject({
      internetPort: port.default(0),
      peeredNetworkPort: port.default(0),
    })
    .optional(),
  stateFile: z.string().min(1).optional(),
  caFile: z.string().min(1).optional(),
  apiPath: path.default("/api/service/v1.0"),
  tokenPath: path.default("/api/oauth/token"),
  fieldPrefix: z
    .string()
    .regex(/^[a-z][A-Za-z0-9]*$/, "must be letters and digits")
    .default("db"),
  scheme: z
    .string()
    .regex(/^[a-z][a-z0-9.-]*$/, "must be a URI scheme in lower case")
    .default("db"),
  domain: z
    .string()
    .regex(/^[a-z0-9-]+(?:\.[a-z0-9-]+)*$/, "must be a domain in lower case")
    .default("clusters.example"),
  requestsPerMinute: z.union([z.int().min(1), z.literal(Infinity)]).default(100),
  rateLimitedOperations: z.array(z.string()).optional(),
  retryAfter: z.boolean().default(false),
  creationSeconds: z.number().min(0).default(5),
  updateSeconds: z.number().min(0).default(0),
  deletionSeconds: z.number().min(0).default(0),
  nonceSeconds: z.number().positive().default(300),
  tokenSeconds: z.int().positive().default(3600),
  digestAlgorithms: z
    .array(z.enum(["MD5", "SHA-256"]))
    .min(1)
    .default(["MD5"]),
  versions: versionsSchema.optional(),
  control: z.boolean().default(false),
});

/** Valid settings with their defaults. */
export type Settings = z.output<typeof settingsSchema>;

/**
 * Validates settings and applies their defaults.
 *
 * @param options the settings
 * @returns the settings with defaults
 * @throws SeedError if a setting is invalid; the message contains the name of each one
 */
export function parseSettings(options: SimulatorSettings): Settings {
  return parse(settingsSchema, options, "The configuration");
}
