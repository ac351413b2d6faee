/**
 * Classifies strings by their host names (service document 2.6). Nothing constructs a string from these patterns
 * (docs/internals/decisions.md#0008-strings-as-returned).
 */
import { isDeepStrictEqual } from "node:util";
import { type StringForm, parseOrProblem } from "./parsing";

/**
 * The kind of a connection string and what all its host names have in common, as `classify` returns them. The comments
 * use placeholders such as `<cluster>` ([all of them](https://github.com/pulumi-clouddb/pulumi-clouddb/blob/main/docs/internals/service.md#26-connection-strings)).
 * All parts are in lower case.
 *
 * @example
 * const classification = classify("mongodb+srv://orders-pri.ab1cd.db.example");
 * if (classification.kind === "peeringPrivate") console.log(classification.cluster); // orders
 */
export type Classification =
  /** Public addresses, or private ones from peered networks in AWS (provider A). */
  | StandardString
  /** Private addresses inside a peered network. */
  | PeeringPrivateString
  /** The addresses of a private endpoint. */
  | PrivateEndpointString
  /** The addresses of a private endpoint, with `lb` in the host name. */
  | OptimizedPrivateEndpointString
  /** A standard or peering-private string with a hyphen before the project label. */
  | LegacyString
  /** Any other text. */
  | UnknownString;

/** A standard string, with public addresses, or private ones from peered networks in AWS (provider A). */
export interface StandardString extends NodeParts {
  /** Distinguishes the members of {@link Classification}. */
  readonly kind: "standard";
}

/** A peering-private string, with private addresses inside a peered network. */
export interface PeeringPrivateString extends NodeParts {
  /** Distinguishes the members of {@link Classification}. */
  readonly kind: "peeringPrivate";
}

/** A legacy string, with a hyphen before the project label. */
export interface LegacyString extends NodeParts {
  /** Distinguishes the members of {@link Classification}. */
  readonly kind: "legacy";
}

/** A private endpoint string, in its current form or the form used before 2020. */
export interface PrivateEndpointString extends EndpointParts {
  /** Distinguishes the members of {@link Classification}. */
  readonly kind: "privateEndpoint";
  /** `<region>`: the region of the private endpoint, such as `us-east-1`; undefined if the host name omits it. */
  readonly region: string | undefined;
}

/** A private endpoint string with `lb` in its host name. */
export interface OptimizedPrivateEndpointString extends EndpointParts {
  /** Distinguishes the members of {@link Classification}. */
  readonly kind: "optimizedPrivateEndpoint";
}

/** Text that is not a connection string, or a string that matches no pattern of the service. */
export interface UnknownString {
  /** Distinguishes the members of {@link Classification}. */
  readonly kind: "unknown";
}

/** The parts common to every known kind. */
interface CommonParts {
  /** `hosts` for a host list, `srv` for the name of an SRV record. */
  readonly form: StringForm;
  /** `<project_hash>`: the label of the project. */
  readonly projectLabel: string;
  /**
   * `<domain>`: the service's cluster domain, without a trailing dot and without `gcp` or `azure` before it, which the
   * hosts of a cluster outside AWS (provider A) have.
   */
  readonly domain: string;
}

/** The parts common to standard, peering-private and legacy strings. */
interface NodeParts extends CommonParts {
  /** `<cluster>`: the label of the cluster. */
  readonly cluster: string;
}

/** The parts common to both kinds of private endpoint string. */
interface EndpointParts extends CommonParts {
  /** `<cluster>`: the label of the cluster; undefined if the host name omits it. */
  readonly cluster: string | undefined;
  /** `<i>`: the index of the private endpoint in its cluster. */
  readonly endpointIndex: number;
  /** True for names from before 2020: `<cluster>-pl-0-<project_hash>.<domain>`. Absent for current names. */
  readonly legacy?: true;
}

/** Options of `classify`. */
export interface ClassifyOptions {
  /**
   * The service's cluster domain, for example `clusters.example`. A name alone can be ambiguous. A legacy SRV string
   * under a domain of three labels looks like a standard one under a domain of two. {@link clusterDomain} finds the
   * domain in the other strings of the cluster.
   *
   * @default a domain of two labels is assumed
   */
  readonly domain?: string | undefined;
}

