/** Finds out when everything had ended that a lookup depends on, which may have changed a cluster until then. */
import * as pulumi from "./sdk";
import { providerOf } from "./run";

/** How long a change may take to be noticed that a program hides, in `apply` or after `await`, in milliseconds. */
const hiddenTime = 250;

type DependencyOptions = Pick<
  pulumi.CustomResourceOptions,
  "dependsOn" | "deletedWith" | "replaceWith" | "parent" | "provider"
>;

/** A resource that looks for its own dependencies, and does not wait for itself. */
export interface Dependent {
  resource?: pulumi.Resource;
}

/** Returns when everything had ended that these name, in milliseconds since 1970. Pulumi reports their failures. */
export async function endOfDependencies(
  args: unknown,
  options: DependencyOptions = {},
  dependent: Dependent = {},
): Promise<number> {
  const { dependsOn, deletedWith, replaceWith, parent } = options;
  // The SDK registers a resource after its parent. Waiting for the children of a component would be a circle.
  const registered = [parent, providerOf(options)].filter((resource) => resource !== undefined);
  try {
    const ends = await Promise.all([
      endOf([args, dependsOn, deletedWith, replaceWith], dependent),
      ...registered.map(endOfRegistration),
    ]);
    return Math.max(Date.now() - hiddenTime, ...ends);
  } catch {
    return Date.now();
  }
}

/** Returns when all resources had ended that are in a value or that it comes from; 0 if there are none. */
async function endOf(value: unknown, dependent: Dependent): Promise<number> {
  const known = await value;
  if (pulumi.Resource.isInstance(known)) {
    const all = await withChildren(known, dependent);
    return Math.max(...(await Promise.all(all.map(endOfRegistration))));
  }
  if (pulumi.Output.isInstance(known)) {
    const sources = await callUndeclared(known, "allResources");
    if (!(sources instanceof Set)) return Date.now();
    return await endOf([...sources, await callUndeclared(known, "promise")], dependent);
  }
  if (typeof known !== "object" || known === null) return 0;
  const ends = Object.values(known).map((part) => endOf(part, dependent));
  return Math.max(0, ...(await Promise.all(ends)));
}

/** Returns a resource, and what is in it if it is a component, which exists before its children. */
export async function withChildren(
  resource: pulumi.Resource,
  dependent: Dependent = {},
): Promise<readonly pulumi.Resource[]> {
  if (resource === dependent.resource) return [];
  if (pulumi.CustomResource.isInstance(resource)) return [resource];
  // Undeclared properties of the SDK's resources. The first one is a promise of the end of their construction.
  await Reflect.get(resource, "__data");
  const children: unknown = Reflect.get(resource, "__childResources");
  const all: unknown[] = children instanceof Set ? [...children] : [];
  const resources = all.filter((child) => pulumi.Resource.isInstance(child));
  const nested = await Promise.all(resources.map((child) => withChildren(child, dependent)));
  return [resource, ...nested.flat()];
}

/** When each resource had ended. Those that depend on one resource thereby share one list of clusters. */
const ends = new WeakMap<pulumi.Resource, Promise<number>>();

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
