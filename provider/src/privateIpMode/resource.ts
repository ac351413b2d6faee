/** The PrivateIpMode resource that a Pulumi program uses. */
import { ClouddbResource } from "../program/resource";
import { runState } from "../program/run";
import * as pulumi from "../program/sdk";
import { explicitProvider, serviceOf } from "../program/settings";
import type { ModeOutputs, PrivateIpModeArgs } from "./args";

/**
 * Manages the private IP mode of a project (service document 3).
 *
 * Disabling is refused while any cluster of the project runs a version below 7.0.0: the preview fails
 * and names every such cluster. Creating the resource adopts the existing setting. A stack can have
 * only one such resource for a project.
 *
 * @example
 * new clouddb.PrivateIpMode("orders", { projectId, enabled: false });
 */
export class PrivateIpMode extends ClouddbResource {
  /** The ID of the project. */
  declare readonly projectId: pulumi.Output<string>;
  /** Whether private IP mode is on. */
  declare readonly enabled: pulumi.Output<boolean>;
  /** The setting when the resource was created; undefined if the service does not expose it. */
  declare readonly enabledAtAdoption: pulumi.Output<boolean | undefined>;

  /**
   * Declares the mode of a project.
   *
   * @param name the name of the resource
   * @param args the project and its mode
   * @param options Pulumi's resource options; `provider` selects settings other than the stack's
   */
  constructor(name: string, args: PrivateIpModeArgs, options?: pulumi.CustomResourceOptions) {
    const properties = {
      ...args,
      alsoManagedBy: earlierMode(name, args.projectId, explicitProvider(options)),
      managingStack: `${pulumi.getProject()}/${pulumi.getStack()}`,
    };
    super("PrivateIpMode", name, properties, outputs, options);
  }
}

/** The outputs that are not arguments. */
const outputs: Record<keyof ModeOutputs, undefined> = { enabledAtAdoption: undefined };

/** A resource of this run. */
interface DeclaredMode {
  readonly name: string;
}

/** The resources by service, then by project. */
type DeclaredModes = Map<unknown, Map<string, DeclaredMode>>;

/**
 * Records that a resource manages a project's mode, and returns the name of the resource of this run
 * that already manages it. The two would undo each other's changes in every update, so `check` rejects
 * the second one: the provider process of a dynamic resource sees neither names nor URNs. Two resources
 * conflict only if they are certain to use the same service ({@link serviceOf}): after a false positive,
 * there would be no way to declare both.
 */
function earlierMode(
  name: string,
  projectId: pulumi.Input<string>,
  provider: pulumi.ProviderResource | undefined,
): pulumi.Input<string | undefined> {
  const modes = runState("holders.1", isDeclaredModes, (): DeclaredModes => new Map());
  if (modes === undefined) return undefined;
  const byProject = entry(modes, serviceOf(provider), () => new Map<string, DeclaredMode>());
  const self: DeclaredMode = { name };
  const earlier = (id: string) => {
    const first = entry(byProject, id, () => self);
    return first === self ? undefined : first.name;
  };
  return typeof projectId === "string"
    ? earlier(projectId)
    : pulumi.output(projectId).apply(earlier);
}

/** Accepts any map: only this module, in any copy of the package, stores one under this name. */
function isDeclaredModes(value: unknown): value is DeclaredModes {
  return value instanceof Map;
}

function entry<Key, Value>(
  map: { get(key: Key): Value | undefined; set(key: Key, value: Value): unknown },
  key: Key,
  create: () => Value,
): Value {
  const value = map.get(key) ?? create();
  map.set(key, value);
  return value;
}
