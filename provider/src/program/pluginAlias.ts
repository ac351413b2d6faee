/** Lets a stack move from the provider plugin to this package without replacing its resources. */
import type * as pulumi from "./sdk";

/**
 * Adds the resource's type in the plugin `pulumi-resource-clouddb` to its aliases. The schema of the
 * plugin has the opposite alias (docs/decisions/0015-provider-plugin.md).
 *
 * @param type the type in the plugin
 * @param options the options that the program gave
 * @returns the options with the alias
 */
export function withPluginAlias(
  type: "clouddb:index:PrivateIpMode" | "clouddb:index:ClusterConnectionStrings",
  options: pulumi.CustomResourceOptions = {},
): pulumi.CustomResourceOptions {
  return { ...options, aliases: [...(options.aliases ?? []), { type }] };
}
