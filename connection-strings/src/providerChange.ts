/** Plans a change of a cluster's cloud provider (service document 2.6 rules 9 to 11). */
import { parseDate } from "./dates";
import { ConnectionStringError, connectionStringErrorCodes as codes } from "./errors";
import { peeringPlan } from "./peeringChange";
import { privateEndpointPlan } from "./privateEndpointChange";
import {
  type ProviderChange,
  type ProviderChangePlan,
  type StringChange,
  advice,
} from "./providerChangePlan";

export type {
  Advice,
  ProviderChange,
  ProviderChangePlan,
  StringChange,
} from "./providerChangePlan";

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

function creationTime(createdAt: string): number {
  const time = parseDate(createdAt);
  if (time !== undefined) return time;
  throw new ConnectionStringError(
    codes.invalidFacts,
    "createdAt is not an ISO 8601 date, such as 2019-06-03T08:00:00Z",
  );
}
