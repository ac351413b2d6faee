/**
 * The host name patterns of service document 2.6. They are only used to classify and validate: a string
 * is always used exactly as the service returned it.
 */
import type { Classification, Node, Parts, UnknownString } from "./classification";

/** One host of a connection string. */
export interface HostOfString {
  readonly name: string;
  readonly port: number | undefined;
  /** The form of the connection string that the host belongs to. */
  readonly form: "hosts" | "srv";
}

/** The classification of everything that matches no pattern. */
export const unknown: UnknownString = { kind: "unknown" };

/** Patterns for the label before the project label, such as `<cluster>-shard-00-01-pri`. */
const member = /^(.+)-(shard|config)-(\d{2})-(\d{2})(-pri)?$/;
const optimized = /^(?:(.+)-)?pl-(\d+)-(?:.+-)?lb$/;
const privateEndpoint = /^(?:(.+)-)?pl-(\d+)(?:-(.+))?$/;
const peered = /^(.+)-pri$/;

/** Legacy patterns, with a hyphen before the project label (rule 1), which itself has no hyphen. */
const legacyMember = /^(.+)-(shard|config)-(\d{2})-(\d{2})(?:-pri)?-([a-z0-9]+)$/;
const legacyOptimized = /^(?:(.+)-)?pl-(\d+)-(?:.+-)?lb-([a-z0-9]+)$/;
const legacyPrivateEndpoint = /^(?:(.+)-)?pl-(\d+)(?:-(.+))?-([a-z0-9]+)$/;
const legacyName = /^(.+)-([a-z0-9]+)$/;

/** The maximum length in DNS. The limit also bounds the cost of matching the patterns. */
const longestName = 253;

/** The number of labels to assume if the cluster domain is not known. */
const assumedLabels = 2;

/**
 * Classifies one host name.
 *
 * @param host the host, in upper or lower case, with or without a trailing dot
 * @param knownDomain the service's cluster domain. If it is undefined, a domain of two labels is
 * assumed for ambiguous names.
 * @returns the kind and the parts; kind `unknown` for a name that matches no pattern
 */
export function classifyHost(host: HostOfString, knownDomain: string | undefined): Classification {
  const { name, port, form } = host;
  const labels = labelsOf(name);
  const [first] = labels ?? [];
  if (labels === undefined || first === undefined) return unknown;
  const context = { first, labels, port, form, knownDomain: plainName(knownDomain) };
  return classifyLegacyMember(context) ?? classifyLegacyName(context) ?? classifyCurrent(context);
}

/**
 * Returns whether a host name belongs to an optimized string, regardless of its domain. Optimized
 * strings contain `lb` in the host name (service document 2.6).
 *
 * @param name the host name
 * @returns true for `<cluster>-pl-<i>-lb.…` and `<cluster>-pl-<i>-lb-<project_hash>.…`
 */
export function isLoadBalancerName(name: string): boolean {
  const [first = ""] = labelsOf(name) ?? [];
  return optimized.test(first) || legacyOptimized.test(first);
}

/** A host name that is being matched against the patterns. */
interface Context extends Omit<HostOfString, "name"> {
  readonly first: string;
  /** All labels, including the first one. */
  readonly labels: readonly string[];
  readonly knownDomain: string | undefined;
}

type Domain = Pick<Parts, "domain" | "providerLabel">;

function labelsOf(name: string): string[] | undefined {
  const labels = plainName(name)?.split(".") ?? [];
  const isAddress = /^\d+$/.test(labels.at(-1) ?? "");
  return labels.includes("") || isAddress || name.length > longestName + 1 ? undefined : labels;
}

/** Converts a name to lower case and removes a trailing dot. */
function plainName(name: string | undefined): string | undefined {
  return name?.toLowerCase().replace(/\.$/, "");
}

/** Classifies a node of a legacy host list. Its pattern determines where the domain starts. */
function classifyLegacyMember(context: Context): Classification | undefined {
  const { first, form, port } = context;
  const match = form === "hosts" && !member.test(first) ? legacyMember.exec(first) : null;
  if (match === null) return undefined;
  const [, cluster = "", of, shard = "", index = "", projectLabel = ""] = match;
  const domain = domainIn(context, 1);
  if (domain === undefined) return unknown;
  return {
    kind: "legacy",
    form,
    cluster,
    projectLabel,
    ...domain,
    port,
    node: node(of, shard, index),
  };
}

