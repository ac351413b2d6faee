import { PolicyPack } from "@pulumi/policy";

/** A lookup is a dynamic resource, or a resource of the plugin. */
const lookupTypes = [
  "pulumi-nodejs:dynamic/clouddb:ClusterConnectionStrings",
  "clouddb:index:ClusterConnectionStrings",
];

new PolicyPack("clouddb", {
  policies: [
    {
      name: "private-network-in-production",
      description:
        "Applications in production connect over a peered network or a private endpoint.",
      enforcementLevel: "mandatory",
      validateResource: ({ type, urn, props }, reportViolation) => {
        const isProduction = urn.startsWith("urn:pulumi:production::");
        if (!isProduction || !lookupTypes.includes(type)) return;
        // Without a network, a lookup returns the string for the Internet.
        const network: unknown = props.network;
        const isPrivate =
          network instanceof Object && "kind" in network && network.kind !== "internet";
        if (!isPrivate) {
          reportViolation(
            `The network of ${props.clusterName} is not private; set peering or privateEndpoint.`,
          );
        }
      },
    },
  ],
});
