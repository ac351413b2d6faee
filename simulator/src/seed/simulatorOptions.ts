/** The options of `startSimulator`, as types. The schemas in options.ts validate them; a test compares both. */
import type { Seed } from "./format";

/** The ports of the DNS servers. */
export interface DnsOptions {
  /**
   * Port of the view of the Internet.
   *
   * @default 0
   */
  internetPort?: number | undefined;
  /**
   * Port of the view of a peered network.
   *
   * @default 0
   */
  peeredNetworkPort?: number | undefined;
}

/** A resource that can have versions of its own. */
export type VersionedResource = "Root" | "Project" | "Cluster" | "PrivateIpMode";

/** The versions of resources that clients select by dated media type. */
export interface VersionOptions {
  /**
   * The vendor in the media types.
   *
   * @default "clouddb"
   */
  vendor?: string | undefined;
  /** Dates of the versions, such as `2023-01-01`. */
  dates: string[];
  /**
   * Dates of the versions that have ended; a request for one gets a 410.
   *
   * @default []
   */
  ended?: string[] | undefined;
  /**
   * Dates of the versions of individual resources. Resources that are not listed have the versions in
   * `dates`.
   *
   * @default {}
   */
  resources?: Partial<Record<VersionedResource, string[]>> | undefined;
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
  /**
   * Plain HTTP port that rejects every request and returns the HTTPS URL; 0 selects a free port.
   * Default: none.
   */
  httpPort?: number | undefined;
  /**
   * Serves DNS for the host names of all connection strings, over UDP and TCP. The ports are those of
   * the two views: what the Internet resolves, and what a peered network or a network with a private
   * endpoint resolves; 0 selects a free one. Default: no DNS.
   */
  dns?: DnsOptions | undefined;
  /** Path of the file that keeps the projects between runs. Default: in memory only. */
  stateFile?: string | undefined;
  /**
   * Path of the file to write the CA certificate to, in PEM format, for clients in other processes.
   * Default: no file.
   */
  caFile?: string | undefined;
  /**
   * Path of the API.
   *
   * @default "/api/service/v1.0"
   */
  apiPath?: string | undefined;
  /**
   * Path of the token endpoint for service accounts.
   *
   * @default "/api/oauth/token"
   */
  tokenPath?: string | undefined;
  /**
   * Prefix of the two version fields: `db` for `dbVersion` and `dbMajorVersion`.
   *
   * @default "db"
   */
  fieldPrefix?: string | undefined;
  /**
   * Scheme of the connection strings. The SRV scheme is the same with `+srv`.
   *
   * @default "db"
   */
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
   * Names of the operations that are rate-limited, for example `listClusters`. Default: every
   * operation on a project.
   */
  rateLimitedOperations?: string[] | undefined;
  /**
   * Whether a 429 has a `Retry-After` header.
   *
   * @default false
   */
  retryAfter?: boolean | undefined;
  /**
   * Seconds that a new cluster is CREATING.
   *
   * @default 5
   */
  creationSeconds?: number | undefined;
  /**
   * Seconds that a changed cluster is UPDATING. Its new connection strings are missing until then.
   *
   * @default 0
   */
  updateSeconds?: number | undefined;
  /**
   * Seconds that a deleted cluster is DELETING.
   *
   * @default 0
   */
  deletionSeconds?: number | undefined;
  /**
   * Lifetime of a digest nonce in seconds.
   *
   * @default 300
   */
  nonceSeconds?: number | undefined;
  /**
   * Lifetime of an access token in seconds.
   *
   * @default 3600
   */
  tokenSeconds?: number | undefined;
  /**
   * Digest algorithms in a challenge, in order of preference.
   *
   * @default ["MD5"]
   */
  digestAlgorithms?: ("MD5" | "SHA-256")[] | undefined;
  /**
   * Versions of resources, which clients must select by a dated media type in the `Accept` header, such
   * as `application/vnd.clouddb.2023-01-01+json`. They differ only in the content type of responses.
   * Default: no versions.
   */
  versions?: VersionOptions | undefined;
  /**
   * Whether to serve `/control`, where another process can change clusters, inject faults, advance the
   * clock and reset the simulator. The status page then has buttons for it.
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
