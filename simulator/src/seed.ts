// What the simulated service holds at its start: organizations with their credentials, projects
// and clusters. The same project format is kept in the state file.
import { BlockList, isIP } from "node:net";
import { z } from "zod";

export const nameSchema = z
  .string()
  .regex(
    /^[A-Za-z0-9](?:[A-Za-z0-9-]{0,62}[A-Za-z0-9])?$/,
    "must be 1 to 64 letters, digits and hyphens, with no hyphen at either end",
  );

/** A project or cluster id: 24 hexadecimal digits. */
export const idSchema = z.string().regex(/^[0-9a-f]{24}$/, "must be 24 hexadecimal digits");

/**
 * A date as ISO 8601; without a zone it is UTC (service document 2.5). Kept as UTC with
 * milliseconds left out where they are zero.
 */
export const dateSchema = z
  .string()
  .refine(
    (text) => utcDate(text) !== undefined,
    "must be an ISO 8601 date, e.g. 2024-05-01T00:00:00Z",
  )
  .transform((text) => utcDate(text) ?? text);

/** A full version, `<major>.<minor>.<patch>`, perhaps with a pre-release such as `-rc1`. */
export const versionSchema = z
  .string()
  .regex(
    /^(?:0|[1-9]\d{0,3})\.(?:0|[1-9]\d{0,3})\.(?:0|[1-9]\d{0,3})(?:-[0-9A-Za-z][0-9A-Za-z.-]{0,31})?$/,
    "must be of the form <major>.<minor>.<patch>, e.g. 7.0.12",
  );

export const regionSchema = z
  .string()
  .regex(
    /^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/,
    "must be a region in lower case letters, digits and hyphens, e.g. us-east-1",
  )
  // With the cluster's part of 23 characters, a host label stays within the 63 that DNS allows.
  .max(30);

export const clusterTypeSchema = z.enum(["REPLICASET", "SHARDED", "GEOSHARDED"]);
export const providerSchema = z.enum(["A", "B", "C"]);
export const diskSizeSchema = z.int().min(1).max(16384);
export const shardsSchema = z.int().min(1).max(50);

export const privateEndpointSchema = z.strictObject({
  endpointId: z.string().regex(/^[\w./-]{1,128}$/, "must be 1 to 128 letters, digits and ._/-"),
  region: regionSchema,
});

export const stateSchema = z.enum(["IDLE", "CREATING", "UPDATING", "DELETING", "REPAIRING"]);
const stringKindSchema = z.enum(["standard", "private", "privateEndpoint"]);

/** A change that happens to a cluster later, when the clock reaches `at`. */
const transitionSchema = z.strictObject({
  at: z.number(),
  state: z.union([stateSchema, z.literal("GONE")]),
  pendingStrings: z.array(stringKindSchema),
});

export const clusterSchema = z.strictObject({
  name: nameSchema,
  /** The cluster's part of its host names, where it is not the name's: that of a renamed cluster. */
  hostName: z
    .string()
    .regex(/^[a-z0-9](?:[a-z0-9-]{0,21}[a-z0-9])?$/, "must be 1 to 23 lower case characters")
    .optional(),
  id: idSchema.optional(),
  type: clusterTypeSchema.default("REPLICASET"),
  version: versionSchema.default("8.0.4"),
  /** What the API reports in place of the two version fields; null leaves the field out. */
  reported: z
    .strictObject({
      version: z.string().nullable().optional(),
      majorVersion: z.string().nullable().optional(),
    })
    .optional(),
  provider: providerSchema.default("A"),
  regions: z.array(regionSchema).min(1).max(20).default(["us-east-1"]),
  createdAt: dateSchema.optional(),
  peering: z.boolean().default(false),
  privateEndpoints: z
    .array(privateEndpointSchema.extend({ index: z.int().min(0).optional() }))
    .max(100)
    .default([]),
  regionalizedPrivateEndpoints: z.boolean().default(false),
  /** Default: true for a cluster created before 31 March 2020 (service document 2.6). */
  legacyConnectionStrings: z.boolean().optional(),
  /** The six characters that name replica sets and shards (service document 2.6 rule 2). */
  shardId: z
    .string()
    .regex(/^[a-z0-9]{6}$/, "must be six lower case letters and digits")
    .optional(),
  shards: shardsSchema.default(2),
  diskSizeGB: diskSizeSchema.default(10),
  paused: z.boolean().default(false),
  state: stateSchema.default("IDLE"),
  /** CREATING or UPDATING becomes IDLE after this many seconds; absent: stays until it is changed. */
  readyInSeconds: z.number().min(0).optional(),
  /** Kinds of connection string that the API does not show yet. Default: all while CREATING. */
  pendingStrings: z.array(stringKindSchema).optional(),
  deleteAfterDate: dateSchema.optional(),
  transitions: z.array(transitionSchema).default([]),
});

const roleSchema = z.enum(["owner", "readOnly"]);

export const projectSchema = z.strictObject({
  id: idSchema,
  name: z.string().min(1).max(64),
  organization: z.string(),
  createdAt: dateSchema.optional(),
  /** The short label in the host names of its clusters; made from the id when absent. */
  label: z
    .string()
    .regex(/^[a-z0-9]{1,20}$/, "must be 1 to 20 lower case letters and digits")
    .optional(),
  privateIpMode: z.strictObject({ enabled: z.boolean() }).default({ enabled: false }),
  clusters: z.array(clusterSchema).default([]),
});

