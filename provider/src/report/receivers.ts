/** Finds what receives strings: resources, as the state records, and stack outputs, by the host of their string. */
import type { Preview, Step } from "./eventLog";
import type { Receivers } from "./model";
import { hostsIn, isInternal, nameOf, stackType, typeOf } from "./resources";
import type { StateResource } from "./stackExport";

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
  const dependents = grouped(
    state.flatMap(({ urn, dependencies }) => dependencies.map((dependency) => [dependency, urn])),
  );
  const stacks = all.filter(({ type }) => type === stackType);
  const outputs = grouped(
    stacks
      .flatMap(({ old = {}, new: changed = {} }) => [old, changed].flatMap(Object.entries))
      .flatMap(([name, value]) => hostsIn(value).map((host) => [host, name])),
  );
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
    /** What uses legacy strings, which alone depend on the mode (service document 2.6); undefined if none exists. */
    ofProject(projectId: unknown): Receivers | undefined {
      const lookups = all.filter(
        ({ type, old, new: changed }) =>
          typeOf(type) === "ClusterConnectionStrings" &&
          (changed ?? old)?.["projectId"] === projectId,
      );
      const strings = lookups.flatMap(legacyIn);
      if (strings.length === 0) return undefined;
      const recommending = lookups.filter((lookup) =>
        [lookup.old, lookup.new].some((each) => legacyIn(lookup).includes(each?.["recommended"])),
      );
      const urns = [...new Set(recommending.map(({ urn }) => urn))];
      return { ...receiving(urns, strings), lookups: urns.map(nameOf) };
    },
  };
}

/** Returns the legacy strings of a lookup. The state has null for those that a cluster lacks. */
function legacyIn({ old, new: changed }: Pick<Step, "old" | "new">): unknown[] {
  const strings = [old, changed].flatMap((lookup) => [lookup?.["legacy"], lookup?.["legacySrv"]]);
  return strings.filter((string) => string !== undefined && string !== null);
}

function isUnchanged({ op, type }: Step): boolean {
  return op === "same" && !isInternal(type) && typeOf(type) === undefined;
}

function grouped(pairs: readonly (readonly string[])[]): Map<string, Set<string>> {
  const groups = new Map<string, Set<string>>();
  for (const [key = "", value = ""] of pairs)
    groups.set(key, (groups.get(key) ?? new Set()).add(value));
  return groups;
}
