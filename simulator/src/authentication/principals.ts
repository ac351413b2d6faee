// Who may do what: API keys and service accounts, their access lists and their roles.
import { BlockList, isIPv6 } from "node:net";
import type { Role } from "../seed";
import type { Organization, Project, Store } from "../world/store";

export interface Principal {
  /** The public key or client id. */
  readonly id: string;
  readonly kind: "apiKey" | "serviceAccount";
  /** The private key or client secret. */
  readonly secret: string;
  readonly organization: Organization;
  /** True when this address may use the credential (service document 5 rule 7). */
  allows(address: string): boolean;
  readonly roles: Organization["apiKeys"][number]["roles"];
}

/** Every credential of the seed by its public part. */
export function principalsOf(store: Store): Map<string, Principal> {
  const principals = new Map<string, Principal>();
  for (const organization of store.organizations) {
    for (const { publicKey, privateKey, accessList, roles } of organization.apiKeys) {
      principals.set(publicKey, {
        id: publicKey,
        kind: "apiKey",
        secret: privateKey,
        organization,
        allows: accessCheck(accessList, organization.requireAccessList),
        roles,
      });
    }
    for (const { clientId, clientSecret, accessList, roles } of organization.serviceAccounts) {
      principals.set(clientId, {
        id: clientId,
        kind: "serviceAccount",
        secret: clientSecret,
        organization,
        allows: accessCheck(accessList, organization.requireAccessList),
        roles,
      });
    }
  }
  return principals;
}

/** The strongest role in a project, if there is one. */
export function roleIn(principal: Principal, project: Project): Role | undefined {
  const here = principal.roles.filter(({ projectId }) =>
    projectId === undefined
      ? project.organization.id === principal.organization.id
      : projectId === project.id,
  );
  return strongest(here.map(({ role }) => role));
}

/** The strongest role for the organization as a whole, if there is one. */
export function roleInOrganization(principal: Principal): Role | undefined {
  return strongest(
    principal.roles.filter(({ projectId }) => projectId === undefined).map(({ role }) => role),
  );
}

function strongest(roles: readonly Role[]): Role | undefined {
  return roles.includes("owner") ? "owner" : roles[0];
}

function accessCheck(
  accessList: readonly string[] | undefined,
  required: boolean,
): (address: string) => boolean {
  if (!accessList) return () => !required;
  const allowed = new BlockList();
  for (const entry of accessList) {
    const [address = "", prefix] = entry.split("/");
    const family = isIPv6(address) ? "ipv6" : "ipv4";
    if (prefix === undefined) allowed.addAddress(address, family);
    else allowed.addSubnet(address, Number(prefix), family);
  }
  return (address) => {
    const plain = address.replace(/^::ffff:(?=\d+\.)/, "");
    return allowed.check(plain, isIPv6(plain) ? "ipv6" : "ipv4");
  };
}
