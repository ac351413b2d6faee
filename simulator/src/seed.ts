/**
 * The seed: organizations with their credentials, projects and clusters at the start. The state file
 * uses the same format for projects.
 */
import { BlockList, isIP } from "node:net";
import { z } from "zod";

/** Name of a cluster: 1 to 64 letters, digits and hyphens. */
export const nameSchema = z
  .string()
  .regex(
    /^[A-Za-z0-9](?:[A-Za-z0-9-]{0,62}[A-Za-z0-9])?$/,
    "must be 1 to 64 letters, digits and hyphens, with no hyphen at either end",
  );

/** ID of a project, cluster or organization: 24 hexadecimal digits. */
export const idSchema = z.string().regex(/^[0-9a-f]{24}$/, "must be 24 hexadecimal digits");

/**
 * A date in ISO 8601; UTC unless it has a time zone (service document 2.5). The output is in UTC,
 * without milliseconds if they are zero.
 */
export const dateSchema = z
  .string()
  .refine(
    (text) => utcDate(text) !== undefined,
    "must be an ISO 8601 date, e.g. 2024-05-01T00:00:00Z",
  )
  .transform((text) => utcDate(text) ?? text);

/** A full version: `<major>.<minor>.<patch>`, with an optional pre-release such as `-rc1`. */
export const versionSchema = z
  .string()
  .regex(
    /^(?:0|[1-9]\d{0,3})\.(?:0|[1-9]\d{0,3})\.(?:0|[1-9]\d{0,3})(?:-[0-9A-Za-z][0-9A-Za-z.-]{0,31})?$/,
    "must be of the form <major>.<minor>.<patch>, e.g. 7.0.12",
  );

/** A region of a cloud provider, for example `us-east-1`. */
export const regionSchema = z
  .string()
  .regex(
    /^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/,
    "must be a region in lower case letters, digits and hyphens, e.g. us-east-1",
  )
  // DNS allows 63 characters in a label: 23 of the cluster, 30 of the region, and the rest.
  .max(30);

/** Type of a cluster. */
export const clusterTypeSchema = z.enum(["REPLICASET", "SHARDED", "GEOSHARDED"]);
/** Cloud provider of a cluster. */
export const providerSchema = z.enum(["A", "B", "C"]);
/** Disk size in GB. */
export const diskSizeSchema = z.int().min(1).max(16384);
/** Number of shards of a sharded cluster. */
export const shardsSchema = z.int().min(1).max(50);

/** A private endpoint of a cluster. */
export const privateEndpointSchema = z.strictObject({
  /** ID of the endpoint at the cloud provider. */
  endpointId: z.string().regex(/^[\w./-]{1,128}$/, "must be 1 to 128 letters, digits and ._/-"),
  region: regionSchema,
});

/** State of a cluster. */
export const stateSchema = z.enum(["IDLE", "CREATING", "UPDATING", "DELETING", "REPAIRING"]);
const stringKindSchema = z.enum(["standard", "private", "privateEndpoint"]);

/** A change of a cluster that is due when the clock reaches `at` (milliseconds since 1970). */
const transitionSchema = z.strictObject({
  at: z.number(),
  state: z.union([stateSchema, z.literal("GONE")]),
  pendingStrings: z.array(stringKindSchema),
});

