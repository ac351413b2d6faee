/** Finds what receives strings: resources, as the state records, and stack outputs, by the host of their string. */
import { isDeepStrictEqual } from "node:util";
import type { LegacyUsers, Receivers } from "../model";
import type { Preview, Step } from "../read/eventLog";
import type { StateResource } from "../read/stackExport";
import { isInternal, parseUrn, typeOf } from "../resourceNames";
import type { Properties } from "../values";
import { hostsIn } from "./connectionStrings";
import { type OutputValues, outputValues } from "./stackOutputs";

/** A resource before and after the preview. One that only the state has is the same before and after. */
type Resource = Pick<Step, "urn" | "type" | "old" | "new">;

/** Groups texts, such as URNs, by a key. */
type Groups = ReadonlyMap<string, ReadonlySet<string>>;

/** Finds what receives a string of a resource, in one preview and in the state before it. */
export class ReceiverIndex {
  /** The lookups of all projects. */
  readonly #lookups: readonly Resource[];
  /** The URNs of the resources that the preview does not change. */
  readonly #unchanged: ReadonlySet<string>;
  /** By the URN of a resource, the URNs of those that have a value of it. */
  readonly #dependents: Groups;
  /** By host, the names of the stack outputs with a string of it before and after the preview. */
  readonly #oldOutputs: Groups;
  readonly #newOutputs: Groups;
  /** The names of the stack outputs that the preview does not change. */
  readonly #sameOutputs: ReadonlySet<string>;

  constructor({ steps }: Pick<Preview, "steps">, state: readonly StateResource[]) {
    const recorded = state.map(({ urn, type, properties }) => {
      return { urn, type, old: properties, new: properties };
    });
    const all: readonly Resource[] = [...steps, ...recorded];
    this.#lookups = all.filter(({ type }) => typeOf(type) === "ClusterConnectionStrings");
    this.#unchanged = new Set(steps.filter(isUnchanged).map(({ urn }) => urn));
    this.#dependents = grouped(
      state.flatMap(({ urn, dependencies }) => dependencies.map((dependency) => [dependency, urn])),
    );
    const outputs = outputValues(steps, state);
    this.#sameOutputs = new Set(sameNames(outputs));
    this.#oldOutputs = namesByHost(outputs.old);
    this.#newOutputs = namesByHost(outputs.new ?? {});
  }

  /**
   * Returns what receives the recommended string of a lookup, or the URL with the string of a DatabaseUrl. Only outputs
   * before the preview can have received the string before, and only those after it receive the new one.
   */
  ofString({ urn, old, new: changed }: Omit<Resource, "type">): Receivers {
    const outputs = new Set([
      ...namesOf(this.#oldOutputs, stringIn(old)),
      ...namesOf(this.#newOutputs, stringIn(changed)),
    ]);
    // One that does not change has the string from another resource, such as a lookup of the same cluster.
    const changing = [...outputs].filter((name) => !this.#sameOutputs.has(name));
    return { ...this.#resourcesOf([urn]), outputs: changing };
  }

  /**
   * Returns what uses the legacy strings of a project, which alone depend on its mode (service document 2.6); undefined
   * if none exists.
   */
  ofProject(projectId: unknown): LegacyUsers | undefined {
    const lookups = this.#lookups.filter(
      ({ old, new: changed }) => (changed ?? old)?.["projectId"] === projectId,
    );
    const strings = lookups.flatMap(legacyIn);
    if (strings.length === 0) return undefined;
    const urns = [...new Set(lookups.filter(recommendsLegacy).map(({ urn }) => urn))];
    const outputs = [this.#oldOutputs, this.#newOutputs].flatMap((all) => namesOf(all, strings));
    return {
      ...this.#resourcesOf(urns),
      lookups: urns.map(parseUrn),
      outputs: [...new Set(outputs)],
    };
  }

  /** Returns the resources that have a value of these, or of one that has, as the state records. */
  #resourcesOf(urns: readonly string[]): Omit<Receivers, "outputs"> {
    const visited = new Set(urns);
    const direct = this.#unvisitedDependents(urns, visited);
    const further: string[] = [];
    let nearest = direct;
    while (nearest.length > 0) {
      nearest = this.#unvisitedDependents(nearest, visited);
      further.push(...nearest);
    }
    return {
      direct: direct.map(parseUrn),
      further: further.map(parseUrn),
      unchanged: [...direct, ...further].filter((urn) => this.#unchanged.has(urn)).map(parseUrn),
    };
  }

  /** Returns the unvisited resources that have a value of these, and marks them as visited. */
  #unvisitedDependents(urns: readonly string[], visited: Set<string>): string[] {
    const all = new Set(urns.flatMap((urn) => [...(this.#dependents.get(urn) ?? [])]));
    const dependents = [...all].filter((urn) => !visited.has(urn));
    for (const urn of dependents) visited.add(urn);
    return dependents;
  }
}

/** Returns the string that a lookup recommends, or to which a DatabaseUrl adds credentials. */
function stringIn(properties: Resource["old"]): unknown {
  return properties?.["recommended"] ?? properties?.["connectionString"];
}

/** Returns the names of the outputs of a stack that do not change. */
function sameNames({ old, new: changed = {} }: OutputValues): string[] {
  return Object.keys(old).filter((name) => isDeepStrictEqual(old[name], changed[name]));
}

/** Groups the names of outputs by the hosts of their strings. */
function namesByHost(outputs: Properties): Groups {
  return grouped(
    Object.entries(outputs).flatMap(([name, value]) => hostsIn(value).map((host) => [host, name])),
  );
}

/** Returns the names of the outputs with a host of these strings. */
function namesOf(outputs: Groups, strings: unknown): string[] {
  return hostsIn(strings).flatMap((host) => [...(outputs.get(host) ?? [])]);
}

/** Returns whether the recommended string of a lookup is a legacy one, before or after the preview. */
function recommendsLegacy(lookup: Resource): boolean {
  const legacy = legacyIn(lookup);
  return [lookup.old, lookup.new].some((properties) =>
    legacy.includes(properties?.["recommended"]),
  );
}

/** Returns the legacy strings of a lookup. The state has null for those that a cluster lacks. */
function legacyIn({ old, new: changed }: Resource): unknown[] {
  const strings = [old, changed].flatMap((lookup) => [lookup?.["legacy"], lookup?.["legacySrv"]]);
  return strings.filter((string) => string !== undefined && string !== null);
}

/** Returns whether a resource of another package keeps its properties, and so the string that it received. */
function isUnchanged({ op, type }: Step): boolean {
  return op === "same" && !isInternal(type) && typeOf(type) === undefined;
}

/** Groups the second text of each pair by the first one. */
function grouped(pairs: readonly (readonly string[])[]): Groups {
  const groups = new Map<string, Set<string>>();
  for (const [key = "", value = ""] of pairs) {
    const group = groups.get(key) ?? new Set();
    group.add(value);
    groups.set(key, group);
  }
  return groups;
}
