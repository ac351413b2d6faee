/** The plugin in the test's process, to which the engine attaches (PULUMI_DEBUG_PROVIDERS), and its resources. */
import * as grpc from "@grpc/grpc-js";
import * as pulumi from "@pulumi/pulumi";
import * as services from "@pulumi/pulumi/proto/engine_grpc_pb";
import * as messages from "@pulumi/pulumi/proto/engine_pb";
import { CloudDbProvider } from "../../plugin/src/provider";
import { type ServedProvider, serve } from "../../plugin/src/server";
import type { Cleanup } from "../support/cleanup";

/** Returns a provider that does more than the given one, such as recording its calls. */
export type WrapPlugin = (provider: ServedProvider) => ServedProvider;

/**
 * Serves the plugin.
 *
 * @returns the value of PULUMI_DEBUG_PROVIDERS
 */
export async function attachablePlugin(
  cleanup: Cleanup,
  environment: NodeJS.ProcessEnv,
  wrap: WrapPlugin = (provider) => provider,
): Promise<string> {
  const modules = { grpc, services, messages };
  const provider = new CloudDbProvider({ engineAddress: undefined, modules, environment });
  const server = await serve(wrap(provider));
  cleanup(() => server.stop());
  return `clouddb:${server.port}`;
}

/** A resource of the plugin, with the aliases of the generated SDK. */
class PluginResource extends pulumi.CustomResource {
  constructor(
    type: string,
    name: string,
    properties: pulumi.Inputs,
    { aliases = [], ...options }: pulumi.CustomResourceOptions = {},
  ) {
    const dynamic = { type: `pulumi-nodejs:dynamic/clouddb:${type}` };
    const resourceOptions = { ...options, aliases: [...aliases, dynamic] };
    super(`clouddb:index:${type}`, name, properties, resourceOptions);
  }
}

/** The plugin's PrivateIpMode. */
export class PrivateIpMode extends PluginResource {
  declare readonly enabled: pulumi.Output<boolean>;

  constructor(name: string, args: pulumi.Inputs, options?: pulumi.CustomResourceOptions) {
    super("PrivateIpMode", name, args, options);
  }
}

/** The plugin's ClusterConnectionStrings. */
export class ClusterConnectionStrings extends PluginResource {
  declare readonly recommended: pulumi.Output<string>;
  declare readonly standard: pulumi.Output<string | undefined>;

  constructor(name: string, args: pulumi.Inputs, options?: pulumi.CustomResourceOptions) {
    const outputs = { recommended: undefined, standard: undefined };
    super("ClusterConnectionStrings", name, { ...outputs, ...args }, options);
  }
}

/** The plugin's DatabaseUrl. */
export class DatabaseUrl extends PluginResource {
  declare readonly connectionString: pulumi.Output<string>;
  declare readonly url: pulumi.Output<string>;

  constructor(name: string, args: pulumi.Inputs, options?: pulumi.CustomResourceOptions) {
    const password = pulumi.secret(args["password"]);
    super("DatabaseUrl", name, { url: undefined, ...args, password }, options);
  }
}