/**
 * Classifies a name that is recognized as legacy only by its number of labels: one less than a current
 * name, in which the project label is separate. Returns undefined for other names.
 */
function classifyLegacyName(context: Context): Classification | undefined {
  const { first, form, port, knownDomain } = context;
  const domain = domainIn(context, 1);
  const mayBeCurrent =
    knownDomain === undefined && domain?.domain.split(".").length !== assumedLabels;
  // `lb` at the end marks an optimized string; it is not a project label.
  if (domain === undefined || mayBeCurrent || optimized.test(first)) return undefined;
  const optimizedMatch = legacyOptimized.exec(first);
  if (optimizedMatch !== null) {
    const [, cluster, index, projectLabel = ""] = optimizedMatch;
    const endpoint = { cluster, endpointIndex: Number(index), legacy: true } as const;
    return { kind: "optimizedPrivateEndpoint", ...endpoint, form, projectLabel, ...domain, port };
  }
  const endpointMatch = legacyPrivateEndpoint.exec(first);
  if (endpointMatch !== null) {
    const [, cluster, index, region, projectLabel = ""] = endpointMatch;
    const endpoint = { cluster, endpointIndex: Number(index), region, legacy: true } as const;
    return { kind: "privateEndpoint", ...endpoint, form, projectLabel, ...domain, port };
  }
  const [, cluster, projectLabel = ""] = (form === "srv" ? legacyName.exec(first) : null) ?? [];
  if (cluster === undefined) return undefined;
  return { kind: "legacy", form, cluster, projectLabel, ...domain, port, node: undefined };
}

/** Classifies a current name, in which the project label follows a period. */
function classifyCurrent(context: Context): Classification {
  const { first, labels, form, port } = context;
  const projectLabel = labels[1];
  const domain = domainIn(context, 2);
  if (projectLabel === undefined || domain === undefined) return unknown;
  const parts: Parts = { form, projectLabel, ...domain, port };
  const nodeMatch = form === "hosts" ? member.exec(first) : null;
  if (nodeMatch !== null) {
    const [, cluster = "", of, shard = "", index = "", pri] = nodeMatch;
    const kind = pri === undefined ? "standard" : "peeringPrivate";
    return { kind, cluster, ...parts, node: node(of, shard, index) };
  }
  const optimizedMatch = optimized.exec(first);
  if (optimizedMatch !== null) {
    const [, cluster, index] = optimizedMatch;
    return { kind: "optimizedPrivateEndpoint", cluster, endpointIndex: Number(index), ...parts };
  }
  const endpointMatch = privateEndpoint.exec(first);
  if (endpointMatch !== null) {
    const [, cluster, index, region] = endpointMatch;
    return { kind: "privateEndpoint", cluster, endpointIndex: Number(index), region, ...parts };
  }
  if (form === "hosts") return unknown;
  const [, cluster] = peered.exec(first) ?? [];
  return cluster === undefined
    ? { kind: "standard", cluster: first, ...parts, node: undefined }
    : { kind: "peeringPrivate", cluster, ...parts, node: undefined };
}

function node(of: string | undefined, shard: string, index: string): Node {
  return { of: of === "config" ? "config" : "shard", shard, index };
}

/**
 * Returns the domain at the end of a host name.
 *
 * @param context the host name
 * @param start the index of the label that the domain starts with
 * @returns undefined if it is not the known domain, or if no label is left
 */
function domainIn(
  { first, labels, form, knownDomain }: Context,
  start: number,
): Domain | undefined {
  const whole = labels.slice(start).join(".");
  if (knownDomain !== undefined && whole === knownDomain) {
    return { domain: whole, providerLabel: undefined };
  }
  const provider = labels[start];
  if ((provider === "gcp" || provider === "azure") && labels.length > start + 1) {
    const domain = whole.slice(provider.length + 1);
    const known = knownDomain === undefined || domain === knownDomain;
    return known ? { domain, providerLabel: provider } : undefined;
  }
  // In a host list, and in an optimized name, the domain may be a single label.
  const fewest = form === "hosts" || optimized.test(first) ? 1 : assumedLabels;
  return knownDomain === undefined && labels.length - start >= fewest
    ? { domain: whole, providerLabel: undefined }
    : undefined;
}
