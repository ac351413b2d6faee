/** PrivateIpMode as a Pulumi program sees it. */
import * as pulumi from "../engine/sdk";
import { warnOfPlainSecrets } from "../engine/plainSecrets";
import { absentAsUndefined } from "../engine/absentOutputs";
import { explicitProvider } from "../engine/provider";
import { providerText } from "../engine/providerText";
import { earlierHolder } from "./holders";

/** The arguments of {@link PrivateIpMode}. */
export interface PrivateIpModeArgs {
  /** The project whose setting is held; another project replaces the resource. */
  readonly projectId: pulumi.Input<string>;
  /** Whether the legacy peering-only ("private IP") mode is on (service document 2.3). */
  readonly enabled: pulumi.Input<boolean>;
  /**
   * What becomes of the setting when the resource is deleted: `retain` leaves it as it is, `restore`
   * sets what was found when the resource was created.
   *
   * @default "retain"
   */
  readonly onDelete?: pulumi.Input<"retain" | "restore"> | undefined;
}

/**
 * Holds a project's private IP mode where the program says (service document 3).
 *
 * A disable is refused while any cluster of the project runs a version below 7.0.0: a preview fails
 * and names every such cluster. Creating the resource adopts the setting that exists.
 * A second resource of a stack for the same project is refused as well.
 *
 * @example
 * new clouddb.PrivateIpMode("orders", { projectId, enabled: false });
 */
export class PrivateIpMode extends pulumi.CustomResource {
  declare readonly projectId: pulumi.Output<string>;
  declare readonly enabled: pulumi.Output<boolean>;
  /** What the setting was when the resource was created; undefined where the service does not show it. */
  declare readonly enabledAtAdoption: pulumi.Output<boolean | undefined>;

  /**
   * @param name the name of the resource
   * @param args the project and its mode
   * @param options Pulumi's options of a resource; `provider` chooses other settings than the stack's
   */
  constructor(name: string, args: PrivateIpModeArgs, options?: pulumi.CustomResourceOptions) {
    warnOfPlainSecrets();
    const outputs = { enabledAtAdoption: undefined };
    const alsoHeldBy = earlierHolder(name, args.projectId, explicitProvider(options));
    const properties = {
      ...outputs,
      ...args,
      alsoHeldBy,
      __provider: providerText("privateIpMode"),
    };
    super("pulumi-nodejs:dynamic/clouddb:PrivateIpMode", name, properties, options);
    this.enabledAtAdoption = absentAsUndefined(this.enabledAtAdoption);
  }
}