/**
 * Classifies a connection string by its host names. All hosts of a list must have the same kind,
 * cluster, project label, domain, endpoint index, region and cloud. Private endpoint names from before
 * 2020 have kind `privateEndpoint` and `legacy: true`.
 *
 * A host list without a pattern of the service in its names, such as `-shard-00-00`, `-pri` or `pl-0`, is only
 * recognized with `domain`. An SRV name without a pattern is recognized by the number of its labels. A cluster that is
 * really called `orders-pe-0` looks like the private endpoint of a cluster `orders`.
 *
 * @param connectionString the string, in upper or lower case, with or without credentials and options
 * @param options the service's cluster domain, if it is known
 * @default options: a domain of two labels is assumed
 * @returns the kind, and the common parts of the host names; kind `unknown` for other text. Never throws.
 * @example
 * classify("mongodb+srv://orders-pl-0-lb.ab1cd.db.example").kind; // "optimizedPrivateEndpoint"
 */
export function classify(connectionString: string, options: ClassifyOptions = {}): Classification {
  const [firstHost = unknown, ...otherHosts] = classifyHosts(connectionString, options);
  const isOne = otherHosts.every((host) => isDeepStrictEqual(host, firstHost));
  const { cloud: _cloud, ...classification } = isOne ? firstHost : unknown;
  return classification;
}

/**
 * Determines the service's cluster domain from unambiguous strings, such as the standard host list of a cluster. Private
 * endpoint strings are ambiguous, because their names from before 2020 have one label fewer.
 *
 * @param connectionStrings strings of one service
 * @returns the domain of the first unambiguous string; undefined if there is none. Never throws.
 * @example
 * clusterDomain(["mongodb://orders-shard-00-00.ab1cd.db.example:27017"]); // "db.example"
 */
export function clusterDomain(connectionStrings: Iterable<string>): string | undefined {
  for (const text of connectionStrings) {
    const classification = classify(text);
    if (
      classification.kind === "peeringPrivate" ||
      classification.kind === "optimizedPrivateEndpoint" ||
      (classification.kind !== "unknown" && namesNodes(text))
    )
      return classification.domain;
  }
  return undefined;
}

/** Returns whether a host list names nodes, such as `orders-shard-00-00`. */
function namesNodes(hostList: string): boolean {
  const parsed = parseOrProblem(hostList);
  if (parsed.kind === "problem" || parsed.parts.form === "srv") return false;
  return parsed.parts.hosts.some(({ name }) => /^[^.]+-(?:shard|config)-\d\d-\d\d[-.]/i.test(name));
}

/** The classification of one host. */
export type HostClassification = Classification & {
  /** The cloud at the end of the name of a private endpoint: `aws`, `azure` or `gcp`. */
  readonly cloud?: string | undefined;
};

/** Classifies each host of a connection string separately, in order. Returns none for other text. */
export function classifyHosts(
  connectionString: string,
  { domain }: ClassifyOptions = {},
): HostClassification[] {
  const parsed = parseOrProblem(connectionString);
  if (parsed.kind === "problem") return [];
  const { form, hosts } = parsed.parts;
  return hosts.map(({ name }) => classifyHost(name, form, domain));
}

/** Returns whether any host is that of an optimized string. False for other text. */
export function isOptimized(connectionString: string): boolean {
  const parsed = parseOrProblem(connectionString);
  return (
    parsed.kind === "parsed" && parsed.parts.hosts.some(({ name }) => isLoadBalancerName(name))
  );
}

/** The classification of everything that matches no pattern. */
const unknown: UnknownString & HostClassification = { kind: "unknown" };

/** The number of labels to assume if the cluster domain is not known. */
const assumedLabelCount = 2;

/** A host name, in lower case. */
interface HostName {
  readonly labels: readonly string[];
  readonly form: StringForm;
  readonly knownDomain: string | undefined;
}

