/**
 * The warning that the kind of a recorded lookup's string changes although its arguments do not:
 * applications then connect in another way (service document 2.6 rules 4, 6, 7 and 8).
 */
import { isDeepStrictEqual } from "node:util";
import { escapeText } from "../api/escapeText";
import type { PropertyBag } from "../engine/lifecycle";

/** The arguments that choose the cluster and the string. */
const choosing = ["projectId", "clusterName", "network", "form", "optimized"];

/**
 * @param before what the state has recorded
 * @param after what the lookup found
 * @returns the warning; undefined when the kind stays, or changes because the arguments do
 */
export function kindChangeWarning(
  clusterName: string,
  before: PropertyBag,
  after: PropertyBag,
): string | undefined {
  const [old, found] = [before["recommendedKind"], after["recommendedKind"]];
  const isAsked = choosing.some((name) => !isDeepStrictEqual(before[name], after[name]));
  if (typeof old !== "string" || typeof found !== "string" || old === found || isAsked) {
    return undefined;
  }
  const subject = `the recommended string of cluster ${escapeText(clusterName)} changes from ${escapeText(old, 100)} to ${found}`;
  if (found === "privateEndpointOptimizedSrv") {
    return `${subject}: the cluster has an optimized string now (service document 2.6 rules 4 and 8). Drivers need a version that supports optimized connections. To stay with the plain string, set optimized: false.`;
  }
  if (old === "privateEndpointOptimizedSrv") {
    return `${subject}: the cluster has no optimized string any more, as after a change to several regions without regionalized private endpoints (service document 2.6 rules 4 and 6). The optimized string stops working. To get it back, enable regionalized private endpoints; to fail instead of changing, set optimized: true.`;
  }
  return `${subject}, although the arguments of the lookup are the same.`;
}
