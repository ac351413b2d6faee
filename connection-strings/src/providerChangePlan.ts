/** The types for the facts about a change of cloud provider, and for the plan. */
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
  /** The virtual network of the cluster is peered. */
  readonly peered: boolean;
  /** The cluster spans several regions after the change. */
  readonly multiRegion: boolean;
  /** Private IP mode of the project is enabled. */
  readonly privateIpMode: boolean;
  /**
   * Applications use private endpoint strings, which exist in providers A and B only.
   *
   * @default not known: a warning explains the consequences; true if `optimizedString` is true
   */
  readonly privateEndpoints?: boolean | undefined;
  /**
   * Applications use the optimized private endpoint string, which exists in provider A only (rule 4).
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

/** What happens to the string that applications use. `unknown`: the service's document does not say. */
export type StringChange = "unchanged" | "mayChange" | "changes" | "unknown";

/** The plan that `planProviderChange` returns. */
export interface ProviderChangePlan {
  /**
   * What happens to the string that applications use, according to the given facts. A warning names
   * each missing fact that could change this.
   */
  readonly connectionString: StringChange;
  /** The steps in order. Empty if there is nothing to change. */
  readonly steps: readonly Advice[];
  readonly warnings: readonly Advice[];
}

/** One step or warning of a plan. */
export interface Advice {
  /** The rule of service document 2.6 behind the advice, or its table of connection strings. */
  readonly rule: 3 | 4 | 6 | 9 | 10 | 11 | "table";
  readonly text: string;
}

/** The plan for the applications in one kind of network. */
export interface NetworkPlan {
  readonly connectionString: StringChange;
  /** Steps to take before the change of provider. */
  readonly before: readonly Advice[];
  /** Steps to take after the change of provider. */
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
 * Creates a step or a warning.
 *
 * @param rule the rule behind it
 * @param text what to do, or what to know
 * @returns the advice
 */
export function advice(rule: Advice["rule"], text: string): Advice {
  return { rule, text };
}
