/** The schema of an organization in the seed. format.ts describes the fields. */
import { BlockList, isIP } from "node:net";
import { z } from "zod";
import { idSchema, roleSchema } from "./fields";

const addressOrRange = z
  .string()
  .refine(isAddressOrRange, "must be an IP address or a CIDR range, e.g. 127.0.0.1/32");

const credential = {
  accessList: z.array(addressOrRange).optional(),
  roles: z
    .array(
      z.strictObject({
        projectId: idSchema.optional(),
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

/** The schema of an organization. */
export const organizationSchema = z.strictObject({
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

/** An organization with its defaults. */
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
