/** Plans a change of a cluster's cloud provider (service document 2.6, table and rules 3, 4, 6 and 9 to 11). */
import { ConnectionStringError, connectionStringErrorCodes as codes } from "./errors";
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

/**
 * Plans a change of cloud provider: what happens to the string that applications use, which steps to
 * take, and what to watch out for (service document 2.6 rules 3, 4, 6 and 9 to 11). A warning names every
 * relevant fact that is missing.
 *
 * @param change the facts about the cluster and its applications
 * @returns the plan
 * @throws {@link ConnectionStringError} with code `invalid-facts` if `createdAt` is not a date
 * @example
 * const { connectionString, steps } = planProviderChange({
 *   tier: "dedicated",
 *   from: "A",
 *   to: "C",
 *   createdAt: "2023-05-01T08:00:00Z",
 *   legacyString: false,
 *   legacyBackups: false,
 *   peered: true,
 *   multiRegion: false,
 *   privateIpMode: false,
 *   privateEndpoints: false,
 *   customDns: false,
 * });
 * // "mayChange": applications in the peered network adopt the peering-private string first
 */
export function planProviderChange(change: ProviderChange): ProviderChangePlan {
  const created = creationTime(change.createdAt);
  const networkPlans = [peeringPlan(change), privateEndpointPlan(change)];
  const stepsBefore = networkPlans.flatMap(({ before }) => before);
  const stepsAfter = networkPlans.flatMap(({ after }) => after);
  const plan = clusterPlan(change, created, stepsBefore.length > 0);
  return {
    connectionString: mostSevere(
      [plan, ...networkPlans].map(({ connectionString }) => connectionString),
    ),
    steps: [...stepsBefore, ...plan.steps, ...stepsAfter],
    warnings: [...networkPlans.flatMap(({ warnings }) => warnings), ...plan.warnings],
  };
}

/** From the least to the most severe. */
const severity: readonly StringChange[] = ["unchanged", "unknown", "mayChange", "changes"];

function mostSevere(changes: readonly StringChange[]): StringChange {
  return severity.findLast((change) => changes.includes(change)) ?? "unchanged";
}

/** Plans the change of the cluster itself, independent of the networks of its applications. */
function clusterPlan(
  change: ProviderChange,
  created: number,
  applicationsMustAct: boolean,
): ProviderChangePlan {
  if (change.from === change.to) return { connectionString: "unchanged", steps: [], warnings: [] };
  if (change.tier !== "dedicated") return sharedTierPlan(change);
  return change.from === "A" || created >= unchangedSince
    ? unchangedStringPlan(change, applicationsMustAct)
    : twoStepPlan(change);
}

/** Plans the move of a Free or Flex cluster (service document 2.6 rule 9). */
function sharedTierPlan({ tier, from, to, legacyString }: ProviderChange): ProviderChangePlan {
  const name = tier === "free" ? "Free" : "Flex";
  const move = advice(9, `Move the ${name} cluster to provider ${to}.`);
  if (!legacyString) {
    const text = `The service's documentation does not say whether a ${name} cluster without a legacy string keeps its connection string: compare it with the cluster's connect view after the move.`;
    return { connectionString: "unknown", steps: [move], warnings: [advice(9, text)] };
  }
  // The two providers differ, so one of them is B or C.
  const hostName =
    to === "A"
      ? `A host name with .gcp or .azure belongs to provider ${from}`
      : `The host name must contain .gcp or .azure in provider ${to}`;
  return {
    connectionString: "mayChange",
    steps: [
      move,
      advice(9, "Take the new connection string from the cluster's connect view."),
      advice(9, "Adopt it in the applications, restart them and verify."),
    ],
    warnings: [
      advice(9, `${hostName}: applications with the old string may not connect after the move.`),
    ],
  };
}

/** Clusters created after 2 November 2020 keep their string (service document 2.6 rule 10). */
const unchangedSince = Date.parse("2020-11-03T00:00:00Z");

/** Plans the move of a cluster in provider A, or of a newer one (service document 2.6 rule 10). */
function unchangedStringPlan(
  { from, to, peered, privateEndpoints }: ProviderChange,
  applicationsMustAct: boolean,
): ProviderChangePlan {
  const unchangedStrings =
    peered || privateEndpoints !== false
      ? "its standard and peering-private strings stay"
      : "its connection string stays";
  const condition = applicationsMustAct
    ? ` for applications that already use a string that works in provider ${to}`
    : "";
  const text = `Change the cluster's provider from ${from} to ${to}: ${unchangedStrings}, without downtime${condition}.`;
  return { connectionString: "unchanged", steps: [advice(10, text)], warnings: [] };
}

/**
 * Plans the move of a cluster in provider B or C created before 3 November 2020 (service document 2.6
 * rule 10).
 */
