/** What depends on what in the state before a preview, and what the preview does to each resource. */
import { grouped } from "../groups";
import { type Step, isChange } from "../read/eventLog";
import type { StateResource } from "../read/stackExport";
import { type OwnType, type ResourceName, parseUrn, typeOf } from "../resourceNames";
import type { Properties } from "../values";

/** What a preview does to a resource: nothing, an update or a replacement, or a deletion. */
type Fate = "kept" | "changed" | "deleted";

/** A resource, and the one from which it was first reached, by their URNs. */
export interface Reached {
  readonly source: string;
  readonly urn: string;
  /** How many steps it is away. */
  readonly distance: number;
}

/** The resources of a preview and of the state, by the URN in the state, which an alias can change. */
export class StateGraph {
  readonly #resources: ReadonlyMap<string, StateResource>;
  readonly #steps: ReadonlyMap<string, readonly Step[]>;
  /** By the URN of a resource, those of the resources that have a value of it, and of those that depend on it. */
  readonly #receivers: ReadonlyMap<string, readonly string[]>;
  readonly #dependents: ReadonlyMap<string, readonly string[]>;

  constructor(steps: readonly Step[], state: readonly StateResource[]) {
    this.#resources = new Map(state.map((resource) => [resource.urn, resource]));
    this.#steps = grouped(steps.map((step) => [step.recordedUrn, step]));
    const reversed = (of: "sources" | "dependencies") =>
      grouped(state.flatMap((resource) => resource[of].map((urn) => [urn, resource.urn] as const)));
    this.#receivers = reversed("sources");
    this.#dependents = reversed("dependencies");
  }

  resourceOf(urn: string): StateResource | undefined {
    return this.#resources.get(urn);
  }

  stepOf(urn: string): Step | undefined {
    return this.#steps.get(urn)?.[0];
  }

  /** Returns the URNs of the resources of a type of this package. */
  urnsOf(own: OwnType): string[] {
    const urns = new Set([...this.#steps.keys(), ...this.#resources.keys()]);
    return [...urns].filter((urn) => typeOf(this.nameOf(urn).type) === own);
  }

  /** Returns the properties of a resource before and after the preview. */
  propertiesOf(urn: string): Properties[] {
    const { old, new: changed } = this.stepOf(urn) ?? {};
    const recorded = this.#resources.get(urn)?.properties;
    return [old, changed, recorded].filter((properties) => properties !== undefined);
  }

  /** Returns which resources have a value of one, without those that the preview deletes. */
  receiversOf(urn: string): readonly string[] {
    return this.#notDeleted(this.#receivers.get(urn));
  }

  /** Returns after which resources one is updated, without those that the preview deletes. */
  dependenciesOf(urn: string): readonly string[] {
    return this.#notDeleted(this.#resources.get(urn)?.dependencies);
  }

  dependentsOf(urn: string): readonly string[] {
    return this.#notDeleted(this.#dependents.get(urn));
  }

  #notDeleted(urns: readonly string[] = []): readonly string[] {
    return urns.filter((urn) => this.fateOf(urn) !== "deleted");
  }

  /**
   * Follows what `next` returns for each resource, beginning with some of them.
   *
   * @returns what it reaches, without these, each once, nearest first
   */
  reachedFrom(urns: readonly string[], next: (urn: string) => readonly string[]): Reached[] {
    const all = new Map(
      urns.map((urn): [string, Reached] => [urn, { source: urn, urn, distance: 0 }]),
    );
    // The loop also visits what it adds.
    for (const { urn: source, distance } of all.values()) {
      for (const urn of next(source))
        if (!all.has(urn)) all.set(urn, { source, urn, distance: distance + 1 });
    }
    return [...all.values()].filter(({ distance }) => distance > 0);
  }

  /** Returns the name of a resource after the preview. */
  nameOf(urn: string): ResourceName {
    return parseUrn(this.stepOf(urn)?.urn ?? urn);
  }

  /** Returns what the preview does to a resource; undefined if it does not say, as a refresh alone does not. */
  fateOf(urn: string): Fate | undefined {
    const step = this.stepOf(urn);
    if (step === undefined) return undefined;
    if (/^(?:delete|discard)/.test(step.op)) return "deleted";
    return isChange(step.op) ? "changed" : "kept";
  }
}
