/**
 * Predicts what happens to the connection strings of a cluster that moves to another cloud provider or to other
 * regions. A table contains rules 3 to 11 of service document 2.6, and `planMove` applies it to a cluster.
 */
import gte from "semver/functions/gte";
import semverParse from "semver/functions/parse";
import { regionKey } from "./privateEndpoints";

/** The service's cloud providers, as the service document names them. */
export type CloudProvider =
  /** Has private endpoints and optimized strings. */
  | "A"
  /** Has private endpoints. */
  | "B"
  /** Has no private endpoints. */
  | "C";

/** Facts about a cluster for `planMove`. A fact that is omitted or undefined counts as unknown. */
export interface MoveFacts {
  /** The cloud provider of the cluster before the move. */
  readonly provider: CloudProvider;
  /** The kind of cluster. */
  readonly tier: "dedicated" | "free" | "flex";
  /** When the cluster was created. */
  readonly createdAt?: Date | undefined;
  /** The regions of the cluster before the move, in any spelling. */
  readonly regions?: readonly string[] | undefined;
  /** The database version, `<major>.<minor>` or `<major>.<minor>.<patch>`. */
  readonly version?: string | undefined;
  /** The cluster is sharded. */
  readonly sharded?: boolean | undefined;
  /** The cluster has network peering. */
  readonly peered?: boolean | undefined;
  /** Peered networks use a custom DNS service. */
  readonly customDns?: boolean | undefined;
  /** Private IP mode of the project is enabled (service document 3). */
  readonly privateIpMode?: boolean | undefined;
  /** The cluster has private endpoints. */
  readonly privateEndpoints?: boolean | undefined;
  /** Regionalized private endpoints are enabled. */
  readonly regionalized?: boolean | undefined;
  /** The cluster has an optimized string. */
  readonly optimized?: boolean | undefined;
  /** The applications' driver supports optimized connections. Its documentation states the minimum version. */
  readonly driver?: boolean | undefined;
  /** The cluster has legacy strings (service document 2.6 rule 1). */
  readonly legacyStrings?: boolean | undefined;
  /** The cluster has legacy backups. */
  readonly legacyBackups?: boolean | undefined;
}

/** A region of the cluster after the move. */
export interface MoveTarget {
  /** The cloud provider of the region. */
  readonly provider: CloudProvider;
  /**
   * The region, in any spelling.
   *
   * @default not known; a single target without a region keeps the number of regions
   */
  readonly region?: string | undefined;
}

/** What happens to a connection string. */
export type StringChange =
  /** The string stays the same. */
  | "unchanged"
  /** The service document does not say. */
  | "unknown"
  /** The string may change. */
  | "mayChange"
  /** The string changes. */
  | "changes"
  /** The string stops working, and none replaces it. */
  | "ends";

/** A step or a warning. */
export interface MoveAdvice {
  /** The rule of service document 2.6 behind the advice, or its table of connection strings. */
  readonly rule: 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10 | 11 | "table";
  /** The step or warning, as a sentence for a message. */
  readonly text: string;
  /**
   * The conditions that missing facts leave open, such as `if the cluster is sharded` and `unless regionalized
   * private endpoints are enabled`. The advice applies if all of them hold. Absent if it applies in any case.
   */
  readonly conditions?: readonly string[];
}

/** The result of `planMove`. */
export interface MovePlan {
  /** What happens to the standard, peering-private and legacy host lists. */
  readonly hosts: StringChange;
  /** What happens to the standard, peering-private and legacy SRV strings. */
  readonly srv: StringChange;
  /** What happens to the host lists and the plain SRV strings of private endpoints. */
  readonly privateEndpoint: StringChange;
  /** What happens to the optimized SRV strings of private endpoints. */
  readonly optimized: StringChange;
  /** The steps in order. Empty if there is nothing to do. */
  readonly steps: readonly MoveAdvice[];
  /** What to watch out for. */
  readonly warnings: readonly MoveAdvice[];
  /** The missing facts on which the plan depends. */
  readonly missing: readonly (keyof MoveFacts)[];
}

/**
 * Plans the move of a cluster to another cloud provider or to other regions: what happens to its strings, which
 * steps to take, and what to watch out for (service document 2.6 rules 3 to 11).
 *
 * @param facts what is known about the cluster
 * @param targets the regions of the cluster after the move, at least one
 * @returns the plan. It covers every possibility that the facts leave open, and lists the missing facts. Never
 * throws; an invalid version or date counts as unknown.
 * @example
 * const plan = planMove({ provider: "A", tier: "dedicated", peered: true }, [{ provider: "B" }]);
 * plan.steps[0]?.text; // "Change the applications in peered networks to the peering-private strings, ..."
 */