function twoStepPlan({ from, to, legacyBackups }: ProviderChange): ProviderChangePlan {
  const keepOne = legacyBackups ? `, and keep one node in provider ${from} (legacy backups)` : "";
  const waitForBackups = legacyBackups
    ? [advice(10, "Wait for the new backups (legacy backups) before the next step.")]
    : [];
  const adopt = (uri: string) => [
    advice(10, `Adopt ${uri} in the applications.`),
    advice(10, "Restart the applications and verify that they connect."),
  ];
  return {
    connectionString: "changes",
    steps: [
      advice(10, `Add read-only nodes in provider ${to}${keepOne}.`),
      ...adopt("the new comma-delimited URI"),
      ...waitForBackups,
      advice(
        10,
        `Remove the electable nodes of provider ${from} and the read-only nodes of provider ${to}, and add the same number of electable nodes in provider ${to}.`,
      ),
      ...adopt("the new URI"),
    ],
    warnings: [
      advice(
        10,
        "The connection string changes twice: an application that has not adopted the new one before the second step loses its connection.",
      ),
    ],
  };
}

/** The plan for the applications in one kind of network. */
interface NetworkPlan {
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
const nothingToDo: NetworkPlan = {
  connectionString: "unchanged",
  before: [],
  after: [],
  warnings: [],
};

function advice(rule: Advice["rule"], text: string): Advice {
  return { rule, text };
}

/** Plans the change for applications in peered networks (table and rules 3 and 11). */
function peeringPlan(change: ProviderChange): NetworkPlan {
  if (!change.peered) return nothingToDo;
  const { from, to } = change;
  const multiRegionPlan = multiRegionInProviderB(change);
  if (from === to) return { ...nothingToDo, ...multiRegionPlan };
  const adopt = advice(
    "table",
    `Change the applications in peered networks to the peering-private string before the move: in provider ${to}, the standard string leads to public addresses.`,
  );
  // If rule 11 applies, its steps already include this one.
  const needsAdoptStep = to !== "A" && multiRegionPlan.before.length === 0;
  // The table requires the peering-private string in providers B and C, and in A with custom DNS.
  const alreadyRequired = from !== "A" || change.customDns === true;
  return {
    connectionString: to === "A" || alreadyRequired ? "unchanged" : "mayChange",
    before: [...(needsAdoptStep ? [adopt] : []), ...multiRegionPlan.before],
    after: [],
    warnings: [
      ...multiRegionPlan.warnings,
      ...customDnsWarnings(change),
      advice(
        3,
        `The service's documentation does not say whether network peering in provider ${from} carries over: configure it in provider ${to}, and check that the cluster has peering-private strings.`,
      ),
    ],
  };
}

/** Returns warnings about custom DNS, on which the string for peered networks in provider A depends. */
function customDnsWarnings({ from, to, customDns }: ProviderChange): Advice[] {
  if (to === "A" && customDns === true) {
    const text =
      "With a custom DNS service, applications in peered networks need the peering-private string in provider A, too.";
    return [advice("table", text)];
  }
  if (customDns !== undefined || (from !== "A" && to !== "A")) return [];
  const text =
    to === "A"
      ? "customDns is not set: with a custom DNS service, applications in peered networks need the peering-private string in provider A, too."
      : "customDns is not set: without a custom DNS service, applications in peered networks may still use the standard string in provider A.";
  return [advice("table", text)];
}

/** Plans the steps for a peered cluster with several regions in provider B (rule 11). */
function multiRegionInProviderB({
  to,
  multiRegion,
  privateIpMode,
}: ProviderChange): Pick<NetworkPlan, "before" | "warnings"> {
  if (to !== "B" || !multiRegion) return { before: [], warnings: [] };
  const disable = advice(
    11,
    "Disable private IP mode of the project: all its clusters must run version 7.0 or later.",
  );
  return {
    before: [
      advice(11, "Change the applications to the peering-private strings."),
      ...(privateIpMode ? [disable] : []),
    ],
    warnings: [
      advice(
        11,
        "A peered cluster that spans regions in provider B can only be reached through its peering-private strings.",
      ),
    ],
  };
}

/**
 * Plans the change for applications behind private endpoints (table and rules 4 and 6). Providers A and B
 * have private endpoints, and only provider A has optimized strings.
 */
function privateEndpointPlan(change: ProviderChange): NetworkPlan {
  const { from, to, optimizedString } = change;
  // An optimized string is a private endpoint string.
  const inUse = optimizedString === true ? true : change.privateEndpoints;
  if (inUse === false) return nothingToDo;
  if (from === to) return { ...nothingToDo, warnings: multiRegionWarnings(change) };
  if (inUse === undefined) return { ...nothingToDo, warnings: unknownUseWarnings(change) };
  const factWarnings = [...contradictionWarnings(change), ...unknownOptimizedWarnings(change)];
  if (to === "C") {
    const text =
      "Change the applications behind private endpoints to another string before the move: provider C has no private endpoint strings.";
    const before = [advice("table", text)];
    return { connectionString: "changes", before, after: [], warnings: factWarnings };
  }
  return {
    connectionString: "changes",
    before: [
      ...(from === "A" && optimizedString === true ? [replaceOptimizedStep] : []),
      advice("table", `Set up private endpoints in provider ${to}.`),
    ],
    after: [
      advice(
        "table",
        `Adopt the strings of the private endpoints in provider ${to} in the applications, restart them and verify: private endpoint strings name a region of their provider.`,
      ),
    ],
    warnings: [...factWarnings, interruptionWarning],
  };
}

const replaceOptimizedStep = advice(
  4,
  "Change the applications from the optimized string to the plain private endpoint string before the move: only provider A has optimized strings.",
);

const interruptionWarning = advice(
  "table",
  "The service's documentation does not say whether the strings of the new private endpoints exist before the move: plan for an interruption of the applications behind private endpoints.",
);

/** Warns about the optimized string of a cluster that stays in provider A (rule 6). */
function multiRegionWarnings({ to, multiRegion, optimizedString }: ProviderChange): Advice[] {
  if (to !== "A" || !multiRegion || optimizedString !== true) return [];
  const text =
    "The optimized string of a cluster that spans regions works only with regionalized private endpoints: without them, change the applications to the plain private endpoint string first.";
  return [advice(6, text)];
}

/** Warns that `privateEndpoints` is not set. Provider C has no private endpoints. */
function unknownUseWarnings({ from, to }: ProviderChange): Advice[] {
  if (from === "C") return [];
  const needed =
    to === "C"
      ? "another string before the move, because provider C has no private endpoint strings"
      : `the strings of new private endpoints in provider ${to}`;
  const optimized = from === "A" ? " Optimized strings exist in provider A only (rule 4)." : "";
  const text = `privateEndpoints is not set: applications behind private endpoints need ${needed}.${optimized}`;
  return [advice("table", text)];
}

/** Warns about facts that contradict the service document. */
function contradictionWarnings({ from, optimizedString }: ProviderChange): Advice[] {
  if (from === "C") {
    const text =
      "The facts say that applications use private endpoints in provider C, which has none according to the service's documentation: check them.";
    return [advice("table", text)];
  }
  if (from === "A" || optimizedString !== true) return [];
  const text = `The facts say that applications use an optimized string in provider ${from}, but only provider A has optimized strings: check them.`;
  return [advice(4, text)];
}

/** Warns that `optimizedString` is not set. It matters only for a move from provider A to B. */
function unknownOptimizedWarnings({ from, to, optimizedString }: ProviderChange): Advice[] {
  if (from !== "A" || to !== "B" || optimizedString !== undefined) return [];
  const text =
    "optimizedString is not set: applications that use the optimized string must change to the plain private endpoint string before the move, because only provider A has optimized strings.";
  return [advice(4, text)];
}

function creationTime(createdAt: string): number {
  const time = parseDate(createdAt);
  if (time !== undefined) return time;
  throw new ConnectionStringError(
    codes.invalidFacts,
    "createdAt is not an ISO 8601 date, such as 2019-06-03T08:00:00Z",
  );
}

/**
 * Parses an ISO 8601 date with or without a time of day, fractional seconds and a time zone. Without one, it
 * is in UTC. Returns milliseconds since 1970; undefined for other text and for nonexistent dates.
 */
function parseDate(text: string): number | undefined {
  const match = typeof text === "string" ? isoDate.exec(text) : null;
  if (match === null) return undefined;
  const [, day = "", minute = "00:00", second = "00", fraction = "0", sign, hours, minutes] = match;
  const utc = `${day}T${minute}:${second}`;
  const time = Date.parse(`${utc}Z`);
  // Date.parse reads 30 February as 1 March.
  if (Number.isNaN(time) || new Date(time).toISOString().slice(0, utc.length) !== utc) {
    return undefined;
  }
  const [zoneHours, zoneMinutes] = [Number(hours ?? 0), Number(minutes ?? 0)];
  if (zoneHours > 23 || zoneMinutes > 59) return undefined;
  const offset = (zoneHours * 60 + zoneMinutes) * 60_000 * (sign === "-" ? -1 : 1);
  return time + Number(`0.${fraction}`) * 1000 - offset;
}

const isoDate =
  /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2})(?::(\d{2})(?:[.,](\d+))?)?(?:Z|([+-])(\d{2})(?::?(\d{2}))?)?)?$/i;
