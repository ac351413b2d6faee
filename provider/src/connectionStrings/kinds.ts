/**
 * The kinds of connection string of service document 2.6, told by their host names. Patterns only
 * classify and check: a string is always used as the service gave it.
 */
import { parseOrProblem } from "./parsing";

/** What the host names of a connection string say of it. */
export type Classification =
  | StandardString
  | PeeringPrivateString
  | PrivateEndpointString
  | OptimizedPrivateEndpointString
  | LegacyString
  | UnknownString;

interface Parts {
  readonly form: "hosts" | "srv";
  /** `<project_hash>`. */
  readonly projectLabel: string;
  /** `<domain>`: the service's cluster domain. */
  readonly domain: string;
  /** `gcp` or `azure` before the domain: a cluster outside provider A (rule 9). */
  readonly providerLabel: string | undefined;
  /** Of the first host; undefined in SRV form. */
  readonly port: number | undefined;
}

interface NodeParts extends Parts {
  /** `<cluster>`. */
  readonly cluster: string;
  /** Of the first host, in a host list. */
  readonly node: Node | undefined;
}

export interface Node {
  /** A config server of a sharded cluster has its place in host lists of some services. */
  readonly of: "shard" | "config";
  /** Two digits, as in the host name. */
  readonly shard: string;
  /** `<nn>`: two digits, as in the host name. */
  readonly index: string;
}

export interface StandardString extends NodeParts {
  readonly kind: "standard";
}

export interface PeeringPrivateString extends NodeParts {
  readonly kind: "peeringPrivate";
}

export interface LegacyString extends NodeParts {
  readonly kind: "legacy";
}

export interface PrivateEndpointString extends Parts {
  readonly kind: "privateEndpoint";
  /** In the SRV form where the regionalized setting is enabled. */
  readonly cluster: string | undefined;
  /** `<i>`. */
  readonly endpointIndex: number;
  /** Left out of the host name by some services. */
  readonly region: string | undefined;
}

export interface OptimizedPrivateEndpointString extends Parts {
  readonly kind: "optimizedPrivateEndpoint";
  readonly cluster: string | undefined;
  readonly endpointIndex: number;
}

/** A form that the document does not show, or no connection string at all. */
export interface UnknownString {
  readonly kind: "unknown";
}

export interface ClassifyOptions {
  /**
   * The service's cluster domain, for example `clusters.example`. By its name alone a legacy SRV
   * string of a domain of three labels looks like a standard one of a domain of two: without this,
   * a domain of two labels is assumed. {@link clusterDomain} finds it in a cluster's other strings.
   */
  readonly domain?: string | undefined;
}

/**
 * The kind of a connection string, and its parts. All hosts of a list must be of one kind. Text that
 * is no connection string is of kind `unknown`; nothing is thrown.
 */
export function classify(
  connectionString: string,
  { domain }: ClassifyOptions = {},
): Classification {
  const parsed = parseOrProblem(connectionString);
  if (!("hosts" in parsed)) return unknown;
  const [first = unknown, ...others] = parsed.hosts.map(({ name, port }) =>
    classifyHost(name.toLowerCase(), port, parsed.form, domain?.toLowerCase()),
  );
  return others.every(({ kind }) => kind === first.kind) ? first : unknown;
}

/**
 * The service's cluster domain, learned from strings whose form leaves no doubt, such as a cluster's
 * standard host list; undefined where there is none.
 */
export function clusterDomain(connectionStrings: Iterable<string>): string | undefined {
  for (const text of connectionStrings) {
    const classification = classify(text);
    if (classification.kind === "unknown") continue;
    const { form, kind, domain } = classification;
    if (form === "hosts" || (kind !== "standard" && kind !== "legacy")) return domain;
  }
  return undefined;
}

const unknown: UnknownString = { kind: "unknown" };

/** What stands before the project label: `<cluster>-shard-00-01-pri`, `pl-0-us-east-1`, and so on. */
const member = /^(.+)-(shard|config)-(\d{2})-(\d{2})(-pri)?$/;
const optimized = /^(?:(.+)-)?pl-(\d+)-(?:.+-)?lb$/;
const privateEndpoint = /^(?:(.+)-)?pl-(\d+)(?:-(.+))?$/;
const peered = /^(.+)-pri$/;

