/**
 * Finds what receives the connection strings of lookups: resources, by what Pulumi records of each property, and
 * stack outputs, which record nothing, by the host of their string.
 */
import type { PreviewInput, Step } from "./input";
import type { Receivers } from "./model";
import { nameOf, stackType, typeOf } from "./resources";
import { hostsIn } from "./values";

/** Inputs about one stack. A stack export suffices; a preview adds what it creates and changes. */
type Inputs = readonly Pick<PreviewInput, "steps">[];

/**
 * Returns functions that find what receives the string of a lookup, and what uses the clusters of a project. Both
 * follow resources that receive a value of a receiver.
 */
export function createReceivers(inputs: Inputs) {
  const steps = inputs.flatMap((each) => each.steps);
  const dependents = new Map<string, Set<string>>();
  const outputs = new Map<string, Set<string>>();
  const lookups = new Map<unknown, Map<string, Step>>();
  for (const step of steps) {
    const { urn, type, dependencies } = step;
    for (const each of dependencies) addTo(dependents, each, urn);
    const projectId = (step.new ?? step.old)?.["projectId"];
    const others = lookups.get(projectId) ?? new Map<string, Step>();
    if (typeOf(type) === "ClusterConnectionStrings") lookups.set(projectId, others.set(urn, step));
    if (type !== stackType) continue;
    for (const [name, value] of [step.old, step.new].flatMap((all) => Object.entries(all ?? {})))
      for (const host of hostsIn(value)) addTo(outputs, host, name);
  }
  const receiving = (found: readonly Step[], strings: unknown): Receivers => {
    const known = new Set(found.map(({ urn }) => urn));
    const levels = [[...known]];
    for (let level = [...known]; level.length > 0; levels.push(level)) {
      const next = new Set(level.flatMap((each) => [...(dependents.get(each) ?? [])]));
      level = [...next].filter((each) => !known.has(each));
      for (const each of level) known.add(each);
    }
    const [, direct = [], ...further] = levels.map((level) => level.map(nameOf));
    const named = hostsIn(strings).flatMap((host) => [...(outputs.get(host) ?? [])]);
    return { lookups: [], direct, further: further.flat(), outputs: [...new Set(named)] };
  };
  return {
    /** What receives the recommended string of a lookup. */
    ofLookup: (step: Step) =>
      receiving([step], [step.old?.["recommended"], step.new?.["recommended"]]),
    /** What uses the lookups of a project. */
    ofProject(projectId: unknown): Receivers {
      const found = [...(lookups.get(projectId)?.values() ?? [])];
      const strings = found.map(({ new: changed, old }) => [old, changed]);
      return { ...receiving(found, strings), lookups: found.map(({ urn }) => nameOf(urn)) };
    },
  };
}

function addTo(sets: Map<string, Set<string>>, key: string, value: string): void {
  sets.set(key, (sets.get(key) ?? new Set()).add(value));
}
