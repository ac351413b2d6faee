/** The PrivateIpMode resource that a Pulumi program uses. */
import { randomUUID } from "node:crypto";
import { ClouddbResource, type OutputsOf, isOfClass } from "../program/clouddbResource";
import { isMocked } from "../program/run";
import type * as pulumi from "../program/sdk";
import type { HiddenInputs, ModeArgs, PrivateIpModeArgs } from "./args";

// The outputs, which are the arguments. Editors would show a comment in JSDoc in front of that of the class.
// oxlint-disable-next-line typescript/no-unsafe-declaration-merging, typescript/no-empty-object-type -- the SDK assigns the outputs
export interface PrivateIpMode extends OutputsOf<ModeArgs> {}

/**
 * Manages the private IP mode of a project, which Atlas calls *Connect via Peering Only*. Disabling is refused while
 * any cluster runs a version below 7.0, and deleting the resource leaves the setting unchanged.
 *
 * The preview of a refused change fails and names every such cluster. Creating the resource takes over the existing
 * setting. A stack can have only one such resource for a project
 * ([more](https://github.com/pulumi-clouddb/pulumi-clouddb/blob/main/docs/concepts.md#private-ip-mode)).
 *
 * @example
 * new clouddb.PrivateIpMode("orders", { projectId, enabled: false });
 */
export class PrivateIpMode extends ClouddbResource {
  /**
   * Returns whether a value is such a resource, for example in a policy pack.
   *
   * @param value any value
   */
  static override isInstance(value: unknown): value is PrivateIpMode {
    return isOfClass("PrivateIpMode", value);
  }

  /**
   * Manages the private IP mode of a project, which Atlas calls *Connect via Peering Only*. Disabling is refused while
   * any cluster runs a version below 7.0, and deleting the resource leaves the setting unchanged.
   *
   * @param name the name of the resource
   * @param args the project and its mode
   * @param options Pulumi's resource options; `provider` selects settings other than the stack's
   */
  constructor(name: string, args: PrivateIpModeArgs, options?: pulumi.CustomResourceOptions) {
    const hidden: HiddenInputs = { __resource: isMocked() ? name : `${name}\n${randomUUID()}` };
    super("PrivateIpMode", name, { ...args, ...hidden }, [], options);
  }
}
