/** Principals: API keys and service accounts with their access lists and roles. */
import { BlockList, isIPv6 } from "node:net";
import type { Role } from "../seed/format";
import type { Organization, Project } from "../store/project";
import type { Store } from "../store/store";

/** An API key or a service account. */
export interface Principal {
  /** Public key or client ID. */
  readonly id: string;
  /** Kind of credential. */
  readonly kind: "apiKey" | "serviceAccount";
  /** Private key or client secret. */
  readonly secret: string;
  /** Organization of the credential. */
  readonly organization: Organization;
  /**
   * Checks the access list (service document 5 rule 7).
   *
   * @param address IP address of the caller
   * @returns whether the caller may use the credential
   */
  allows(address: string): boolean;
  /** Roles in the organization and its projects. */
  readonly roles: Organization["apiKeys"][number]["roles"];
}

/**
 * Returns the principals of all organizations.
 *
 * @param store the store
 * @returns the principals by public key or client ID
 */
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

/**
 * Returns the role of a principal in a project.
 *
 * @param principal the principal
 * @param project the project
 * @returns the strongest role, or undefined if it has none
 */
export function roleIn(principal: Principal, project: Project): Role | undefined {
  const roles = principal.roles.filter(({ projectId }) =>
    projectId === undefined
      ? project.organization.id === principal.organization.id
      : projectId === project.id,
  );
  return strongest(roles.map(({ role }) => role));
}

/**
 * Returns the role of a principal in its organization.
 *
 * @param principal the principal
 * @returns the strongest role, or undefined if it has none
 */
export function roleInOrganization(principal: Principal): Role | undefined {
  return strongest(
    principal.roles.filter(({ projectId }) => projectId === undefined).map(({ role }) => role),
  );
}

function strongest(roles: readonly Role[]): Role | undefined {
  return roles.includes("owner") ? "owner" : roles[0];
}

/** Returns a function that checks an address against an access list. */
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
    // IPv4 addresses of dual-stack sockets start with ::ffff:.
    const plain = address.replace(/^::ffff:(?=\d+\.)/, "");
    return allowed.check(plain, isIPv6(plain) ? "ipv6" : "ipv4");
  };
}
