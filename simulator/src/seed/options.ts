/** The settings of a simulator and their defaults. */
import { z } from "zod";
import type { Seed } from "./seed";
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
    /**
     * The vendor in the media types.
     *
     * @default "clouddb"
     */
    vendor: z
      .string()
      .regex(/^[a-z][a-z0-9-]*$/, "must be lower case letters, digits and hyphens")
      .default("clouddb"),
    /** Dates of the versions. */
    dates: z.array(versionDate).min(1),
    /**
     * Dates of the versions that have ended; a request for one gets a 410.
     *
     * @default []
     */
    ended: z.array(versionDate).default([]),
    /**
     * Dates of the versions of individual resources: `Root`, `Project`, `Cluster` and
     * `PrivateIpMode`. Resources that are not listed have the versions in `dates`.
     *
     * @default {}
     */
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

const settingsSchema = z.strictObject({
  /**
   * HTTPS port; 0 selects a free port.
   *
   * @default 0
   */
  port: port.default(0),
  /**
   * Address to listen on. Any address other than loopback exposes the simulator to the network.
   *
   * @default "127.0.0.1"
   */
  host: z.union([z.ipv4(), z.ipv6(), z.literal("localhost")]).default("127.0.0.1"),
  /**
   * Plain HTTP port that rejects every request and returns the HTTPS URL; 0 selects a free port.
   * Default: none.
   */
  httpPort: port.optional(),
  /**
   * Serves DNS for the host names of all connection strings, over UDP and TCP. The ports are those of
   * the two views: what the Internet resolves, and what a peered network or a network with a private
   * endpoint resolves; 0 selects a free one. Default: no DNS.
   */
  dns: z
    .strictObject({
      /**
       * Port of the view of the Internet.
       *
       * @default 0
       */
      internetPort: port.default(0),
      /**
       * Port of the view of a peered network.
       *
       * @default 0
       */
      peeredNetworkPort: port.default(0),
    })
    .optional(),
  /** Path of the file that keeps the projects between runs. Default: in memory only. */
  stateFile: z.string().min(1).optional(),
  /**
   * Path of the file to write the CA certificate to, in PEM format, for clients in other processes.
   * Default: no file.
   */
  caFile: z.string().min(1).optional(),
  /**
   * Path of the API.
   *
   * @default "/api/service/v1.0"
   */
  apiPath: path.default("/api/service/v1.0"),
  /**
   * Path of the token endpoint for service accounts.
   *
   * @default "/api/oauth/token"
   */
  tokenPath: path.default("/api/oauth/token"),
  /**
   * Prefix of the two version fields: `db` for `dbVersion` and `dbMajorVersion`.
   *
   * @default "db"
   */
  fieldPrefix: z
    .string()
    .regex(/^[a-z][A-Za-z0-9]*$/, "must be letters and digits")
    .default("db"),
  /**
   * Scheme of the connection strings. The SRV scheme is the same with `+srv`.
   *
   * @default "db"
   */
  scheme: z
    .string()
    .regex(/^[a-z][a-z0-9.-]*$/, "must be a URI scheme in lower case")
    .default("db"),
  /**
   * Cluster domain: the end of every host name.
   *
   * @default "clusters.example"
   */
  domain: z
    .string()
    .regex(/^[a-z0-9-]+(?:\.[a-z0-9-]+)*$/, "must be a domain in lower case")
    .default("clusters.example"),
  /**
   * Requests per minute and project; `Infinity` disables the rate limit.
   *
   * @default 100
   */
  requestsPerMinute: z.union([z.int().min(1), z.literal(Infinity)]).default(100),
  /**
   * Names of the operations that are rate-limited, for example `listClusters`. Default: every
   * operation on a project.
   */
  rateLimitedOperations: z.array(z.string()).optional(),
  /**
   * Whether a 429 has a `Retry-After` header.
   *
   * @default false
   */
  retryAfter: z.boolean().default(false),
  /**
   * Seconds that a new cluster is CREATING.
   *
   * @default 5
   */
  creationSeconds: z.number().min(0).default(5),
  /**
   * Seconds that a changed cluster is UPDATING. Its new connection strings are missing until then.
   *
   * @default 0
   */
  updateSeconds: z.number().min(0).default(0),
  /**
   * Seconds that a deleted cluster is DELETING.
   *
   * @default 0
   */
  deletionSeconds: z.number().min(0).default(0),
  /**
   * Lifetime of a digest nonce in seconds.
   *
   * @default 300
   */
  nonceSeconds: z.number().positive().default(300),
  /**
   * Lifetime of an access token in seconds.
   *
   * @default 3600
   */
  tokenSeconds: z.int().positive().default(3600),
  /**
   * Digest algorithms in a challenge, in order of preference.
   *
   * @default ["MD5"]
   */
  digestAlgorithms: z
    .array(z.enum(["MD5", "SHA-256"]))
    .min(1)
    .default(["MD5"]),
  /**
   * Versions of resources, which clients must select by a dated media type in the `Accept` header, such
   * as `application/vnd.clouddb.2023-01-01+json`. They differ only in the content type of responses.
   * Default: no versions.
   */
  versions: versionsSchema.optional(),
  /**
   * Whether to serve `/control`, where another process can change clusters, inject faults, advance the
   * clock and reset the simulator. The status page then has buttons for it.
   *
   * @default false
   */
  control: z.boolean().default(false),
});

/** Valid settings with their defaults. */
export type Settings = z.output<typeof settingsSchema>;

/** Options of `startSimulator`: the settings and the seed. */
export interface SimulatorOptions extends z.input<typeof settingsSchema> {
  /** The initial organizations, credentials, projects and clusters. */
  seed: Seed;
}

/**
 * Validates settings and applies their defaults.
 *
 * @param options the settings
 * @returns the settings with defaults
 * @throws SeedError if a setting is invalid; the message contains the name of each one
 */
export function parseSettings(options: z.input<typeof settingsSchema>): Settings {
  return parse(settingsSchema, options, "The configuration");
}
