/** The options of `startSimulator`, as types. The schema below validates them; a test compares both. */
import { resolve } from "node:path";
import { z } from "zod";
import type { Profile } from "./cluster";
import type { Seed } from "./seed";

/** The DNS servers. */
export interface DnsOptions {
  /**
   * Port of the server that answers as the Internet does; 0 selects a free port. The server for peered networks always
   * has a free port.
   *
   * @default 0
   */
  internetPort?: number | undefined;
}

/** The settings of a simulator. */
export interface SimulatorSettings {
  /**
   * HTTPS port; 0 selects a free port.
   *
   * @default 0
   */
  port?: number | undefined;
  /**
   * Address to listen on. Any address other than loopback exposes the simulator to the network.
   *
   * @default "127.0.0.1"
   */
  host?: string | undefined;
  /** DNS for all host names, over UDP and TCP, with the views of the Internet and of each network. Default: none. */
  dns?: DnsOptions | undefined;
  /** Path of the file that keeps the projects between runs. Default: in memory only. */
  stateFile?: string | undefined;
  /** File to write the CA certificate to, in PEM format, for clients in other processes. Default: none. */
  caFile?: string | undefined;
  /**
   * The family of services to simulate: `default`, or `atlas` for MongoDB Atlas. Sets the defaults of `apiPath`,
   * `fieldPrefix` and `scheme`. With `atlas`, the API also has the names of Atlas for providers and regions, and clients
   * must select its version by a dated media type, such as `application/vnd.atlas.2023-01-01+json`.
   *
   * @default "default"
   */
  profile?: Profile | undefined;
  /** Path of the API. Default: `/api/service/v1.0`, or `/api/atlas/v2` with the profile `atlas` */
  apiPath?: string | undefined;
  /**
   * Path of the token endpoint for service accounts. They revoke tokens at `revoke` beside it (RFC 7009).
   *
   * @default "/api/oauth/token"
   */
  tokenPath?: string | undefined;
  /** Prefix of the fields `dbVersion` and `dbMajorVersion`. Default: `db`, or `mongoDB` with the profile `atlas` */
  fieldPrefix?: string | undefined;
  /**
   * Query parameter for the number of a page.
   *
   * @default "pageNum"
   */
  pageParameter?: string | undefined;
  /**
   * Query parameter for the number of items on a page.
   *
   * @default "itemsPerPage"
   */
  pageSizeParameter?: string | undefined;
  /**
   * Query parameter for whether a list contains its count.
   *
   * @default "includeCount"
   */
  countParameter?: string | undefined;
  /**
   * Field of a list for its count.
   *
   * @default "totalCount"
   */
  countField?: string | undefined;
  /** Scheme of the strings, without `+srv`. Default: `db`, or `mongodb` with the profile `atlas` */
  scheme?: string | undefined;
  /**
   * Cluster domain: the end of every host name.
   *
   * @default "clusters.example"
   */
  domain?: string | undefined;
  /**
   * Requests per minute and project; `Infinity` disables the rate limit.
   *
   * @default 100
   */
  requestsPerMinute?: number | undefined;
  /**
   * Whether a 429 has a `Retry-After` header.
   *
   * @default false
   */
  retryAfter?: boolean | undefined;
  /**
   * Lifetime of an access token in seconds.
   *
   * @default 3600
   */
  tokenSeconds?: number | undefined;
  /**
   * Token requests per minute of each service account; further ones get a 429. The service has 10 to 50.
   *
   * @default Infinity
   */
  tokenRequestsPerMinute?: number | undefined;
  /**
   * Valid access tokens of each service account; requests for further ones get a 403. The service has 100.
   *
   * @default Infinity
   */
  tokensPerAccount?: number | undefined;
  /**
   * Whether to serve `/control`, where another process can change clusters, inject faults, advance the clock and reset
   * the simulator. The status page can then change projects and clusters, and reset.
   *
   * @default false
   */
  control?: boolean | undefined;
}

/** Options of `startSimulator`: the settings and the seed. */
export interface SimulatorOptions extends SimulatorSettings {
  /** The initial organizations, credentials, projects and clusters. */
  seed: Seed;
}

/** The defaults that depend on the profile. */
const profiles = {
  default: { apiPath: "/api/service/v1.0", fieldPrefix: "db", scheme: "db" },
  atlas: { apiPath: "/api/atlas/v2", fieldPrefix: "mongoDB", scheme: "mongodb" },
} satisfies Record<Profile, object>;

const path = z
  .string()
  .regex(/^(?:\/[\w.-]+)+$/, "must begin with a slash and end without one, e.g. /api/service/v1.0");

const port = z.int().min(0).max(65535);

/** The path of a file, which stays the same if the working directory changes. */
const file = z
  .string()
  .min(1)
  .transform((relative) => resolve(relative));

const limit = z.union(
  [z.int().min(1), z.literal(Infinity)],
  "must be a whole number of at least 1, or Infinity",
);

const name = z.string().regex(/^[A-Za-z]\w*$/, "must be letters, digits and _");

const ownSettingsSchema = z.strictObject({
  port: port.default(0),
  host: z
    .union([z.ipv4(), z.ipv6(), z.literal("localhost")], "must be an IP address or localhost")
    .default("127.0.0.1"),
  dns: z.strictObject({ internetPort: port.default(0) }).optional(),
  stateFile: file.optional(),
  caFile: file.optional(),
  profile: z.enum(["default", "atlas"]).default("default"),
  apiPath: path.optional(),
  tokenPath: path.default("/api/oauth/token"),
  fieldPrefix: name.optional(),
  pageParameter: name.default("pageNum"),
  pageSizeParameter: name.default("itemsPerPage"),
  countParameter: name.default("includeCount"),
  countField: name.default("totalCount"),
  scheme: z
    .string()
    .regex(/^[a-z][a-z0-9.-]*$/, "must be a URI scheme in lower case")
    .optional(),
  domain: z
    .string()
    .regex(/^[a-z0-9-]+(?:\.[a-z0-9-]+)*$/, "must be a domain in lower case")
    .default("clusters.example"),
  requestsPerMinute: limit.default(100),
  retryAfter: z.boolean().default(false),
  tokenSeconds: z.int().positive().default(3600),
  tokenRequestsPerMinute: limit.default(Infinity),
  tokensPerAccount: limit.default(Infinity),
  control: z.boolean().default(false),
});

/** The schema of the settings; its output has the defaults of the profile. @internal */
export const settingsSchema = ownSettingsSchema.transform((settings) => {
  const defaults = profiles[settings.profile];
  return {
    ...settings,
    apiPath: settings.apiPath ?? defaults.apiPath,
    fieldPrefix: settings.fieldPrefix ?? defaults.fieldPrefix,
    scheme: settings.scheme ?? defaults.scheme,
  };
});

/** @internal */
export type Settings = z.output<typeof settingsSchema>;

/** @internal */
export function revokePathOf({ tokenPath }: Settings): string {
  return tokenPath.replace(/[^/]+$/, "revoke");
}