export function planMove(facts: MoveFacts, targets: readonly MoveTarget[]): MovePlan {
  const move = { facts, targets };
  const rows = moveRules
    .filter(({ when }) => when.every(({ isTrue }) => isTrue(move) !== false))
    .map(({ when, ...row }) => {
      return { ...row, conditions: when.filter(({ isTrue }) => isTrue(move) === undefined) };
    });
  const changeOf = (kind: MovedKind) => {
    const changes = rows.map(({ changes: { [kind]: change } = {}, conditions }) =>
      change !== undefined && conditions.length > 0 ? "mayChange" : change,
    );
    return severity.findLast((each) => changes.includes(each)) ?? "unchanged";
  };
  const adviceOf = (type: "step" | "warn") =>
    rows.flatMap(({ rule, conditions, [type]: template }): MoveAdvice[] => {
      if (template === undefined) return [];
      const clauses = conditions.map(({ clause }) => clause);
      const text = fill(template, move);
      return [{ rule, text, ...(clauses.length > 0 ? { conditions: clauses } : {}) }];
    });
  const missing = rows.flatMap(({ conditions }) => conditions.map(({ fact }) => fact));
  return {
    hosts: changeOf("hosts"),
    srv: changeOf("srv"),
    privateEndpoint: changeOf("privateEndpoint"),
    optimized: changeOf("optimized"),
    steps: adviceOf("step"),
    warnings: adviceOf("warn"),
    missing: [...new Set(missing)],
  };
}

/** From the least to the most severe. */
const severity = ["unchanged", "unknown", "mayChange", "changes", "ends"] as const;

const providers: readonly CloudProvider[] = ["A", "B", "C"];

/** Fills in the names of the providers and the tier. */
function fill(template: string, { facts, targets }: Move): string {
  const to = providers.filter((name) => isTarget(targets, name));
  return template
    .replaceAll("{from}", `provider ${facts.provider}`)
    .replaceAll("{to}", `provider${to.length > 1 ? "s" : ""} ${to.join(" and ")}`)
    .replaceAll("{tier}", facts.tier === "free" ? "Free" : "Flex");
}

interface Move {
  readonly facts: MoveFacts;
  readonly targets: readonly MoveTarget[];
}

/** A condition of a rule. */
interface Condition {
  /** The fact that determines it. */
  readonly fact: keyof MoveFacts;
  /** The condition in words, such as `if the cluster is sharded`. */
  readonly clause: string;
  /** Returns whether it is true; undefined if the facts do not determine that. */
  readonly isTrue: (move: Move) => boolean | undefined;
}

/** Creates a condition that a missing fact can leave open. By default, it is true if the fact is true. */
function condition(
  fact: keyof MoveFacts,
  meaning: string,
  isTrue: Condition["isTrue"] = ({ facts: { [fact]: value } }) =>
    value === undefined ? undefined : value === true,
): Condition {
  return { fact, clause: `if ${meaning}`, isTrue };
}

function not({ fact, clause, isTrue }: Condition): Condition {
  const isFalse = (move: Move) => {
    const value = isTrue(move);
    return value === undefined ? undefined : !value;
  };
  return { fact, clause: clause.replace(/^if/, "unless"), isTrue: isFalse };
}

/** Creates a condition that depends only on required facts and the targets. */
function requiredCondition(isTrue: (move: Move) => boolean): Condition {
  return { fact: "provider", clause: "", isTrue };
}

