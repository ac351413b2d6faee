/**
 * Plans a change of cloud provider for applications behind private endpoints (service document 2.6,
 * table and rules 4 and 6). Providers A and B have private endpoints, and only provider A has
 * optimized strings.
 */
import {
  type Advice,
  type NetworkPlan,
  type ProviderChange,
  advice,
  nothingToDo,
} from "./providerChangePlan";

/**
 * Plans a change of provider for applications behind private endpoints.
 *
 * @param change the facts about the cluster and its applications
 * @returns the steps and warnings; none if no application uses a private endpoint
 */
export function privateEndpointPlan(change: ProviderChange): NetworkPlan {
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
