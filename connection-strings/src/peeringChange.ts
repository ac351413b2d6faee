/**
 * Plans a change of cloud provider for applications in peered networks (service document 2.6, table
 * and rules 3 and 11).
 */
import {
  type Advice,
  type NetworkPlan,
  type ProviderChange,
  advice,
  nothingToDo,
} from "./providerChangePlan";

/**
 * Plans a change of provider for applications in peered networks.
 *
 * @param change the facts about the cluster and its applications
 * @returns the steps and warnings; none for a cluster without peering
 */
export function peeringPlan(change: ProviderChange): NetworkPlan {
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
