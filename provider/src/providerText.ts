/** The provider text, which tells the engine's dynamic provider process how to load a lifecycle. */

/**
 * Returns the provider text that a resource records in the state. The engine's provider process evaluates it and calls
 * `handler`. Because it is part of the state of every stack, it never changes
 * (docs/internals/decisions.md#0001-constant-provider-text).
 */
export function providerText(
  lifecycle: "privateIpMode" | "clusterConnectionStrings" | "databaseUrl",
): string {
  return `exports.handler=()=>require("pulumi-clouddb/runtime").${lifecycle}`;
}
