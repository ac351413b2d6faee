/**
 * Classifies host names by the patterns of service document 2.6. The patterns only classify and validate:
 * a string is always used exactly as the service returned it.
 */
import type { Classification, Node, Parts, UnknownString } from "./classification";
import { type HostName, assumedLabelCount, domainFrom } from "./hostNameDomain";
import { currentPatterns, labelsOf, legacyPatterns, normalizedName } from "./hostNamePatterns";

/** One host of a connection string. */
export interface HostOfString {
  /** The host name, in upper or lower case, with or without a trailing dot. */
  readonly name: string;
  /** The port; undefined if the string omits it. */
  readonly port: number | undefined;
  /** The form of the connection string that the host belongs to. */
  readonly form: "hosts" | "srv";
}

/** The classification of everything that matches no pattern. */
export const unknown: UnknownString = { kind: "unknown" };

/**
 * Classifies one host name.
 *
 * @param host the host
 * @param knownDomain the service's cluster domain. If it is undefined, a domain of two labels is
 * assumed for ambiguous names.
 * @returns the kind and the parts; kind `unknown` for a name that matches no pattern
 */
export function classifyHost(host: HostOfString, knownDomain: string | undefined): Classification {
  const { name, port, form } = host;
  const labels = labelsOf(name);
  const [firstLabel] = labels ?? [];
  if (labels === undefined || firstLabel === undefined) return unknown;
  const hostName = { labels, firstLabel, port, form, knownDomain: normalizedName(knownDomain) };
  return (
    classifyLegacyNode(hostName) ?? classifyShorterLegacyName(hostName) ?? classifyCurrent(hostName)
  );
}

/** Classifies a node of a legacy host list. Its pattern determines where the domain starts. */
function classifyLegacyNode(host: HostName): Classification | undefined {
  const { firstLabel, form, port } = host;
  if (form !== "hosts" || currentPatterns.node.test(firstLabel)) return undefined;
  const match = legacyPatterns.node.exec(firstLabel);
  if (match === null) return undefined;
  const [, cluster = "", of, shard = "", index = "", projectLabel = ""] = match;
  const domain = domainFrom(host, 1);
  if (domain === undefined) return unknown;
  const node = nodeOf(of, shard, index);
  return { kind: "legacy", form, cluster, projectLabel, ...domain, port, node };
}

/**
 * Classifies a name that is recognized as legacy only by its number of labels: one fewer than a current
 * name, in which the project label is separate. Returns undefined for other names.
 */
function classifyShorterLegacyName(host: HostName): Classification | undefined {
  const { firstLabel, form, port, knownDomain } = host;
  const domain = domainFrom(host, 1);
  const mayBeCurrent =
    knownDomain === undefined && domain?.domain.split(".").length !== assumedLabelCount;
  // `lb` at the end marks an optimized string; it is not a project label.
  const isCurrentOptimized = currentPatterns.optimized.test(firstLabel);
  const isCurrentNode = form === "hosts" && currentPatterns.node.test(firstLabel);
  if (domain === undefined || mayBeCurrent || isCurrentOptimized || isCurrentNode) return undefined;
  const optimized = legacyPatterns.optimized.exec(firstLabel);
  if (optimized !== null) {
    const [, cluster, index, projectLabel = ""] = optimized;
    const endpoint = { cluster, endpointIndex: Number(index), legacy: true } as const;
    return { kind: "optimizedPrivateEndpoint", ...endpoint, form, projectLabel, ...domain, port };
  }
  const privateEndpoint = legacyPatterns.privateEndpoint.exec(firstLabel);
  if (privateEndpoint !== null) {
    const [, cluster, index, region, projectLabel = ""] = privateEndpoint;
    const endpoint = { cluster, endpointIndex: Number(index), region, legacy: true } as const;
    return { kind: "privateEndpoint", ...endpoint, form, projectLabel, ...domain, port };
  }
  const legacyCluster = legacyPatterns.cluster.exec(firstLabel);
  if (legacyCluster === null) return undefined;
  const [, cluster = "", projectLabel = ""] = legacyCluster;
  return { kind: "legacy", form, cluster, projectLabel, ...domain, port, node: undefined };
}

/** Classifies a current name, in which the project label follows a period. */
function classifyCurrent(host: HostName): Classification {
  const { firstLabel, labels, form, port } = host;
  const projectLabel = labels[1];
  const domain = domainFrom(host, 2);
  if (projectLabel === undefined || domain === undefined) return unknown;
  const parts: Parts = { form, projectLabel, ...domain, port };
  const nodeMatch = form === "hosts" ? currentPatterns.node.exec(firstLabel) : null;
  if (nodeMatch !== null) {
    const [, cluster = "", of, shard = "", index = "", pri] = nodeMatch;
    const kind = pri === undefined ? "standard" : "peeringPrivate";
    return { kind, cluster, ...parts, node: nodeOf(of, shard, index) };
  }
  const optimized = currentPatterns.optimized.exec(firstLabel);
  if (optimized !== null) {
    const [, cluster, index] = optimized;
    return { kind: "optimizedPrivateEndpoint", cluster, endpointIndex: Number(index), ...parts };
  }
  const privateEndpoint = currentPatterns.privateEndpoint.exec(firstLabel);
  if (privateEndpoint !== null) {
    const [, cluster, index, region] = privateEndpoint;
    return { kind: "privateEndpoint", cluster, endpointIndex: Number(index), region, ...parts };
  }
  const [, peeredCluster] = currentPatterns.peered.exec(firstLabel) ?? [];
  return peeredCluster === undefined
    ? { kind: "standard", cluster: firstLabel, ...parts, node: undefined }
    : { kind: "peeringPrivate", cluster: peeredCluster, ...parts, node: undefined };
}

function nodeOf(of: string | undefined, shard: string, index: string): Node {
  return { of: of === "config" ? "config" : "shard", shard, index };
}