const addressOrRange = z
  .string()
  .refine(isAddressOrRange, "must be an IP address or a CIDR range, e.g. 127.0.0.1/32");

const credential = {
  /** Addresses that may use this credential. Absent: every address. */
  accessList: z.array(addressOrRange).optional(),
  /** A role without projectId holds for every project of the organization, and for the organization. */
  roles: z.array(z.strictObject({ projectId: idSchema.optional(), role: roleSchema })).default([]),
};

// A colon would end the user name of HTTP Basic and of a digest's first hash.
const userName = z
  .string()
  .regex(/^[\x21\x23-\x39\x3b-\x5b\x5d-\x7e]{1,128}$/, 'must have no space, colon, " or \\');
const secret = z.string().min(1).max(256);

const organizationSchema = z.strictObject({
  id: idSchema.optional(),
  name: z.string().min(1).max(64),
  /** True: a credential without an access list is refused (service document 5 rule 7). */
  requireAccessList: z.boolean().default(false),
  apiKeys: z
    .array(z.strictObject({ publicKey: userName, privateKey: secret, ...credential }))
    .default([]),
  serviceAccounts: z
    .array(z.strictObject({ clientId: userName, clientSecret: secret, ...credential }))
    .default([]),
});

const seedSchema = z
  .strictObject({
    organizations: z.array(organizationSchema).default([]),
    projects: z.array(projectSchema).default([]),
  })
  .superRefine((seed, context) => {
    const report = (path: (string | number)[], message: string) => {
      context.addIssue({ code: "custom", path, message });
    };
    const organizations = new Set<string>();
    seed.organizations.forEach((organization, at) => {
      if (organizations.has(organization.name)) {
        report(["organizations", at, "name"], `"${organization.name}" is there twice`);
      }
      organizations.add(organization.name);
    });
    seed.projects.forEach((project, at) => {
      if (!organizations.has(project.organization)) {
        report(
          ["projects", at, "organization"],
          `there is no organization "${project.organization}" in the seed`,
        );
      }
    });
    const principals = new Set<string>();
    seed.organizations.forEach((organization, at) => {
      const credentials = [
        ...organization.apiKeys.map((key, index) => ({
          path: ["organizations", at, "apiKeys", index],
          field: "publicKey",
          id: key.publicKey,
          roles: key.roles,
        })),
        ...organization.serviceAccounts.map((account, index) => ({
          path: ["organizations", at, "serviceAccounts", index],
          field: "clientId",
          id: account.clientId,
          roles: account.roles,
        })),
      ];
      for (const { path, field, id, roles } of credentials) {
        if (principals.has(id)) report([...path, field], `"${id}" is there twice`);
        principals.add(id);
        roles.forEach((role, index) => {
          if (role.projectId === undefined) return;
          const project = seed.projects.find(({ id }) => id === role.projectId);
          const where = [...path, "roles", index, "projectId"];
          if (!project) report(where, `there is no project ${role.projectId} in the seed`);
          else if (project.organization !== organization.name) {
            report(where, `project ${role.projectId} belongs to another organization`);
          }
        });
      }
    });
  });

/** A seed as a person writes it: everything with a default may be left out. */
export type Seed = z.input<typeof seedSchema>;
export type SeedProject = z.input<typeof projectSchema>;
export type SeedCluster = z.input<typeof clusterSchema>;
/** A seed with its defaults filled in. */
export type CompleteSeed = z.output<typeof seedSchema>;
export type CompleteSeedProject = z.output<typeof projectSchema>;
export type CompleteSeedCluster = z.output<typeof clusterSchema>;
export type SeedOrganization = CompleteSeed["organizations"][number];
export type Role = z.output<typeof roleSchema>;
export type StringKind = z.output<typeof stringKindSchema>;

/** A seed, or a part of one, that cannot be used. The message says where and why. */
export class SeedError extends Error {
  override readonly name = "SeedError";
}

/** @throws {SeedError} with the path of everything that is wrong */
export function parseSeed(seed: unknown): CompleteSeed {
  return parse(seedSchema, seed, "The seed");
}

/** @throws {SeedError} with the path of everything that is wrong */
export function parse<S extends z.ZodType>(schema: S, value: unknown, what: string): z.output<S> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const lines = result.error.issues.map((issue) => `  ${pathOf(issue.path)}: ${issue.message}`);
  throw new SeedError(`${what} is not valid:\n${lines.join("\n")}`);
}

/** `projects[0].clusters[2].version` */
function pathOf(path: readonly PropertyKey[]): string {
  const text = path
    .map((part) => (typeof part === "number" ? `[${part}]` : `.${String(part)}`))
    .join("")
    .replace(/^\./, "");
  return text === "" ? "(the whole)" : text;
}

function utcDate(text: string): string | undefined {
  const match =
    /^(\d{4}-\d{2}-\d{2})(?:T(\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)(Z|[+-]\d{2}:?\d{2})?)?$/.exec(
      text,
    );
  if (!match) return undefined;
  const [, day = "", time = "00:00:00", zone = "Z"] = match;
  // Date.parse would roll 30 February over into March.
  if (new Date(`${day}T00:00:00Z`).toString() === "Invalid Date") return undefined;
  if (!new Date(`${day}T00:00:00Z`).toISOString().startsWith(day)) return undefined;
  const date = new Date(`${day}T${time}${zone}`);
  if (Number.isNaN(date.getTime())) return undefined;
  return isoDate(date.getTime());
}

/** A date as the API shows it: ISO 8601 in UTC. */
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
