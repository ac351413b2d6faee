// Which addresses a host name leads to, from where: what the service's DNS would say (service
// document 2.6, column "resolves to"). The simulator has no DNS; tests ask this instead.
import type { Project } from "../world/store";
import { digest } from "../world/cluster";
import { connectionStrings, type Naming } from "./generate";

/** Where a name is looked up: on the Internet, or inside a network peered with the cluster's. */
export type Vantage = "internet" | "peeredNetwork";

export interface Resolution {
  readonly projectId: string;
  readonly clusterName: string;
  readonly access: "public" | "private";
  /** One IPv4 address for each host of the name: documentation or private addresses. */
  readonly addresses: readonly string[];
}

/**
 * @param target a connection string of the service, or a host name in one
 * @returns undefined where no cluster has such a host name, or no longer has it
 */
export function resolveTarget(
  target: string,
  from: Vantage,
  projects: readonly Project[],
  naming: Naming,
): Resolution | undefined {
  const asked = target.includes("://") ? hostsOf(target) : [target];
  for (const project of projects) {
    for (const cluster of project.clusters) {
      const strings = connectionStrings(cluster, project.label, naming);
      const has = (...uris: (string | undefined)[]) =>
        asked.every((host) => uris.some((uri) => uri !== undefined && hostsOf(uri).includes(host)));
      const ofEndpoint = (strings.privateEndpoint ?? []).some((endpoint) =>
        has(
          endpoint.connectionString,
          endpoint.srvConnectionString,
          endpoint.srvShardOptimizedConnectionString,
        ),
      );
      let access: Resolution["access"] | undefined;
      if (ofEndpoint || has(strings.private, strings.privateSrv)) access = "private";
      else if (has(strings.legacy, strings.legacySrv)) {
        access = project.privateIpMode.enabled ? "private" : "public";
      } else if (has(strings.standard, strings.standardSrv)) {
        // Only provider A answers a peered network with private addresses under this name.
        const inside = from === "peeredNetwork" && cluster.peering && cluster.provider === "A";
        access = inside ? "private" : "public";
      }
      if (access !== undefined) {
        const addresses = asked.map((host) => addressOf(host, access));
        return { projectId: project.id, clusterName: cluster.name, access, addresses };
      }
    }
  }
  return undefined;
}

/** The host names of a connection string, without ports. */
function hostsOf(uri: string): string[] {
  const [, authority = ""] = /:\/\/(?:[^@/]*@)?([^/?]*)/.exec(uri) ?? [];
  return authority.split(",").map((host) => host.replace(/:\d+$/, ""));
}

/** The same name always has the same address: of 203.0.113.0/24 (RFC 5737), or of 10.0.0.0/8. */
function addressOf(host: string, access: "public" | "private"): string {
  const bytes = Buffer.from(digest(host), "hex");
  const [first = 0, second = 0, third = 0] = bytes;
  const last = 1 + (third % 254);
  return access === "public" ? `203.0.113.${last}` : `10.${first}.${second}.${last}`;
}
