/**
 * Classifies connection strings by their host names (service document 2.6). This only classifies and
 * validates: a string is always used exactly as the service returned it.
 */
import type { Classification } from "./classification";
import { classifyHost, unknown } from "./hostNames";
import { isLoadBalancerName } from "./hostNamePatterns";
import { parseOrProblem } from "./parsing";

export type {
  Classification,
  LegacyString,
  Node,
  OptimizedPrivateEndpointString,
  PeeringPrivateString,
  PrivateEndpointString,
  StandardString,
  UnknownString,
} from "./classification";

/** Options of `classify`, `isLegacy` and `legacyToStandard`. */
export interface ClassifyOptions {
  /**
   * The service's cluster domain, for example `clusters.example`. A name alone can be ambiguous: a
   * legacy SRV string under a domain of three labels looks like a standard one under a domain of two.
   * {@link clusterDomain} finds the domain in the other strings of the cluster.
   *
   * @default a domain of two labels is assumed
   */
  readonly domain?: string | undefined;
}

/**
 * Classifies a connection string by its host names (service document 2.6). All hosts of a list must have
 * the same kind, cluster, project label, domain, endpoint index and region. Nodes, ports and provider
 * labels may differ. Private endpoint names from before 2020 have kind `privateEndpoint` and
 * `legacy: true`.
 *
 * @param connectionString the string, in upper or lower case, with or without credentials and options
 * @param options the service's cluster domain, if it is known
 * @default options: a domain of two labels is assumed
 * @returns the kind, and the parts of the first host; kind `unknown` for other text. Never throws.
 * @example
 * classify("db+srv://orders-pl-0-lb.ab1cd.db.example").kind; // "optimizedPrivateEndpoint"
 */
export function classify(connectionString: string, options: ClassifyOptions = {}): Classification {
  const [firstHost = unknown, ...otherHosts] = classifyHosts(connectionString, options);
  return otherHosts.every((host) => haveSameIdentity(firstHost, host)) ? firstHost : unknown;
}

/**
 * Determines the service's cluster domain from strings whose form is unambiguous, such as the standard
 * host list of a cluster (service document 2.6). Private endpoint strings are ambiguous: their names from
 * before 2020 have one label fewer.
 *
 * @param connectionStrings strings of one service
 * @returns the domain of the first unambiguous string; undefined if there is none. Never throws.
 * @example
 * clusterDomain(["db://orders-shard-00-00.ab1cd.db.example:27017"]); // "db.example"
 */
export function clusterDomain(connectionStrings: Iterable<string>): string | undefined {
  for (const text of connectionStrings) {
    const classification = classify(text);
    switch (classification.kind) {
      case "standard":
      case "legacy":
        if (classification.node !== undefined) return classification.domain;
        break;
      case "peeringPrivate":
      case "optimizedPrivateEndpoint":
        return classification.domain;
      case "privateEndpoint":
      case "unknown":
    }
  }
  return undefined;
}

/**
 * Classifies each host of a connection string separately.
 *
 * @param connectionString the string
 * @param options the service's cluster domain, if it is known
 * @returns one classification per host, in the order of the hosts; an empty list for other text
 * @example
 * classifyHosts("db://pl-0-us-east-1.ab1cd.db.example,pl-0-eu-west-1.ab1cd.db.example").length; // 2
 */
export function classifyHosts(
  connectionString: string,
  { domain }: ClassifyOptions = {},
): Classification[] {
  const parsed = parseOrProblem(connectionString);
  if (parsed.kind === "problem") return [];
  const { form, hosts } = parsed.parts;
  return hosts.map(({ name, port }) => classifyHost({ name, port, form }, domain));
}

/**
 * Returns whether any host of a connection string belongs to an optimized string, in either form and
 * under any domain (service document 2.6).
 *
 * @param connectionString the string
 * @returns true if one does; false for other text. Never throws.
 * @example
 * isOptimized("db+srv://orders-pl-0-lb.ab1cd.db.example"); // true
 */
export function isOptimized(connectionString: string): boolean {
  const parsed = parseOrProblem(connectionString);
  return (
    parsed.kind === "parsed" && parsed.parts.hosts.some(({ name }) => isLoadBalancerName(name))
  );
}

/** Returns whether two hosts of one list belong to the same cluster or endpoint. */
function haveSameIdentity(one: Classification, other: Classification): boolean {
  const otherIdentity = identityOf(other);
  return identityOf(one).every((part, index) => part === otherIdentity[index]);
}

/** Returns the parts that all hosts of one list share. */
function identityOf(host: Classification): readonly unknown[] {
  if (host.kind === "unknown") return [host.kind];
  const cluster = [host.kind, host.cluster, host.projectLabel, host.domain];
  if (!("endpointIndex" in host)) return cluster;
  return [...cluster, host.endpointIndex, host.legacy, "region" in host ? host.region : undefined];
}
