/** What a change of a cluster's cloud provider means for its applications (service document 2.6 rules 9 to 11). */
import { ConnectionStringError, connectionStringErrorCodes as codes } from "./errors";
import type { CloudProvider } from "./optimizedSrv";

export interface ProviderChange {
  readonly tier: "free" | "flex" | "dedicated";
  readonly from: CloudProvider;
  readonly to: CloudProvider;
  /** When the cluster was created: ISO 8601; a date without a zone is UTC. */
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
}

export interface ProviderChangePlan {
  /** `unknown`: the service's document does not say. */
  readonly connectionString: "unchanged" | "mayChange" | "changes" | "unknown";
  /** In this order. Empty where there is nothing to change. */
  readonly steps: readonly Advice[];
  readonly warnings: readonly Advice[];
}

export interface Advice {
  /** The rule of service document 2.6 that it comes from. */
  readonly rule: 9 | 10 | 11;
  readonly text: string;
}

/**
 * The steps of a change of cloud provider, and what to watch. Throws {@link ConnectionStringError}
 * with code `invalid-facts` where `createdAt` is no date.
 */
export function planProviderChange(change: ProviderChange): ProviderChangePlan {
  const created = creationTime(change.createdAt);
  const peering = peeredInProviderB(change);
  if (change.from === change.to) {
    return { connectionString: "unchanged", steps: peering.steps, warnings: peering.warnings };
  }
  const plan = change.tier === "dedicated" ? dedicated(change, created) : shared(change);
  return {
    ...plan,
    steps: [...peering.steps, ...plan.steps],
    warnings: [...peering.warnings, ...plan.warnings],
  };
}

/** Rule 9. */
function shared({ tier, from, to, legacyString }: ProviderChange): ProviderChangePlan {
  const name = tier === "free" ? "Free" : "Flex";
  const change = advice(9, `Move the ${name} cluster to provider ${to}.`);
  if (!legacyString) {
    const text = `The service does not say whether a ${name} cluster without a legacy string keeps its connection string: compare it with the cluster's connect view after the move.`;
    return { connectionString: "unknown", steps: [change], warnings: [advice(9, text)] };
  }
  // from and to differ, so that one of them is B or C.
  const hostName =
    to === "A"
      ? `A host name with .gcp or .azure belongs to provider ${from}`
      : `The host name must carry .gcp or .azure, as it is for provider ${to}`;
  return {
    connectionString: "mayChange",
    steps: [
      change,
      advice(9, "Take the new connection string from the cluster's connect view."),
      advice(9, "Adopt it in the applications, restart them and verify."),
    ],
    warnings: [
      advice(9, `${hostName}: applications with the old string may not connect after the move.`),
    ],
  };
}

/** Rule 10: what is created after 2 November 2020 keeps its string. */
const keepsStringSince = Date.parse("2020-11-03T00:00:00Z");

function dedicated(
  { from, to, legacyBackups }: ProviderChange,
  created: number,
): ProviderChangePlan {
  if (from === "A" || created >= keepsStringSince) {
    const text = `Change the cluster's provider from ${from} to ${to}: its connection string stays, without downtime.`;
    return { connectionString: "unchanged", steps: [advice(10, text)], warnings: [] };
  }
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

/** Rule 11: for a cluster that is peered and spans regions in provider B. */
function peeredInProviderB({ to, peered, multiRegion, privateIpMode }: ProviderChange) {
  if (to !== "B" || !peered || !multiRegion) return { steps: [], warnings: [] };
  const disable = advice(
    11,
    "Disable private IP mode of the project: all its clusters must run version 7.0 or later.",
  );
  return {
    steps: [
      advice(11, "Change the applications to the peering-private strings."),
      ...(privateIpMode ? [disable] : []),
    ],
    warnings: [
      advice(
        11,
        "A peered cluster that spans regions in provider B is reached by its peering-private strings only.",
      ),
    ],
  };
}

function advice(rule: Advice["rule"], text: string): Advice {
  return { rule, text };
}

function creationTime(createdAt: string): number {
  const [isoDate, withoutZone] = /^\d{4}-\d{2}-\d{2}(T[\d:.]+)?/.exec(createdAt) ?? [];
  const time = Date.parse(withoutZone && isoDate === createdAt ? `${createdAt}Z` : createdAt);
  if (isoDate === undefined || Number.isNaN(time)) {
    throw new ConnectionStringError(
      codes.invalidFacts,
      "createdAt is not an ISO 8601 date, such as 2019-06-03T08:00:00Z",
    );
  }
  return time;
}