const dedicated = requiredCondition(({ facts }) => facts.tier === "dedicated");
const leaves = requiredCondition(({ facts, targets }) => !isTarget(targets, facts.provider));
const toA = requiredCondition(({ targets }) => isTarget(targets, "A"));
const toAOrB = requiredCondition(({ targets }) => isTarget(targets, "A", "B"));
const newInBOrC = requiredCondition(({ facts, targets }) =>
  targets.some(({ provider }) => provider !== "A" && provider !== facts.provider),
);
const several = severalIn("A", "B", "C");
const severalInB = severalIn("B");
const losesRegion = condition("regions", "the cluster leaves one of its regions", leavesRegion);
const inTwoSteps = condition(
  "createdAt",
  "the cluster was created before 3 November 2020",
  (move) => move.facts.provider !== "A" && isBefore("2020-11-03", move),
);
const version5 = condition("version", "its database version is 5.0 or later", isVersion5);
const sharded = condition("sharded", "the cluster is sharded");
const peered = condition("peered", "the cluster has network peering");
const customDns = condition("customDns", "the peered networks use a custom DNS service");
const privateIpMode = condition("privateIpMode", "private IP mode of the project is enabled");
const privateEndpoints = condition(
  "privateEndpoints",
  "the cluster has private endpoints",
  ({ facts }) => facts.optimized === true || facts.privateEndpoints,
);
const regionalized = condition("regionalized", "regionalized private endpoints are enabled");
const optimized = condition(
  "optimized",
  "the cluster has an optimized string",
  ({ facts }) => facts.optimized ?? (facts.privateEndpoints === false ? false : undefined),
);
const driver = condition("driver", "the driver supports optimized connections");
const legacyStrings = condition(
  "legacyStrings",
  "the cluster has legacy strings",
  (move) =>
    move.facts.legacyStrings ?? (isBefore("2020-03-31", move) === false ? false : undefined),
);
const legacyBackups = condition("legacyBackups", "the cluster has legacy backups");

/** The kinds of string that the rules distinguish. */
type MovedKind = "hosts" | "srv" | "privateEndpoint" | "optimized";

/** A row of the table, which applies if all of its conditions are true. */
interface MoveRule {
  readonly rule: MoveAdvice["rule"];
  readonly when: readonly Condition[];
  readonly changes?: { readonly [Kind in MovedKind]?: StringChange };
  /** `{from}` and `{to}` are the providers, `{tier}` is Free or Flex. */
  readonly step?: string;
  readonly warn?: string;
}

function row(
  rule: MoveRule["rule"],
  when: readonly Condition[],
  content: Omit<MoveRule, "rule" | "when">,
): MoveRule {
  return { rule, when, ...content };
}

const twoSteps = [leaves, dedicated, inTwoSteps] as const;
const withBackups = [...twoSteps, legacyBackups] as const;
const newEndpoints = [leaves, toAOrB, privateEndpoints] as const;
const endpointsInA = [leaves, toA, privateEndpoints] as const;
const adopted = "in the applications, restart them and verify that they connect.";