/** What has a hyphen before the project label (rule 1). */
const legacyMember = /^(.+)-(shard|config)-(\d{2})-(\d{2})(?:-pri)?-([a-z0-9]+)$/;
const legacyName = /^(.+)-([a-z0-9]+)$/;

function classifyHost(
  name: string,
  port: number | undefined,
  form: "hosts" | "srv",
  knownDomain: string | undefined,
): Classification {
  const labels = name.split(".");
  const isAddress = /^\d+$/.test(labels.at(-1) ?? "");
  // The longest name that DNS allows; it also bounds the work of the patterns.
  if (labels.includes("") || isAddress || name.length > 253) return unknown;
  const [first = ""] = labels;
  const domainFrom = (start: number) => domainIn(labels.slice(start), form, knownDomain);
  const legacy = (cluster: string, projectLabel: string, node: Node | undefined) => {
    const domain = domainFrom(1);
    return domain === undefined
      ? unknown
      : { kind: "legacy" as const, form, cluster, projectLabel, ...domain, port, node };
  };

  const legacyNodeMatch = form === "hosts" && !member.test(first) ? legacyMember.exec(first) : null;
  if (legacyNodeMatch !== null) {
    const [, cluster = "", of, shard = "", index = "", projectLabel = ""] = legacyNodeMatch;
    return legacy(cluster, projectLabel, {
      of: of === "config" ? "config" : "shard",
      shard,
      index,
    });
  }
  // By its labels alone: one less than a standard name, whose project label stands for itself.
  const behind = form === "srv" ? domainFrom(1) : undefined;
  const hasRoom = knownDomain === undefined && behind?.domain.split(".").length !== assumedLabels;
  const [, cluster, label = ""] = legacyName.exec(first) ?? [];
  if (behind !== undefined && !hasRoom && cluster !== undefined) {
    return legacy(cluster, label, undefined);
  }
  const projectLabel = labels[1];
  const domain = domainFrom(2);
  if (projectLabel === undefined || domain === undefined) return unknown;
  return classifyCurrent(first, { form, projectLabel, ...domain, port });
}

/** The kind of a name that is no legacy one: its project label stands behind a period. */
function classifyCurrent(first: string, parts: Parts): Classification {
  const nodeMatch = member.exec(first);
  if (nodeMatch !== null && parts.form === "hosts") {
    const [, cluster = "", of, shard = "", index = "", pri] = nodeMatch;
    const node: Node = { of: of === "config" ? "config" : "shard", shard, index };
    return { kind: pri === undefined ? "standard" : "peeringPrivate", cluster, ...parts, node };
  }
  const loadBalancerMatch = optimized.exec(first);
  if (loadBalancerMatch !== null && parts.form === "srv") {
    const [, cluster, index] = loadBalancerMatch;
    return { kind: "optimizedPrivateEndpoint", cluster, endpointIndex: Number(index), ...parts };
  }
  const endpointMatch = privateEndpoint.exec(first);
  if (endpointMatch !== null) {
    const [, cluster, index, region] = endpointMatch;
    return { kind: "privateEndpoint", cluster, endpointIndex: Number(index), region, ...parts };
  }
  if (parts.form === "hosts") return unknown;
  const [, cluster] = peered.exec(first) ?? [];
  return cluster === undefined
    ? { kind: "standard", cluster: first, ...parts, node: undefined }
    : { kind: "peeringPrivate", cluster, ...parts, node: undefined };
}

/** Labels of a cluster domain that is not known. */
const assumedLabels = 2;

/** The domain of the labels behind a name; undefined where it is not the one that is known, or none. */
function domainIn(
  labels: readonly string[],
  form: "hosts" | "srv",
  knownDomain: string | undefined,
): Pick<Parts, "domain" | "providerLabel"> | undefined {
  const [first, ...rest] = labels;
  const whole = labels.join(".");
  if (knownDomain !== undefined && whole === knownDomain) {
    return { domain: whole, providerLabel: undefined };
  }
  if ((first === "gcp" || first === "azure") && rest.length > 0) {
    const domain = rest.join(".");
    const known = knownDomain === undefined || domain === knownDomain;
    return known ? { domain, providerLabel: first } : undefined;
  }
  // The names of a host list leave no doubt where the domain begins, however short it is.
  const fewest = form === "hosts" ? 1 : assumedLabels;
  return knownDomain === undefined && labels.length >= fewest
    ? { domain: whole, providerLabel: undefined }
    : undefined;
}
