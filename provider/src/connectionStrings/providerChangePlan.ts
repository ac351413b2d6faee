/** The facts about a change of cloud provider, and the plan made of them. */
import type { CloudProvider } from "./optimizedSrv";

/** The facts about a cluster and its applications that `planProviderChange` needs. */
export interface ProviderChange {
  readonly tier: "free" | "flex" | "dedicated";
  readonly from: CloudProvider;
  readonly to: CloudProvider;
  /** When the cluster was created: an ISO 8601 date, in UTC unless it names a zone. */
  readonly createdAt: string;
  /** Applications use a legacy string (rule 1). */
  readonly legacyString: boolean;
  /** The cluster has legacy backups. */
  readonly legacyBackups: boolean;
  /** Its virtual network is peered. */
  readonly peered: boolean;
  /** It spans several regions after the change. */
  readonly multiRegion: boolean;
  /** Private IP mode of its project is enabled. */
  readonly privateIpMode: boolean;
  /**
   * Applications use private endpoint strings, which exist in providers A and B only.
   *
   * @default not known: a warning says what it would mean; true if `optimizedString` is true
   */
  readonly privateEndpoints?: boolean | undefined;
  /**
   * Applications use the optimized private endpoint string, which exists in provider A only (rule 4).
   *
   * @default not known: a warning says what it would mean
   */
  readonly optimizedString?: boolean | undefined;
  /**
   * Peered networks use a custom DNS service, with which provider A needs the peering-private string.
   *
   * @default not known: a warning says what it would mean
   */
  readonly customDns?: boolean | undefined;
}

/** What happens to the string that applications use. `unknown`: the service's document does not say. */
export type StringChange = "unchanged" | "mayChange" | "changes" | "unknown";

/** The plan that `planProviderChange` returns. */
export interface ProviderChangePlan {
  /**
   * What happens to the string that applications use, by the facts that are given. A warning names
   * each missing fact that could change the answer.
   */
  readonly connectionString: StringChange;
  /** In this order. Empty if there is nothing to change. */
  readonly steps: readonly Advice[];
  readonly warnings: readonly Advice[];
}

/** One step or warning of a plan. */
export interface Advice {
  /** The rule of service document 2.6 that it comes from, or the table of connection strings there. */
  readonly rule: 3 | 4 | 6 | 9 | 10 | 11 | "table";
  readonly text: string;
}

/** What a change means for the applications of one kind of network. */
export interface NetworkPlan {
  readonly connectionString: StringChange;
  /** Steps to take before the cluster changes its provider. */
  readonly before: readonly Advice[];
  /** Steps to take after that. */
  readonly after: readonly Advice[];
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
 * Makes a step or a warning.
 *
 * @param rule the rule that it comes from
 * @param text what to do, or what to know
 * @returns the advice
 */
export function advice(rule: Advice["rule"], text: string): Advice {
  return { rule, text };
}
