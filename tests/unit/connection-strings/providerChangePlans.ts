/** Test plans for a change of cloud provider, and their texts. */
import {
  type Advice,
  type CloudProvider,
  type ProviderChange,
  type ProviderChangePlan,
  planProviderChange,
} from "../../../connection-strings/src";

export const providers: readonly CloudProvider[] = ["A", "B", "C"];
const pairs = providers.flatMap((from) => providers.map((to) => ({ from, to })));

/** Every move from one provider to another. */
export const moves = pairs.filter(({ from, to }) => from !== to);

/** A new dedicated cluster whose applications use the Internet only. */
const internetOnly: ProviderChange = {
  tier: "dedicated",
  from: "A",
  to: "C",
  createdAt: "2024-05-01T00:00:00Z",
  legacyString: false,
  legacyBackups: false,
  peered: false,
  multiRegion: false,
  privateIpMode: false,
  privateEndpoints: false,
  optimizedString: false,
  customDns: false,
};

/** Plans a change for a new dedicated cluster; `facts` override its defaults. */
export function planFor(facts: Partial<ProviderChange>): ProviderChangePlan {
  return planProviderChange({ ...internetOnly, ...facts });
}

/** Joins steps or warnings into one text: a line for each, starting with its rule. */
export function textOf(advice: readonly Advice[]): string {
  return advice.map(({ rule, text }) => `${rule}: ${text}`).join("\n");
}

/** Returns the index of the step in which the cluster itself changes its provider. */
export function moveIndex(steps: readonly Advice[]): number {
  return steps.findIndex(({ rule }) => rule === 10);
}
