/** The types for the facts about a change of cloud provider, and for the plan. */
import type { CloudProvider } from "./optimizedSrv";

/** The facts about a cluster and its applications that `planProviderChange` needs. */
export interface ProviderChange {
  /** The tier of the cluster: Free, Flex or dedicated. */
  readonly tier: "free" | "flex" | "dedicated";
  /** The cloud provider before the change. */
  readonly from: CloudProvider;
  /** The cloud provider after the change. The same as `from` if only the regions change. */
  readonly to: CloudProvider;
  /** When the cluster was created: an ISO 8601 date, in UTC unless it includes a time zone. */
  readonly createdAt: string;
  /** Applications use a legacy string (service document 2.6 rule 1). */
  readonly legacyString: boolean;
  /** The cluster has legacy backups. */
  readonly legacyBackups: boolean;
  /** The cluster's virtual network is peered with networks of applications. */
  readonly peered: boolean;
  /** The cluster has several regions after the change. */
  readonly multiRegion: boolean;
  /** Private IP mode of the project is enabled (service document 3). */
  readonly privateIpMode: boolean;
  /**
   * Applications use private endpoint strings, which exist in providers A and B only.
   *
   * @default not known: a warning explains the consequences; true if `optimizedString` is true
   */
  readonly privateEndpoints?: boolean | undefined;
  /**
   * Applications use the optimized private endpoint string, which exists in provider A only (service
   * document 2.6 rule 4).
   *
   * @default not known: a warning explains the consequences
   */
  readonly optimizedString?: boolean | undefined;
  /**
   * Peered networks use a custom DNS service. In provider A, they then need the peering-private string.
   *
   * @default not known: a warning explains the consequences
   */
  readonly customDns?: boolean | undefined;
}

/** What happens to the string that applications use. */
export type StringChange =
  /** The string stays the same. */
  | "unchanged"
  /** The string may change. */
  | "mayChange"
  /** The string changes. */
  | "changes"
  /** The service document does not say. */
  | "unknown";

/** The plan that `planProviderChange` returns. */
export interface ProviderChangePlan {
  /**
   * What happens to the string that applications use, according to the known facts. A warning names
   * each missing fact that could change this.
   */
  readonly connectionString: StringChange;
  /** The steps in order. Empty if there is nothing to change. */
  readonly steps: readonly Advice[];
  /** What to watch out for, and which missing facts matter. */
  readonly warnings: readonly Advice[];
}

/** One step or warning of a plan. */
export interface Advice {
  /** The rule of service document 2.6 behind the advice, or its table of connection strings. */
  readonly rule: 3 | 4 | 6 | 9 | 10 | 11 | "table";
  /** What to do, or what to know: a sentence for a message. */
  readonly text: string;
}

/** The plan for the applications in one kind of network. */
export interface NetworkPlan {
  /** What happens to the string of these applications. */
  readonly connectionString: StringChange;
  /** Steps to take before the change of provider. */
  readonly before: readonly Advice[];
  /** Steps to take after the change of provider. */
  readonly after: readonly Advice[];
  /** What to watch out for, and which missing facts matter. */
  readonly warnings: readonly Advice[];
}

/** The plan for a kind of network that the cluster does not have. */
export const nothingToDo: NetworkPlan = {
  connectionString: "unchanged",
  before: [],
  after: [],
  warnings: [],
};

/**
 * Creates a step or a warning.
 *
 * @param rule the rule behind it
 * @param text what to do, or what to know
 * @returns the advice
 */
export function advice(rule: Advice["rule"], text: string): Advice {
  return { rule, text };
}
