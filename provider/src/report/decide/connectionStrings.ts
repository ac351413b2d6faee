/** Reads what connection strings have in common: the network that they are for, and their hosts. */
import { parse } from "clouddb-connection-strings";

/** Names the network of a string as a program selects it, for a kind of `recommendedKind` or of `classify`. */
export function networkName(kind: string): string {
  return networkNames[kind] ?? kind;
}

const networkNames: Readonly<Record<string, string>> = {
  standardSrv: "internet",
  standard: "internet (hosts)",
  privateSrv: "peering",
  peeringPrivateSrv: "peering",
  private: "peering (hosts)",
  peeringPrivate: "peering (hosts)",
  privateEndpointSrv: "privateEndpoint",
  privateEndpoint: "privateEndpoint (hosts)",
  privateEndpointOptimizedSrv: "privateEndpoint (optimized)",
  optimizedPrivateEndpointSrv: "privateEndpoint (optimized)",
};

/** Returns the hosts of all connection strings in a value. */
export function hostsIn(value: unknown): string[] {
  if (typeof value === "object" && value !== null) return Object.values(value).flatMap(hostsIn);
  if (typeof value !== "string") return [];
  try {
    return parse(value).hosts.map(({ name }) => name);
  } catch {
    return [];
  }
}
