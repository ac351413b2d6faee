/** What depends on what in the state before a preview, and what the preview does to each resource. */
import type { Step } from "../read/eventLog";
import type { StateResource } from "../read/stackExport";
import { type ResourceName, parseUrn } from "../resourceNames";

/** Values by a URN. */
type Groups<T> = ReadonlyMap<string, ReadonlySet<T>>;

/** What a preview does to a resource: nothing, an update or a replacement, or a deletion. */
type Fate = "kept" | "changed" | "deleted";

/** A resource, and the one from which it was first reached, by their URNs. */
export interface Reached {
  readonly source: string;
  readonly urn: string;
}

/** The resources in the state, by the URN that they have there, which an alias can change. */
export class StateGraph {
  readonly #resources: ReadonlyMap<string, StateResource>;
  readonly #steps: Groups<Step>;
  readonly #fates: ReadonlyMap<string, Fate>;
  /** By the URN of a resource, those of the resources that have a value of it. */
  readonly #receivers: Groups<string>;

  constructor(steps: readonly Step[], state: readonly StateResource[]) {
    this.#resources = new Map(state.map((resource) => [resource.urn, resource]));
    this.#steps = grouped(steps.map((step) => [step.recordedUrn, step]));
    this.#fates = new Map([...this.#steps].map(([urn, all]) => [urn, fateOfAll([...all])]));
    this.#receivers = grouped(
      state.flatMap(({ urn, sources }) => sources.map((source) => [source, urn] as const)),
    );
  }

  /** The URNs of the resources, each after those of what it depends on. */
  get urns(): Iterable<string> {
    return this.#resources.keys();
  }

  resourceOf(urn: string): StateResource | undefined {
    return this.#resources.get(urn);
  }

  stepsOf(urn: string): readonly Step[] {
    return [...(this.#steps.get(urn) ?? [])];
  }

  receiversOf(urn: string): readonly string[] {
    return [...(this.#receivers.get(urn) ?? [])];
  }

  /** Returns after which resources one is updated, without those that the preview deletes. */
  dependenciesOf(urn: string): readonly string[] {
    const { dependencies = [] } = this.#resources.get(urn) ?? {};
    return dependencies.filter((each) => this.fateOf(each) !== "deleted");
  }

  /**
   * Follows what `next` returns for each resource, beginning with some of them.
   *
   * @returns what it reaches, without these, each once: what is one step away first, then two steps, and so on
   */
  reachedFrom(urns: readonly string[], next: (urn: string) => readonly string[]): Reached[][] {
    const visited = new Set(urns);
    const levels: Reached[][] = [];
    for (let from = urns; from.length > 0; from = levels.at(-1)?.map(({ urn }) => urn) ?? []) {
      const level = new Map<string, Reached>();
      for (const source of from) {
        for (const urn of next(source)) if (!level.has(urn)) level.set(urn, { source, urn });
      }
      levels.push([...level.values()].filter(({ urn }) => !visited.has(urn)));
      for (const urn of level.keys()) visited.add(urn);
    }
    return levels;
  }

  /** Returns the name of a resource after the preview. */
  nameOf(urn: string): ResourceName {
    return parseUrn(this.stepsOf(urn)[0]?.urn ?? urn);
  }

  /** Returns what the preview does to a resource; undefined if it does not say, as a refresh alone does not. */
  fateOf(urn: string): Fate | undefined {
    return this.#fates.get(urn);
  }
}

/** Returns what steps do to their resource. The deletion of what they or earlier ones replaced is not its end. */
function fateOfAll(steps: readonly Step[]): Fate {
  return steps.map(({ op }) => fateOf(op)).find((fate) => fate !== "deleted") ?? "deleted";
}

function fateOf(op: string): Fate {
  if (["same", "read", "refresh"].includes(op)) return "kept";
  return /^(?:delete|discard)/.test(op) ? "deleted" : "changed";
}

/** Groups values by their URNs. */
function grouped<T>(pairs: readonly (readonly [urn: string, value: T])[]): Groups<T> {
  const groups = new Map<string, Set<T>>();
  for (const [urn, value] of pairs) groups.set(urn, (groups.get(urn) ?? new Set()).add(value));
  return groups;
}
