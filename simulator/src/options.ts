// The settings of a simulator, with their defaults.
import { z } from "zod";
import { parse, type Seed } from "./seed";

const path = z
  .string()
  .regex(/^(?:\/[\w.-]+)+$/, "must begin with a slash and end without one, e.g. /api/service/v1.0");

const port = z.int().min(0).max(65535);

const settingsSchema = z.strictObject({
  /** 0 takes a free port. */
  port: port.default(0),
  /** The address to listen on; anything but a loopback address opens the simulator to the network. */
  host: z.union([z.ipv4(), z.ipv6(), z.literal("localhost")]).default("127.0.0.1"),
  /** A port for plain HTTP that refuses every request and names the HTTPS address. */
  httpPort: port.optional(),
  /** Where the projects are kept between runs. Absent: in memory alone. */
  stateFile: z.string().min(1).optional(),
  apiPath: path.default("/api/service/v1.0"),
  tokenPath: path.default("/api/oauth/token"),
  /** Prefix of the two version fields: `db` gives dbVersion and dbMajorVersion. */
  fieldPrefix: z
    .string()
    .regex(/^[a-z][A-Za-z0-9]*$/, "must be letters and digits")
    .default("db"),
  /** Scheme of the connection strings; the SRV scheme is this with `+srv`. */
  scheme: z
    .string()
    .regex(/^[a-z][a-z0-9.-]*$/, "must be a URI scheme in lower case")
    .default("db"),
  /** The cluster domain: the end of every host name. */
  domain: z
    .string()
    .regex(/^[a-z0-9-]+(?:\.[a-z0-9-]+)*$/, "must be a domain in lower case")
    .default("clusters.example"),
  /** Per project; Infinity turns the rate limit off. */
  requestsPerMinute: z.union([z.int().min(1), z.literal(Infinity)]).default(100),
  /** Operations that count against the rate limit. Absent: every one of a project. */
  rateLimitedOperations: z.array(z.string()).optional(),
  /** Whether a 429 carries Retry-After. */
  retryAfter: z.boolean().default(false),
  /** How long a created cluster is CREATING. */
  creationSeconds: z.number().min(0).default(5),
  /** How long a changed cluster is UPDATING, its new strings still missing. */
  updateSeconds: z.number().min(0).default(0),
  /** How long a deleted cluster is DELETING. */
  deletionSeconds: z.number().min(0).default(0),
  /** How long a digest nonce can be used. */
  nonceSeconds: z.number().positive().default(300),
  /** How long a service account's access token is valid. */
  tokenSeconds: z.int().positive().default(3600),
  /** The digest algorithms that a challenge offers, in order. */
  digestAlgorithms: z
    .array(z.enum(["MD5", "SHA-256"]))
    .min(1)
    .default(["MD5"]),
  /** Serves /control, through which another process can queue faults, turn the clock and reset. */
  control: z.boolean().default(false),
});

export type Settings = z.output<typeof settingsSchema>;

export interface SimulatorOptions extends z.input<typeof settingsSchema> {
  /** What the service holds at its start. */
  seed: Seed;
}

/** @throws {SeedError} with the name of the setting that is wrong */
export function parseSettings(options: z.input<typeof settingsSchema>): Settings {
  return parse(settingsSchema, options, "The settings");
}
