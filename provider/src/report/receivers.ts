/**
 * Finds what receives the connection strings of lookups: resources, by what the state records of each property, and
 * stack outputs, which record nothing, by the host of their string.
 */
import type { Preview, Step } from "./eventLog";
import type { Receivers } from "./model";
import { type Properties, hostsIn, isInternal, nameOf, stackType, typeOf } from "./resources";
import type { StateResource } from "./stackExport";

/**
 * Returns functions that find what receives the string of a lookup, and what uses the legacy strings of a project. Both
 * follow resources that receive a value of a receiver.
 */
export function createReceivers(
  { steps }: Pick<Preview, "steps">,
  state: readonly StateResource[],
) {
  const recorded = state.map((resource) => ({
    ...resource,
    old: resource.properties,
    new: resource.properties,
  }));
  const all = [...steps, ...recorded];
  const same = new Set(steps.filter(isUnchanged).map(({ urn }) => urn));
  const dependents = new Map<string, Set<string>>();
  const outputs = new Map<string, Set<string>>();
  const lookups = new Map<unknown, Map<string, Pick<Step, "urn" | "old" | "new">>>();
  for (const { urn, dependencies } of state)
    for (const dependency of dependencies) addTo(dependents, dependency, urn);
  for (const step of all) {
    const { urn, type } = step;
    const projectId = (step.new ?? step.old)?.["projectId"];
    const others = lookups.get(projectId) ?? new Map<string, (typeof all)[number]>();
    if (typeOf(type) === "ClusterConnectionStrings") lookups.set(projectId, others.set(urn, step));
    if (type !== stackType) continue;
    for (const [name, value] of [step.old, step.new].flatMap((properties) =>
      Object.entries(properties ?? {}),
    ))
      for (const host of hostsIn(value)) addTo(outputs, host, name);
  }
  const receiving = (urns: readonly string[], strings: unknown): Receivers => {
    const known = new Set(urns);
    const levels = [[...known]];
    for (let level = [...known]; level.length > 0; levels.push(level)) {
      const next = new Set(level.flatMap((urn) => [...(dependents.get(urn) ?? [])]));
      level = [...next].filter((urn) => !known.has(urn));
      for (const urn of level) known.add(urn);
    }
    const [, direct = [], ...others] = levels.map((level) => level.map(nameOf));
    const further = others.flat();
    const unchanged = [...direct, ...further].filter(({ urn }) => same.has(urn));
    const named = hostsIn(strings).flatMap((host) => [...(outputs.get(host) ?? [])]);
    return { lookups: [], direct, further, unchanged, outputs: [...new Set(named)] };
  };
  return {
    /** What receives the recommended string of a lookup. */
    ofLookup: ({ urn, old, new: changed }: Pick<Step, "urn" | "old" | "new">) =>
      receiving([urn], [old?.["recommended"], changed?.["recommended"]]),
    /**
     * What uses the legacy strings of a project, which alone depend on its mode (service document 2.6). Undefined if no
     * lookup has one.
     */
    ofProject(projectId: unknown): Receivers | undefined {
      const found = [...(lookups.get(projectId)?.values() ?? [])];
      const strings = found.flatMap(({ old, new: changed }) => [old, changed].flatMap(legacyIn));
      if (strings.length === 0) return undefined;
      const recommending = found.filter(({ old, new: changed }) =>
        [old, changed].some((lookup) => legacyIn(lookup).includes(lookup?.["recommended"] ?? "")),
      );
      const urns = recommending.map(({ urn }) => urn);
      return { ...receiving(urns, strings), lookups: urns.map(nameOf) };
    },
  };
}

function legacyIn({ legacy, legacySrv }: Properties = {}): unknown[] {
  return [legacy, legacySrv].filter((string) => string !== undefined && string !== null);
}

/** Returns whether the preview does not change a resource that may run an application. */
function isUnchanged({ op, type }: Step): boolean {
  return op === "same" && !isInternal(type) && typeOf(type) === undefined;
}

function addTo(sets: Map<string, Set<string>>, key: string, value: string): void {
  sets.set(key, (sets.get(key) ?? new Set()).add(value));
}
