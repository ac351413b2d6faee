/** What depends on what in the state before a preview, and what the preview does to each resource. */
import { grouped } from "../groups";
import { type Step, isChange } from "../read/eventLog";
import type { StateResource } from "../read/stackExport";
import { type OwnType, type ResourceName, parseUrn, typeOf } from "../resourceNames";

/** A resource before and after the preview. One that only the state has is the same before and after. */
export type Resource = Pick<Step, "recordedUrn" | "type" | "old" | "new">;

/** Returns the resources of a type of this package in a preview and in the state before it, most of them twice. */
export function resourcesOfType(
  own: OwnType,
  steps: readonly Step[],
  state: readonly StateResource[],
): Resource[] {
  const recorded = state.map(({ urn, type, properties }) => {
    return { recordedUrn: urn, type, old: properties, new: properties };
  });
  return [...steps, ...recorded].filter(({ type }) => typeOf(type) === own);
}

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
  readonly #steps: ReadonlyMap<string, readonly Step[]>;
  /** By the URN of a resource, those of the resources that have a value of it. */
  readonly #receivers: ReadonlyMap<string, readonly string[]>;

  constructor(steps: readonly Step[], state: readonly StateResource[]) {
    this.#resources = new Map(state.map((resource) => [resource.urn, resource]));
    this.#steps = grouped(steps.map((step) => [step.recordedUrn, step]));
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
    return this.#steps.get(urn) ?? [];
  }

  /** Returns which resources have a value of one, without those that the preview deletes. */
  receiversOf(urn: string): readonly string[] {
    return this.#notDeleted(this.#receivers.get(urn));
  }

  /** Returns after which resources one is updated, without those that the preview deletes. */
  dependenciesOf(urn: string): readonly string[] {
    return this.#notDeleted(this.#resources.get(urn)?.dependencies);
  }

  #notDeleted(urns: readonly string[] = []): readonly string[] {
    return urns.filter((urn) => this.fateOf(urn) !== "deleted");
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

  /**
   * Returns what the preview does to a resource; undefined if it does not say, as a refresh alone does not. The deletion
   * of what this update or an earlier one replaced is not the end of the resource.
   */
  fateOf(urn: string): Fate | undefined {
    const steps = this.stepsOf(urn);
    if (steps.length === 0) return undefined;
    const step = steps.find(({ op }) => !/^(?:delete|discard)/.test(op));
    if (step === undefined) return "deleted";
    return isChange(step.op) ? "changed" : "kept";
  }
}
