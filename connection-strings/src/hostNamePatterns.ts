/**
 * The patterns of service document 2.6 for the first label of a host name, such as
 * `<cluster>-shard-00-01-pri`, and functions that split names into labels.
 */

/** Current patterns: the project label is the second label. */
export const currentPatterns = {
  /** Cluster, `shard` or `config`, shard, index, `-pri`. */
  node: /^(.+)-(shard|config)-(\d{2})-(\d{2})(-pri)?$/,
  /** Cluster, endpoint index. */
  optimized: /^(?:(.+)-)?pl-(\d+)-(?:.+-)?lb$/,
  /** Cluster, endpoint index, region. Some services add the index of a node and the provider. */
  privateEndpoint: /^(?:(.+)-)?pl-(\d+)(?:-\d{3})?(?:-(.+?))?(?:-(?:aws|azure|gcp))?$/,
  /** Cluster. */
  peered: /^(.+)-pri$/,
};

/**
 * Legacy patterns, with a hyphen before the project label, which itself contains no hyphen (service
 * document 2.6 rule 1). The project label is the last group of each.
 */
export const legacyPatterns = {
  /** Cluster, `shard` or `config`, shard, index. */
  node: /^(.+)-(shard|config)-(\d{2})-(\d{2})(?:-pri)?-([a-z0-9]+)$/,
  /** Cluster, endpoint index. */
  optimized: /^(?:(.+)-)?pl-(\d+)-(?:.+-)?lb-([a-z0-9]+)$/,
  /** Cluster, endpoint index, region. */
  privateEndpoint: /^(?:(.+)-)?pl-(\d+)(?:-\d{3})?(?:-(.+?))?(?:-(?:aws|azure|gcp))?-([a-z0-9]+)$/,
  /** Cluster. */
  cluster: /^(.+?)(?:-pri)?-([a-z0-9]+)$/,
};

/**
 * Returns whether a host name belongs to an optimized string, regardless of its domain. Optimized
 * strings contain `lb` in the host name (service document 2.6).
 *
 * @param name the host name
 * @returns true for `<cluster>-pl-<i>-lb.…` and `<cluster>-pl-<i>-lb-<project_hash>.…`
 */
export function isLoadBalancerName(name: string): boolean {
  const [firstLabel = ""] = labelsOf(name) ?? [];
  return currentPatterns.optimized.test(firstLabel) || legacyPatterns.optimized.test(firstLabel);
}

/**
 * Splits a host name into its labels.
 *
 * @param name the host name
 * @returns the labels in lower case; undefined for an IP address, an empty label or an overlong name
 */
export function labelsOf(name: string): string[] | undefined {
  const labels = normalizedName(name)?.split(".") ?? [];
  const isAddress = /^\d+$/.test(labels.at(-1) ?? "");
  const isTooLong = name.length > maxNameLength + 1;
  return labels.includes("") || isAddress || isTooLong ? undefined : labels;
}

/**
 * Converts a name to lower case and removes a trailing dot.
 *
 * @param name the name of a host or domain
 * @returns the normalized name
 */
export function normalizedName(name: string | undefined): string | undefined {
  return name?.toLowerCase().replace(/\.$/, "");
}

/** The maximum length in DNS. The limit also bounds the cost of matching the patterns. */
const maxNameLength = 253;
