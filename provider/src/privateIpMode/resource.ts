/** The PrivateIpMode resource that a Pulumi program uses. */
import * as pulumi from "../program/sdk";
import { warnOfPlainSecrets } from "../program/plainSecrets";
import { rejectImport } from "../program/importOption";
import { withPluginAlias } from "../program/pluginAlias";
import { absentAsUndefined } from "../program/absentOutputs";
import { explicitProvider } from "../program/programSettings";
import { providerText } from "../session/providerText";
import { earlierHolder } from "./holders";

/** The arguments of {@link PrivateIpMode}. */
export interface PrivateIpModeArgs {
  /** The ID of the project. Changing it replaces the resource. */
  readonly projectId: pulumi.Input<string>;
  /** Whether the legacy peering-only ("private IP") mode is on (service document 2.3). */
  readonly enabled: pulumi.Input<boolean>;
  /**
   * What happens to the setting when the resource is deleted: `retain` leaves it as it is, `restore`
   * sets it back to its value when the resource was created.
   *
   * @default "retain"
   */
  readonly onDelete?: pulumi.Input<"retain" | "restore"> | undefined;
}

/**
 * Manages the private IP mode of a project (service document 3).
 *
 * A disable is refused while any cluster of the project runs a version below 7.0.0: the preview fails
 * and names every such cluster. Creating the resource adopts the existing setting. A stack can have
 * only one such resource for a project.
 *
 * @example
 * new clouddb.PrivateIpMode("orders", { projectId, enabled: false });
 */
export class PrivateIpMode extends pulumi.CustomResource {
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
    rejectImport(name, options);
    warnOfPlainSecrets();
    const alsoHeldBy = earlierHolder(name, args.projectId, explicitProvider(options));
    const properties = {
      ...computedOutputs,
      ...args,
      alsoHeldBy,
      __provider: providerText("privateIpMode"),
    };
    super(
      "pulumi-nodejs:dynamic/clouddb:PrivateIpMode",
      name,
      properties,
      withPluginAlias("clouddb:index:PrivateIpMode", options),
    );
    this.enabledAtAdoption = absentAsUndefined(this.enabledAtAdoption);
  }
}

/** The outputs of {@link PrivateIpMode} that are not arguments. */
export type ComputedOutput = Exclude<
  keyof PrivateIpMode,
  keyof pulumi.CustomResource | keyof PrivateIpModeArgs
>;

/** The SDK only creates outputs for properties that are passed to it, so every output is listed. */
const computedOutputs: Record<ComputedOutput, undefined> = { enabledAtAdoption: undefined };