/** A cluster in the seed or the state file. */
export const clusterSchema = z.strictObject({
  /** Unique in the project. */
  name: nameSchema,
  /** The cluster's part of its host names. Default: from the name. Set it to simulate a renamed cluster. */
  hostName: z
    .string()
    .regex(/^[a-z0-9](?:[a-z0-9-]{0,21}[a-z0-9])?$/, "must be 1 to 23 lower case characters")
    .optional(),
  /** Default: generated. */
  id: idSchema.optional(),
  /** @default "REPLICASET" */
  type: clusterTypeSchema.default("REPLICASET"),
  /** @default "8.0.4" */
  version: versionSchema.default("8.0.4"),
  /** Overrides the version fields in API responses; null omits the field. */
  reported: z
    .strictObject({
      version: z.string().nullable().optional(),
      majorVersion: z.string().nullable().optional(),
    })
    .optional(),
  /** @default "A" */
  provider: providerSchema.default("A"),
  /** @default ["us-east-1"] */
  regions: z.array(regionSchema).min(1).max(20).default(["us-east-1"]),
  /** Default: the time of the start. */
  createdAt: dateSchema.optional(),
  /**
   * Whether network peering is configured.
   *
   * @default false
   */
  peering: z.boolean().default(false),
  /**
   * Private endpoints. `index` is part of the host names and unique in the project; by default, the
   * next free one.
   *
   * @default []
   */
  privateEndpoints: z
    .array(privateEndpointSchema.extend({ index: z.int().min(0).optional() }))
    .max(100)
    .default([]),
  /**
   * Whether regionalized private endpoints are enabled.
   *
   * @default false
   */
  regionalizedPrivateEndpoints: z.boolean().default(false),
  /** Default: true if the cluster was created before 31 March 2020 (service document 2.6). */
  legacyConnectionStrings: z.boolean().optional(),
  /** ID in the names of replica sets and shards (service document 2.6 rule 2). Default: generated. */
  shardId: z
    .string()
    .regex(/^[a-z0-9]{6}$/, "must be six lower case letters and digits")
    .optional(),
  /**
   * Number of shards; ignored for a replica set.
   *
   * @default 2
   */
  shards: shardsSchema.default(2),
  /** @default 10 */
  diskSizeGB: diskSizeSchema.default(10),
  /** @default false */
  paused: z.boolean().default(false),
  /** @default "IDLE" */
  state: stateSchema.default("IDLE"),
  /** Seconds until a cluster that is CREATING or UPDATING becomes IDLE. Default: never. */
  readyInSeconds: z.number().min(0).optional(),
  /** Kinds of connection string that are still missing. Default: all if CREATING, else none. */
  pendingStrings: z.array(stringKindSchema).optional(),
  /** Time at which the service deletes the cluster. Default: never. */
  deleteAfterDate: dateSchema.optional(),
  /**
   * Changes that are due later, oldest first. The state file uses them.
   *
   * @default []
   */
  transitions: z.array(transitionSchema).default([]),
});

const roleSchema = z.enum(["owner", "readOnly"]);

/** A project in the seed or the state file. */
export const projectSchema = z.strictObject({
  id: idSchema,
  /** Unique in the organization. */
  name: z.string().min(1).max(64),
  /** Name of the organization. */
  organization: z.string(),
  /** Default: the time of the start. */
  createdAt: dateSchema.optional(),
  /** Label in the host names of the clusters; unique. Default: derived from the ID. */
  label: z
    .string()
    .regex(/^[a-z0-9]{1,20}$/, "must be 1 to 20 lower case letters and digits")
    .optional(),
  /** @default { enabled: false } */
  privateIpMode: z.strictObject({ enabled: z.boolean() }).default({ enabled: false }),
  /** @default [] */
  clusters: z.array(clusterSchema).default([]),
});

const addressOrRange = z
  .string()
  .refine(isAddressOrRange, "must be an IP address or a CIDR range, e.g. 127.0.0.1/32");

const credential = {
  /** IP addresses and CIDR ranges that may use the credential. Default: all. */
  accessList: z.array(addressOrRange).optional(),
  /**
   * Roles of the credential. A role without `projectId` applies to the organization and all of its
   * projects.
   *
   * @default []
   */
  roles: z.array(z.strictObject({ projectId: idSchema.optional(), role: roleSchema })).default([]),
};

// HTTP Basic and HTTP digest end the user name at a colon.
const userName = z
  .string()
  .regex(/^[\x21\x23-\x39\x3b-\x5b\x5d-\x7e]{1,128}$/, 'must have no space, colon, " or \\');
const secret = z.string().min(1).max(256);

const organizationSchema = z.strictObject({
  /** Default: derived from the name. */
  id: idSchema.optional(),
  /** Unique in the seed. */
  name: z.string().min(1).max(64),
  /**
   * Whether to reject credentials that have no access list (service document 5 rule 7).
   *
   * @default false
   */
  requireAccessList: z.boolean().default(false),
  /** @default [] */
  apiKeys: z
    .array(z.strictObject({ publicKey: userName, privateKey: secret, ...credential }))
    .default([]),
  /** @default [] */
  serviceAccounts: z
    .array(z.strictObject({ clientId: userName, clientSecret: secret, ...credential }))
    .default([]),
});

