/**
 * Warns if the kind of the recommended string changes although the arguments of the lookup do not:
 * applications then connect differently (service document 2.6 rules 4, 6, 7 and 8).
 */
import { isDeepStrictEqual } from "node:util";
import { escapeText } from "../api/text";
import type { PropertyBag } from "../providerProcess/lifecycle";

/** The arguments that determine the cluster and the string. */
const selectingArguments = ["projectId", "clusterName", "network", "form", "optimized"];

/**
 * Returns the warning for a changed kind.
 *
 * @param clusterName the name of the cluster, for the message
 * @param before the recorded state
 * @param after the result of the lookup
 * @returns the warning; undefined if the kind is the same, or if the arguments changed
 */
export function kindChangeWarning(
  clusterName: string,
  before: PropertyBag,
  after: PropertyBag,
): string | undefined {
  const [old, found] = [before["recommendedKind"], after["recommendedKind"]];
  const argumentsChanged = selectingArguments.some(
    (name) => !isDeepStrictEqual(before[name], after[name]),
  );
  if (typeof old !== "string" || typeof found !== "string" || old === found || argumentsChanged) {
    return undefined;
  }
  const subject = `the recommended string of cluster ${escapeText(clusterName)} changes from ${escapeText(old, 100)} to ${found}`;
  if (found === "privateEndpointOptimizedSrv") {
    return `${subject}: the cluster now has an optimized string (service document 2.6 rules 4 and 8). Drivers need a version that supports optimized connections. To keep the plain string, set optimized: false.`;
  }
  if (old === "privateEndpointOptimizedSrv") {
    return `${subject}: the cluster no longer has an optimized string, which happens when a cluster gets several regions without regionalized private endpoints (service document 2.6 rules 4 and 6). The optimized string stops working. To get it back, enable regionalized private endpoints. To fail instead of switching strings, set optimized: true.`;
  }
  return `${subject}, although the arguments of the lookup are the same.`;
}
