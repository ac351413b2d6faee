/** The types of `select`: the request of an application, and the result. */
import type { ConnectionStringKind } from "./connectionStringKind";
import type { PrivateEndpointNetwork } from "./endpointMatching";

/**
 * The network that the application runs in. It determines the kind of connection string (service
 * document 2.6).
 *
 * @example
 * const network: Network = { kind: "privateEndpoint", region: "us-east-1" };
 */
export type Network =
  /** The Internet. */
  | {
      /** Distinguishes the kinds of network. */
      readonly kind: "internet";
    }
  /** A virtual network peered with the cluster's. */
  | {
      /** Distinguishes the kinds of network. */
      readonly kind: "peering";
    }
  /** A virtual network with a private endpoint. If there are several, the ID or region identifies one. */
  | PrivateEndpointNetwork;

/** Which string an application needs. */
export interface Wanted {
  /**
   * The network that the application runs in.
   *
   * @default { kind: "internet" }
   */
  readonly network?: Network | undefined;
  /**
   * SRV form, or the list of hosts.
   *
   * @default "srv"
   */
  readonly form?: "srv" | "hosts" | undefined;
  /**
   * True requires the optimized SRV string. False excludes optimized strings, which are recognized by
   * their host name.
   *
   * @default the optimized string if there is one, else the plain one (service document 2.6 rule 8)
   */
  readonly optimized?: boolean | undefined;
}

/** The result of `select`. Check its `kind` first. */
export type Selection =
  /** The cluster has the requested string. */
  | {
      /** Distinguishes the results. */
      readonly kind: "selected";
      /** The string, exactly as the service returned it. */
      readonly connectionString: string;
      /** The kind of the string. */
      readonly connectionStringKind: ConnectionStringKind;
    }
  /** The cluster does not have the requested string, but may get it later. */
  | {
      /** Distinguishes the results. */
      readonly kind: "missing";
      /** The name of the missing string, for messages. */
      readonly missing: string;
      /** The reason, what to do, and which strings exist: sentences for a message. */
      readonly why: string;
      /** The property of {@link Wanted} that requires the missing string. */
      readonly property: "network" | "optimized";
    }
  /** The request matches several strings, or can never match one. Waiting does not help. */
  | {
      /** Distinguishes the results. */
      readonly kind: "unclear";
      /** What is wrong with the request: a sentence for a message. */
      readonly problem: string;
      /** The property of {@link Wanted} to change. */
      readonly property: "network" | "optimized";
    };
