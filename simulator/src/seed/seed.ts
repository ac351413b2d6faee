/** The seed: organizations with their credentials, projects and clusters; its types and schemas. */
import { BlockList, isIP } from "node:net";
import { z } from "zod";
import { type SeedCluster, clusterSchema, isProviderLabel } from "./cluster";
import { type Issue, dateSchema, idSchema } from "./validation";

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
   * Roles of the credential. A role without `projectId` applies to the organization and all of its projects.
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
   * Whether to reject credentials that have no access list.
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

const addressOrRange = z
  .string()
  .refine(isAddressOrRange, "must be an IP address or a CIDR range, e.g. 127.0.0.1/32");

const credential = {
  accessList: z.array(addressOrRange).optional(),
  roles: z
    .array(
      z.strictObject({
        projectId: idSchema.optional(),
        role: z.enum(["owner", "readOnly"]),
      }),
    )
    .default([]),
};

// HTTP Basic and HTTP digest end the user name at a colon.
const userName = z
  .string()
  .regex(/^[\x21\x23-\x39\x3b-\x5b\x5d-\x7e]{1,128}$/, 'must have no space, colon, " or \\');
const secret = z.string().min(1).max(256);

const organizationSchema = z.strictObject({
  id: idSchema.optional(),
  name: z.string().min(1).max(64),
  requireAccessList: z.boolean().default(false),
  apiKeys: z
    .array(
      z.strictObject({
        publicKey: userName,
        privateKey: secret,
        ...credential,
      }),
    )
    .default([]),
  serviceAccounts: z
    .array(
      z.strictObject({
        clientId: userName,
        clientSecret: secret,
        ...credential,
      }),
    )
    .default([]),
});

/** @internal */
export type CompleteSeedOrganization = z.output<typeof organizationSchema>;

function isAddressOrRange(text: string): boolean {
  const [address = "", prefix, ...rest] = text.split("/");
  const family = isIP(address);
  if (family === 0 || rest.length > 0) return false;
  if (prefix === undefined) return true;
  if (!/^\d{1,3}$/.test(prefix)) return false;
  try {
    new BlockList().addSubnet(address, Number(prefix), family === 6 ? "ipv6" : "ipv4");
    return true;
  } catch {
    return false;
  }
}

/** @internal */
export const privateIpModeSchema = z.strictObject({
  enabled: z.boolean(),
});

/** @internal */
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

/** @internal */
export type CompleteSeedProject = z.output<typeof projectSchema>;

/** The schema of a seed. The store finds contradictions between projects and clusters. @internal */
export const seedSchema = z
  .strictObject({
    organizations: z.array(organizationSchema).default([]),
    projects: z.array(projectSchema).default([]),
  })
  .superRefine((seed, context) => {
    for (const { path, message } of contradictionsOf(seed)) {
      context.addIssue({ code: "custom", path: [...path], message });
    }
  });

/** @internal */
export type CompleteSeed = z.output<typeof seedSchema>;

/** Finds organizations and credentials that exist twice, and roles in projects of other organizations. */
function contradictionsOf({ organizations, projects }: CompleteSeed): Issue[] {
  const owners = new Map(projects.map(({ id, organization }) => [id, organization]));
  const seen = new Set<string>();
  const issues: Issue[] = [];
  const check = (kind: string, value: string | undefined, ...path: (string | number)[]) => {
    const key = `${kind} ${value}`;
    if (value !== undefined && seen.has(key)) {
      issues.push({ path, message: `"${value}" exists twice` });
    }
    seen.add(key);
  };
  for (const [at, { name, id, apiKeys, serviceAccounts }] of organizations.entries()) {
    const start = ["organizations", at];
    check("name", name, ...start, "name");
    check("id", id, ...start, "id");
    const credentials = [
      ...apiKeys.map(({ publicKey, roles }, index) => {
        check("credential", publicKey, ...start, "apiKeys", index, "publicKey");
        return { roles, path: [...start, "apiKeys", index] };
      }),
      ...serviceAccounts.map(({ clientId, roles }, index) => {
        check("credential", clientId, ...start, "serviceAccounts", index, "clientId");
        return { roles, path: [...start, "serviceAccounts", index] };
      }),
    ];
    for (const { roles, path } of credentials) {
      for (const [index, { projectId }] of roles.entries()) {
        const owner = projectId === undefined ? name : owners.get(projectId);
        if (owner === name) continue;
        const message =
          owner === undefined
            ? `there is no project ${projectId} in the seed`
            : `project ${projectId} belongs to another organization`;
        issues.push({ path: [...path, "roles", index, "projectId"], message });
      }
    }
  }
  return issues;
}
