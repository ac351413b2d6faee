/**
 * Finds out when everything had ended that a lookup depends on: another resource of the same update may have changed a
 * cluster until then, so the lookup needs a list of clusters that was requested later
 * (docs/internals/decisions.md#0021-age-of-lists).
 */
import * as pulumi from "./sdk";
import { providerOf } from "./run";

/**
 * A program may wait for a change without naming it, in `apply` or with `await`. So no list is accepted that was
 * requested earlier than this before the lookup, in milliseconds.
 */
const unnamedTime = 250;

/**
 * The options for whose resources Pulumi's SDK waits before it registers a resource. For those in `withChildren`, it also
 * waits for the children of components. For the others, that could be a circle, because a child may use the lookup.
 */
export const awaitedOptions = {
  withChildren: ["dependsOn", "replaceWith", "replacementTrigger"],
  withoutChildren: ["aliases", "deletedWith", "parent", "provider"],
} as const;

type AwaitedOption = (typeof awaitedOptions)[keyof typeof awaitedOptions][number];

/**
 * Returns after which time a list must have been requested, in milliseconds since 1970: when everything had ended that
 * these name, or shortly before now if it ended long ago. Now, if something fails; Pulumi reports it.
 *
 * @param dependent the resource that has the options, which does not wait for itself
 */
export async function earliestRequest(
  args: unknown,
  options: Pick<pulumi.CustomResourceOptions, AwaitedOption> = {},
  dependent?: pulumi.Resource,
): Promise<number> {
  const valuesOf = (names: readonly AwaitedOption[]) => names.map((name): unknown => options[name]);
  const search = new Search((resource) => withChildren(resource, dependent));
  const searchWithoutChildren = new Search((resource) => Promise.resolve([resource]));
  try {
    const end = await latest([
      search.endOf([args, valuesOf(awaitedOptions.withChildren)]),
      searchWithoutChildren.endOf([valuesOf(awaitedOptions.withoutChildren), providerOf(options)]),
    ]);
    return Math.max(Date.now() - unnamedTime, end);
  } catch {
    return Date.now();
  }
}

/**
 * Searches values for resources and for outputs, and waits for all resources that it finds or that outputs come from.
 */
class Search {
  readonly #awaitedFor: typeof withChildren;
  /** Each object is searched once, because it may contain itself, or share its parts with others. */
  readonly #searched = new Set<object>();

  /** @param awaitedFor returns what to wait for if the value contains a resource */
  constructor(awaitedFor: typeof withChildren) {
    this.#awaitedFor = awaitedFor;
  }

  /** Returns when the resources had ended; 0 if there are none, or if all were found before. */
  async endOf(value: unknown): Promise<number> {
    const object = await value;
    if (typeof object !== "object" || object === null || this.#searched.has(object)) return 0;
    this.#searched.add(object);
    if (pulumi.Resource.isInstance(object)) {
      const all = await this.#awaitedFor(object);
      return await latest(all.map(endOfRegistration));
    }
    if (pulumi.Output.isInstance(object)) {
      const sources = await callUndeclared(object, "allResources");
      if (!(sources instanceof Set)) return Date.now();
      return await this.endOf([...sources, await callUndeclared(object, "promise")]);
    }
    return await latest(Object.values(object).map((part) => this.endOf(part)));
  }
}

/** Returns the last of some times; 0 if there are none. */
async function latest(times: readonly Promise<number>[]): Promise<number> {
  return (await Promise.all(times)).reduce((last, time) => Math.max(last, time), 0);
}

/** Returns a resource, and what is in it if it is a component, which exists before its children. */
export async function withChildren(
  resource: pulumi.Resource,
  dependent?: pulumi.Resource,
): Promise<readonly pulumi.Resource[]> {
  if (resource === dependent) return [];
  if (pulumi.CustomResource.isInstance(resource)) return [resource];
  // Undeclared properties of the SDK's resources. The first one is a promise of the end of their construction.
  await Reflect.get(resource, "__data");
  const children: unknown = Reflect.get(resource, "__childResources");
  const all: unknown[] = children instanceof Set ? [...children] : [];
  const resources = all.filter((child) => pulumi.Resource.isInstance(child));
  const nested = await Promise.all(resources.map((child) => withChildren(child, dependent)));
  return [resource, ...nested.flat()];
}

/**
 * When the registration of each resource had ended, so that all lookups that depend on it share one list of clusters.
 */
const ends = new WeakMap<pulumi.Resource, Promise<number>>();

/** Returns when the registration of a resource ended, which is after the engine has created or updated the resource. */
function endOfRegistration(resource: pulumi.Resource): Promise<number> {
  const end = ends.get(resource) ?? callUndeclared(resource.urn, "promise").then(() => Date.now());
  ends.set(resource, end);
  return end;
}

/** Calls a method of an output that the SDK's types do not declare. */
async function callUndeclared(
  output: object,
  method: "allResources" | "promise",
): Promise<unknown> {
  const called: unknown = Reflect.get(output, method);
  return typeof called === "function" ? await Reflect.apply(called, output, []) : undefined;
}
