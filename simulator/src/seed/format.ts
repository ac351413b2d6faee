/**
 * The format of the seed, as types. The schemas in this folder validate it; a test compares both. Files
 * that declare exported types do not import zod: the compiler of a user's program would check its types.
 */
import type { SeedCluster } from "./clusterFormat";

/** Role of a credential: `owner` may change resources, `readOnly` may not. */
export type Role = "owner" | "readOnly";

/** The setting private IP mode. */
export interface PrivateIpMode {
  /** Whether private IP mode is on. */
  enabled: boolean;
}

/** A project in a seed. */
export interface SeedProject {
  /** Unique in the seed: 24 hexadecimal digits. */
  id: string;
  /** Unique in the organization. */
  name: string;
  /** Name of the organization. */
  organization: string;
  /** ISO 8601. Default: the time at which the project is added. */
  createdAt?: string | undefined;
  /** Label in the host names of the clusters; unique. Default: derived from the ID. */
  label?: string | undefined;
  /**
   * Private IP mode.
   *
   * @default { enabled: false }
   */
  privateIpMode?: PrivateIpMode | undefined;
  /**
   * Clusters of the project.
   *
   * @default []
   */
  clusters?: SeedCluster[] | undefined;
}

/** A role of a credential. */
export interface SeedRole {
  /** Project of the role. Default: the organization and all of its projects. */
  projectId?: string | undefined;
  /** What the credential may do. */
  role: Role;
}

/** What an API key and a service account have in common. */
export interface SeedCredential {
  /** IP addresses and CIDR ranges that may use the credential. Default: all. */
  accessList?: string[] | undefined;
  /**
   * Roles of the credential. A role without `projectId` applies to the organization and all of its
   * projects.
   *
   * @default []
   */
  roles?: SeedRole[] | undefined;
}

/** An API key in a seed, for HTTP digest. */
export interface SeedApiKey extends SeedCredential {
  /** User name of HTTP digest; unique in the seed. */
  publicKey: string;
  /** Password of HTTP digest. */
  privateKey: string;
}

/** A service account in a seed, for access tokens. */
export interface SeedServiceAccount extends SeedCredential {
  /** User name at the token endpoint; unique in the seed. */
  clientId: string;
  /** Password at the token endpoint. */
  clientSecret: string;
}

/** An organization in a seed. */
export interface SeedOrganization {
  /** 24 hexadecimal digits. Default: derived from the name. */
  id?: string | undefined;
  /** Unique in the seed. */
  name: string;
  /**
   * Whether to reject credentials that have no access list (service document 5 rule 7).
   *
   * @default false
   */
  requireAccessList?: boolean | undefined;
  /**
   * API keys, for HTTP digest.
   *
   * @default []
   */
  apiKeys?: SeedApiKey[] | undefined;
  /**
   * Service accounts, for access tokens.
   *
   * @default []
   */
  serviceAccounts?: SeedServiceAccount[] | undefined;
}

/**
 * The initial organizations, credentials, projects and clusters. Fields with a default are optional.
 *
 * @example
 * {
 *   organizations: [{ name: "acme", apiKeys: [{ publicKey: "k", privateKey: "s", roles: [{ role: "owner" }] }] }],
 *   projects: [{ id: "64a0c0ffee0000000000a001", name: "orders", organization: "acme", clusters: [{ name: "orders" }] }],
 * }
 */
export interface Seed {
  /**
   * Organizations with their credentials.
   *
   * @default []
   */
  organizations?: SeedOrganization[] | undefined;
  /**
   * Projects with their clusters.
   *
   * @default []
   */
  projects?: SeedProject[] | undefined;
}