/** Classifies one host name. Assumes a domain of two labels for ambiguous names without a known domain. */
function classifyHost(name: string, form: StringForm, domain?: string): HostClassification {
  const labels = labelsOf(name);
  if (labels === undefined) return unknown;
  const host: HostName = { labels, form, knownDomain: normalizedName(domain) };
  const legacy = legacyPartsOf(host);
  return legacy === undefined ? classifyCurrent(host) : classifyLegacy(legacy, host);
}

/** The parts of a legacy name, `<name>-<project label>.<domain>`. */
interface LegacyParts {
  readonly name: string;
  readonly projectLabel: string;
  /** Undefined if the name is too short, or its domain is not the known one. */
  readonly domain: string | undefined;
}

/** Returns the parts of a legacy name. Returns undefined if the name has its current form. */
function legacyPartsOf({ labels, form, knownDomain }: HostName): LegacyParts | undefined {
  const [firstLabel = "", ...rest] = labels;
  const parts = isNode(firstLabel, form) ? undefined : legacyNameOf(firstLabel);
  if (parts === undefined) return undefined;
  if (isNode(parts.name, form)) return { ...parts, domain: domainFrom(rest, 1, knownDomain) };
  // Any other legacy name is recognized because it has one label fewer than a current name.
  const domain = domainFrom(rest, assumedLabelCount, knownDomain);
  const isShorter = knownDomain !== undefined || domain?.split(".").length === assumedLabelCount;
  // `lb` at the end marks an optimized string; it is not a project label.
  const isLegacy = domain !== undefined && isShorter && !patterns.optimized.test(firstLabel);
  return isLegacy ? { ...parts, domain } : undefined;
}

/** Classifies a legacy name. Returns `unknown` for another domain, or if any host list could have the name. */
function classifyLegacy(
  { name, projectLabel, domain }: LegacyParts,
  { form, knownDomain }: HostName,
): HostClassification {
  const current = readName(name, form, knownDomain);
  if (domain === undefined || current === undefined) return unknown;
  const parts = { form, projectLabel, domain };
  return current.kind === "privateEndpoint" || current.kind === "optimizedPrivateEndpoint"
    ? { ...current, legacy: true, ...parts }
    : { ...current, kind: "legacy", ...parts };
}

/** Classifies `<name>.<project label>.<domain>`. */
function classifyCurrent({ labels, form, knownDomain }: HostName): HostClassification {
  const [firstLabel = "", projectLabel, ...rest] = labels;
  // A name that matches a pattern may belong to a domain of one label.
  const matchesPattern =
    isNode(firstLabel, form) ||
    patterns.optimized.test(firstLabel) ||
    (form === "hosts" && patterns.privateEndpoint.test(firstLabel));
  const domain = domainFrom(rest, matchesPattern ? 1 : assumedLabelCount, knownDomain);
  if (projectLabel === undefined || domain === undefined) return unknown;
  const named = readClusterEndpoint(firstLabel) ?? readName(firstLabel, form, knownDomain);
  return named === undefined ? unknown : { ...named, form, projectLabel, domain };
}

/** Returns whether a name is that of a node, which only a host list contains. */
function isNode(name = "", form: StringForm): boolean {
  return form === "hosts" && patterns.node.test(name);
}

/** Returns the domain of a host name; undefined if the name is too short or the domain is not the known one. */
function domainFrom(
  labels: readonly string[],
  minLabelCount: number,
  knownDomain: string | undefined,
): string | undefined {
  const ending = labels.join(".");
  const [label] = labels;
  if (ending !== knownDomain && (label === "gcp" || label === "azure") && labels.length > 1) {
    const domain = ending.slice(label.length + 1);
    return knownDomain === undefined || domain === knownDomain ? domain : undefined;
  }
  const isDomain =
    knownDomain === undefined ? labels.length >= minLabelCount : ending === knownDomain;
  return isDomain ? ending : undefined;
}

/**
 * Match what precedes the project label (service document 2.6), such as `<cluster>-shard-00-01-pri`. Each comment
 * begins with what the pattern captures.
 */
