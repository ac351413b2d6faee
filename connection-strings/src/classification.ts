/** The kinds of connection string in service document 2.6, and the parts of their host names. */

/**
 * The kind of a connection string and the parts of its host names, as `classify` returns them. The
 * placeholders in the comments, such as `<cluster>`, are those of service document 2.6. All parts are in
 * lower case.
 *
 * @example
 * const classification = classify("db+srv://orders-pri.ab1cd.db.example");
 * if (classification.kind === "peeringPrivate") console.log(classification.cluster); // orders
 */
export type Classification =
  | StandardString
  | PeeringPrivateString
  | PrivateEndpointString
  | OptimizedPrivateEndpointString
  | LegacyString
  | UnknownString;

/** A standard string: public addresses, or private ones from peered networks in provider A. */
export interface StandardString extends NodeParts {
  /** Distinguishes the members of {@link Classification}. */
  readonly kind: "standard";
}

/** A peering-private string: private addresses inside a peered network. */
export interface PeeringPrivateString extends NodeParts {
  /** Distinguishes the members of {@link Classification}. */
  readonly kind: "peeringPrivate";
}

/**
 * A legacy standard or peering-private string, with a hyphen before the project label (service document
 * 2.6 rule 1).
 */
export interface LegacyString extends NodeParts {
  /** Distinguishes the members of {@link Classification}. */
  readonly kind: "legacy";
}

/** A private endpoint string, in its current form or the form used before 2020. */
export interface PrivateEndpointString extends EndpointParts {
  /** Distinguishes the members of {@link Classification}. */
  readonly kind: "privateEndpoint";
  /** `<region>`, for example `us-east-1`; undefined if the host name omits it, as on some services. */
  readonly region: string | undefined;
}

/** A private endpoint string with `lb` in its host name. */
export interface OptimizedPrivateEndpointString extends EndpointParts {
  /** Distinguishes the members of {@link Classification}. */
  readonly kind: "optimizedPrivateEndpoint";
}

/** Text that is not a connection string, or a string that matches no pattern of the service document. */
export interface UnknownString {
  /** Distinguishes the members of {@link Classification}. */
  readonly kind: "unknown";
}

/** A node of a cluster, as its host name identifies it: `<cluster>-shard-<shard>-<index>`. */
export interface Node {
  /** Some services list the config servers of a sharded cluster among its hosts. */
  readonly of: "shard" | "config";
  /** The number of the shard: two digits, as in the host name. */
  readonly shard: string;
  /** `<nn>`: the index of the node in its shard; two digits, as in the host name. */
  readonly index: string;
}

/** The parts common to every known kind. */
export interface Parts {
  /** `hosts` for a host list, `srv` for the name of an SRV record. */
  readonly form: "hosts" | "srv";
  /** `<project_hash>`. */
  readonly projectLabel: string;
  /** `<domain>`: the service's cluster domain, without a trailing dot. */
  readonly domain: string;
  /** `gcp` or `azure` before the domain: a cluster outside provider A (service document 2.6 rule 9). */
  readonly providerLabel: string | undefined;
  /** The port of the first host; undefined in SRV form. */
  readonly port: number | undefined;
}

/** The parts common to standard, peering-private and legacy strings. */
interface NodeParts extends Parts {
  /** `<cluster>`. */
  readonly cluster: string;
  /** The node of the first host; undefined in SRV form, and if the host name does not contain one. */
  readonly node: Node | undefined;
}

/** The parts common to both kinds of private endpoint string. */
interface EndpointParts extends Parts {
  /** `<cluster>`; undefined if the host name omits it. */
  readonly cluster: string | undefined;
  /** `<i>`. */
  readonly endpointIndex: number;
  /**
   * True for names from before 2020, which have a hyphen instead of a period before the project
   * label: `<cluster>-pl-0-<project_hash>.<domain>`. Absent for current names.
   */
  readonly legacy?: true;
}