/** The rules about moves. Steps are in the order in which to take them. */
export const moveRules: readonly MoveRule[] = [
  row("table", [newInBOrC, peered], {
    step: "Change the applications in peered networks to the peering-private strings, because the standard strings lead to public addresses in providers B and C.",
  }),
  row(11, [severalInB, peered], {
    step: "Change all applications to the peering-private strings, because a peered cluster with several regions in provider B can only be reached through them.",
  }),
  row(11, [severalInB, peered, privateIpMode], {
    step: "Disable private IP mode of the project. All its clusters must run version 7.0 or later.",
  }),
  row(4, [leaves, optimized], {
    changes: { optimized: "ends" },
    step: "Change the applications from the optimized string to another one, because only provider A has optimized strings.",
  }),
  row(6, [several, optimized, not(leaves), not(regionalized)], {
    changes: { optimized: "ends" },
    step: "Enable regionalized private endpoints, or change the applications to the plain SRV string of the private endpoint. Otherwise, the optimized string stops working.",
  }),
  row("table", [leaves, privateEndpoints, not(toAOrB)], {
    changes: { privateEndpoint: "ends" },
    step: "Change the applications behind private endpoints to another string, because provider C has no private endpoint strings.",
  }),
  row("table", newEndpoints, {
    changes: { privateEndpoint: "changes" },
    step: "Set up private endpoints in {to}.",
    warn: "The service's documentation does not say whether the strings of the new private endpoints exist before the move, so plan for an interruption of the applications behind private endpoints.",
  }),
  row(9, [leaves, not(dedicated)], { step: "Move the {tier} cluster to {to}." }),
  row(9, [leaves, legacyStrings, not(dedicated)], {
    changes: { hosts: "mayChange", srv: "mayChange" },
    step: `Take the new string from the cluster's connect view, and adopt it ${adopted}`,
    warn: "The host names contain .gcp or .azure in providers B and C, but not in A, so applications with the old string may not connect after the move.",
  }),
  row(9, [leaves, not(dedicated), not(legacyStrings)], {
    changes: { hosts: "unknown", srv: "unknown" },
    warn: "The service's documentation does not say whether a {tier} cluster without legacy strings keeps its strings, so compare them with the cluster's connect view after the move.",
  }),
  row(10, [leaves, dedicated, not(inTwoSteps)], {
    step: "Change the provider of the cluster to {to}. There is no downtime, and its standard and peering-private strings stay the same.",
  }),
  row(10, twoSteps, {
    changes: { hosts: "changes", srv: "mayChange" },
    step: "Add read-only nodes in {to}.",
    warn: "The string changes twice, and an application that has not adopted the new one before the nodes are removed loses its connection.",
  }),
  row(10, withBackups, {
    step: "Keep one node in {from}, because the cluster has legacy backups.",
  }),
  row(10, twoSteps, { step: `Adopt the new comma-delimited URI ${adopted}` }),
  row(10, withBackups, { step: "Wait for new backups, because the cluster has legacy backups." }),
  row(10, twoSteps, {
    step: "Remove the electable nodes of {from} and the read-only nodes of {to}, and add the same number of electable nodes in {to}.",
  }),
  row(10, twoSteps, { step: `Adopt the new URI ${adopted}` }),
  row("table", newEndpoints, { step: `Adopt the strings of the new private endpoints ${adopted}` }),
  row(3, [leaves, peered], {
    warn: "The service's documentation does not say whether network peering in {from} carries over, so configure it in {to}. Without it, the cluster has no peering-private strings.",
  }),
  row("table", [leaves, toA, peered, customDns], {
    warn: "With a custom DNS service, applications in peered networks need the peering-private strings in provider A, too.",
  }),
  row(7, [leaves, dedicated, legacyStrings], { warn: "The cluster keeps its legacy strings." }),
  row("table", [losesRegion, privateEndpoints], {
    changes: { privateEndpoint: "unknown", optimized: "unknown" },
    warn: "The service's documentation does not say what happens to a private endpoint in a region that the cluster leaves, so set up private endpoints in the other regions.",
  }),
  row(8, [...endpointsInA, sharded, version5, not(several)], {
    warn: "The private endpoints in provider A get an optimized string, which is shown by default.",
  }),
  row(5, [toA, several, sharded, version5, privateEndpoints, regionalized], {
    warn: "One SRV record cannot cover several regions, so each region in provider A has a separate optimized string for its applications.",
  }),
  row(4, [...endpointsInA, sharded, version5, not(driver)], {
    warn: "Use the plain SRV string of the private endpoint, because the driver does not support optimized connections.",
  }),
  row(4, [...endpointsInA, not(sharded)], {
    warn: "The cluster gets no optimized string, because it is not sharded.",
  }),
  row(4, [...endpointsInA, sharded, not(version5)], {
    warn: "The cluster gets no optimized string, because its version is below 5.0.",
  }),
  row(4, [...endpointsInA, sharded, several, not(regionalized)], {
    warn: "The cluster gets no optimized string, because it has several regions and regionalized private endpoints are not enabled.",
  }),
];

/** Returns whether one of the targets is in one of the providers. */
function isTarget(targets: readonly MoveTarget[], ...among: readonly CloudProvider[]): boolean {
  return targets.some(({ provider }) => among.includes(provider));
}

/** Creates the condition that the cluster has several regions in certain providers after the move. */
function severalIn(...among: readonly CloudProvider[]): Condition {
  return condition("regions", "the cluster has several regions", ({ facts, targets }) => {
    const own = targets.filter(({ provider }) => among.includes(provider));
    if (targets.length === 1 && own.some(({ region }) => region === undefined)) {
      return facts.regions && new Set(facts.regions.map(regionKey)).size > 1;
    }
    // Each target without a region counts as a separate region.
    const keys = own.map(({ region }, at) => (region === undefined ? at : regionKey(region)));
    return new Set(own.map(({ provider }, at) => `${provider} ${keys[at] ?? ""}`)).size > 1;
  });
}

/** Returns whether the cluster stays in its provider, but leaves a region. */
function leavesRegion({ facts, targets }: Move): boolean | undefined {
  const own = targets.filter(({ provider }) => provider === facts.provider);
  const kept = own.flatMap(({ region }) => (region === undefined ? [] : regionKey(region)));
  if (kept.length === 0 || kept.length < own.length) return false;
  return facts.regions?.some((region) => !kept.includes(regionKey(region)));
}

/** Returns whether the cluster was created before a date, in UTC. */
function isBefore(date: string, { facts: { createdAt } }: Move): boolean | undefined {
  const difference = (createdAt?.getTime() ?? NaN) - Date.parse(date);
  return Number.isNaN(difference) ? undefined : difference < 0;
}

function isVersion5({ facts: { version = "" } }: Move): boolean | undefined {
  const parsed = semverParse(/^\d+\.\d+$/.test(version) ? `${version}.0` : version);
  return parsed === null ? undefined : gte(parsed, "5.0.0");
}
