/** An organization in the seed: API keys, service accounts, their roles and access lists. */
import { BlockList, isIP } from "node:net";
import { z } from "zod";
import { idSchema, roleSchema } from "./fields";

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
  roles: z
    .array(
      z.strictObject({
        /** Project of the role. Default: the organization and all of its projects. */
        projectId: idSchema.optional(),
        /** What the credential may do. */
        role: roleSchema,
      }),
    )
    .default([]),
};

// HTTP Basic and HTTP digest end the user name at a colon.
const userName = z
  .string()
  .regex(/^[\x21\x23-\x39\x3b-\x5b\x5d-\x7e]{1,128}$/, 'must have no space, colon, " or \\');
const secret = z.string().min(1).max(256);

/** An organization in the seed. */
export const organizationSchema = z.strictObject({
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
  /**
   * API keys, for HTTP digest.
   *
   * @default []
   */
  apiKeys: z
    .array(
      z.strictObject({
        /** User name of HTTP digest; unique in the seed. */
        publicKey: userName,
        /** Password of HTTP digest. */
        privateKey: secret,
        ...credential,
      }),
    )
    .default([]),
  /**
   * Service accounts, for access tokens.
   *
   * @default []
   */
  serviceAccounts: z
    .array(
      z.strictObject({
        /** User name at the token endpoint; unique in the seed. */
        clientId: userName,
        /** Password at the token endpoint. */
        clientSecret: secret,
        ...credential,
      }),
    )
    .default([]),
});

/** An organization with its defaults. */
export type SeedOrganization = z.output<typeof organizationSchema>;

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