const patterns = {
  /** Cluster, `-pri`. Some services list config servers among the hosts of a sharded cluster. */
  node: /^(.+)-(?:shard|config)-\d{2}-\d{2}(-pri)?$/,
  /** Cluster, endpoint index. */
  optimized: /^(?:(.+)-)?pl-(\d+)-(?:.+-)?lb$/,
  /** Cluster, endpoint index, region, cloud. Some services add a node index and the cloud. */
  privateEndpoint: /^(?:(.+)-)?pl-(\d+)(?:-\d{3})?(?:-(.+?))?(?:-(aws|azure|gcp))?$/,
  /**
   * Cluster, endpoint index. The names of port-based endpoints in Google Cloud, and of endpoints of serverless clusters
   * (docs/reference/service-differences.md#private-endpoints has the sources). Legacy names have no such form.
   */
  clusterEndpoint: /^(.+)-(?:psc|pe)-(\d+)$/,
  /** Cluster. */
  peered: /^(.+)-pri$/,
};

/** Reads the part of a host name before the project label. Returns undefined if any host can have the name. */
function readName(name: string, form: StringForm, knownDomain: string | undefined) {
  const nodeMatch = form === "hosts" ? patterns.node.exec(name) : null;
  if (nodeMatch !== null) {
    const [, cluster = "", pri] = nodeMatch;
    return { kind: pri === undefined ? "standard" : "peeringPrivate", cluster } as const;
  }
  const optimized = patterns.optimized.exec(name);
  if (optimized !== null) {
    const [, cluster, index] = optimized;
    return { kind: "optimizedPrivateEndpoint", cluster, endpointIndex: Number(index) } as const;
  }
  const privateEndpoint = patterns.privateEndpoint.exec(name);
  if (privateEndpoint !== null) {
    const [, cluster, index, region, cloud] = privateEndpoint;
    const parts = { cluster, endpointIndex: Number(index), region };
    return { kind: "privateEndpoint", ...parts, ...(cloud && { cloud }) } as const;
  }
  const [, peered] = patterns.peered.exec(name) ?? [];
  if (peered !== undefined) return { kind: "peeringPrivate", cluster: peered } as const;
  // A host of any list can be called db.internal.example.com:27017.
  const isKnown = form === "srv" || knownDomain !== undefined;
  return isKnown ? ({ kind: "standard", cluster: name } as const) : undefined;
}

/** Reads the name of a private endpoint that is named after its cluster. Returns undefined for any other name. */
function readClusterEndpoint(name: string) {
  const [, cluster, index] = patterns.clusterEndpoint.exec(name) ?? [];
  if (cluster === undefined) return undefined;
  const endpointIndex = Number(index);
  return { kind: "privateEndpoint", cluster, endpointIndex, region: undefined } as const;
}

/** Splits a legacy label at its last hyphen, because a project label contains none (service document 2.6 rule 1). */
function legacyNameOf(firstLabel: string): { name: string; projectLabel: string } | undefined {
  const [, name, projectLabel] = /^(.+)-([a-z0-9]+)$/.exec(firstLabel) ?? [];
  return name === undefined || projectLabel === undefined ? undefined : { name, projectLabel };
}

/** Returns whether the name has `lb` where an optimized string has it, under any domain. */
function isLoadBalancerName(name: string): boolean {
  const [firstLabel = ""] = labelsOf(name) ?? [];
  const names = [firstLabel, legacyNameOf(firstLabel)?.name ?? ""];
  return names.some((part) => patterns.optimized.test(part));
}

/** Splits a name into lower-case labels. Undefined for an address or an empty label. */
function labelsOf(name: string): string[] | undefined {
  const labels = normalizedName(name)?.split(".") ?? [];
  const isAddress = /^\d+$/.test(labels.at(-1) ?? "");
  return labels.includes("") || isAddress ? undefined : labels;
}

/** Converts the name of a host or domain to lower case and removes a trailing dot. */
function normalizedName(name: string | undefined): string | undefined {
  return name?.toLowerCase().replace(/\.$/, "");
}
