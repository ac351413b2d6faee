/**
 * What a resource records in the state as its provider. The engine's provider process evaluates it
 * and calls `handler`. The text is part of the state of every stack, for years: it never changes.
 * (docs/decisions/0001-constant-provider-text.md)
 */
export function providerText(lifecycle: "privateIpMode" | "clusterConnectionStrings"): string {
  return `exports.handler=()=>require("pulumi-clouddb/runtime").${lifecycle}`;
}