const seedSchema = z
  .strictObject({
    /** @default [] */
    organizations: z.array(organizationSchema).default([]),
    /** @default [] */
    projects: z.array(projectSchema).default([]),
  })
  .superRefine((seed, context) => {
    const report = (path: (string | number)[], message: string) => {
      context.addIssue({ code: "custom", path, message });
    };
    const organizations = new Set<string>();
    seed.organizations.forEach((organization, index) => {
      if (organizations.has(organization.name)) {
        report(["organizations", index, "name"], `"${organization.name}" exists twice`);
      }
      organizations.add(organization.name);
    });
    seed.projects.forEach((project, index) => {
      if (!organizations.has(project.organization)) {
        report(
          ["projects", index, "organization"],
          `there is no organization "${project.organization}" in the seed`,
        );
      }
    });
    const principals = new Set<string>();
    seed.organizations.forEach((organization, index) => {
      const credentials = [
        ...organization.apiKeys.map((key, keyIndex) => ({
          path: ["organizations", index, "apiKeys", keyIndex],
          field: "publicKey",
          id: key.publicKey,
          roles: key.roles,
        })),
        ...organization.serviceAccounts.map((account, accountIndex) => ({
          path: ["organizations", index, "serviceAccounts", accountIndex],
          field: "clientId",
          id: account.clientId,
          roles: account.roles,
        })),
      ];
      for (const { path, field, id, roles } of credentials) {
        if (principals.has(id)) report([...path, field], `"${id}" exists twice`);
        principals.add(id);
        roles.forEach((role, roleIndex) => {
          if (role.projectId === undefined) return;
          const project = seed.projects.find(({ id }) => id === role.projectId);
          const rolePath = [...path, "roles", roleIndex, "projectId"];
          if (!project) report(rolePath, `there is no project ${role.projectId} in the seed`);
          else if (project.organization !== organization.name) {
            report(rolePath, `project ${role.projectId} belongs to another organization`);
          }
        });
      }
    });
  });

/**
 * The organizations, credentials, projects and clusters at the start. Fields with a default are
 * optional.
 *
 * @example
 * {
 *   organizations: [{ name: "acme", apiKeys: [{ publicKey: "k", privateKey: "s", roles: [{ role: "owner" }] }] }],
 *   projects: [{ id: "64a0c0ffee0000000000a001", name: "orders", organization: "acme", clusters: [{ name: "orders" }] }],
 * }
 */
export type Seed = z.input<typeof seedSchema>;
/** A project in a seed. */
export type SeedProject = z.input<typeof projectSchema>;
/** A cluster in a seed. */
export type SeedCluster = z.input<typeof clusterSchema>;
/** A seed with its defaults. */
export type CompleteSeed = z.output<typeof seedSchema>;
/** A project with its defaults. */
export type CompleteSeedProject = z.output<typeof projectSchema>;
/** A cluster with its defaults. */
export type CompleteSeedCluster = z.output<typeof clusterSchema>;
/** An organization with its defaults. */
export type SeedOrganization = CompleteSeed["organizations"][number];
/** Role of a credential: `owner` may change resources, `readOnly` may not. */
export type Role = z.output<typeof roleSchema>;
/** Kind of connection string that can be pending. */
export type StringKind = z.output<typeof stringKindSchema>;

/** An invalid seed, setting or fault. The message contains the path of each problem. */
export class SeedError extends Error {
  override readonly name = "SeedError";
}

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

/**
 * Validates a value. Error messages contain paths and reasons, never the value: it may be a secret.
 *
 * @param schema the schema
 * @param value the value
 * @param what what the value is, as the subject of the error message: `The seed`
 * @returns the value with defaults
 * @throws SeedError if the value is invalid
 */
export function parse<S extends z.ZodType>(schema: S, value: unknown, what: string): z.output<S> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const lines = result.error.issues.map((issue) => `  ${pathOf(issue.path)}: ${issue.message}`);
  throw new SeedError(`${what} is not valid:\n${lines.join("\n")}`);
}

/** Formats a path like `projects[0].clusters[2].version`. */
function pathOf(path: readonly PropertyKey[]): string {
  const text = path
    .map((part) => (typeof part === "number" ? `[${part}]` : `.${String(part)}`))
    .join("")
    .replace(/^\./, "");
  return text === "" ? "(root)" : text;
}

/** Converts an ISO 8601 date to UTC; undefined if the text is not a date. */
function utcDate(text: string): string | undefined {
  const match =
    /^(\d{4}-\d{2}-\d{2})(?:T(\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)(Z|[+-]\d{2}:?\d{2})?)?$/.exec(
      text,
    );
  if (!match) return undefined;
  const [, day = "", time = "00:00:00", zone = "Z"] = match;
  // Date.parse turns 30 February into 1 March.
  if (new Date(`${day}T00:00:00Z`).toString() === "Invalid Date") return undefined;
  if (!new Date(`${day}T00:00:00Z`).toISOString().startsWith(day)) return undefined;
  const date = new Date(`${day}T${time}${zone}`);
  if (Number.isNaN(date.getTime())) return undefined;
  return isoDate(date.getTime());
}

/**
 * Formats a date as in API responses.
 *
 * @param milliseconds milliseconds since 1970
 * @returns the date in ISO 8601 and UTC
 * @example isoDate(0) // "1970-01-01T00:00:00Z"
 */
export function isoDate(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace(".000Z", "Z");
}

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
