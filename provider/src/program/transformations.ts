/**
 * What a program's transformations change of a lookup: those that the SDK runs while it constructs a resource
 * (`transformations`), and those that the engine runs after the registration was sent (`transforms`).
 */
import * as pulumi from "./sdk";

/**
 * Returns a transformation that adds inputs after all others have run, which may have changed the arguments and the
 * options: those of the resource, its parents and the stack.
 *
 * The SDK runs one after the other from an undeclared list of the resource, so one that is added to this list meanwhile
 * runs last. If a version of the SDK copies the list, no inputs are added.
 */
export function lastTransformation(
  inputsOf: (final: pulumi.ResourceTransformationArgs) => pulumi.Inputs,
): pulumi.ResourceTransformation {
  let isAdded = false;
  return ({ resource }) => {
    const all: unknown = Reflect.get(resource, "__transformations");
    // Children of the resource inherit the transformation, but not the inputs.
    if (isAdded || !Array.isArray(all)) return undefined;
    isAdded = true;
    const last: pulumi.ResourceTransformation = (final) => {
      // Removed again, because children of the resource inherit its list.
      all.splice(all.indexOf(last), 1);
      return { props: { ...final.props, ...inputsOf(final) }, opts: final.opts };
    };
    all.push(last);
    return undefined;
  };
}

/**
 * Returns whether a transform may run in the engine: one of the options, or one of a parent or the stack, for which the
 * SDK then has a server, whose undeclared name is `callbacks`. It has the same server for hooks.
 */
export function mayBeTransformed({ transforms = [] }: pulumi.ResourceOptions): boolean {
  const getStore: unknown = Reflect.get(pulumi.runtimeState, "getStore");
  const store: unknown =
    typeof getStore === "function" ? Reflect.apply(getStore, undefined, []) : undefined;
  return transforms.length > 0 || Reflect.get(Object(store), "callbacks") !== undefined;
}
