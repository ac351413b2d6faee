import { PolicyPack, validateResourceOfType } from "@pulumi/policy";
import { ClusterConnectionStrings, DatabaseUrl } from "pulumi-clouddb";

new PolicyPack("clouddb", {
  policies: [
    {
      name: "private-network-in-production",
      description:
        "Applications in production connect over a peered network or a private endpoint.",
      enforcementLevel: "mandatory",
      // Also validates the lookups of the plugin, which have the same arguments.
      validateResource: validateResourceOfType(
        ClusterConnectionStrings,
        // Without a network, a lookup returns the string for the Internet.
        ({ clusterName, network = { kind: "internet" } }, { urn }, reportViolation) => {
          const isProduction = urn.startsWith("urn:pulumi:production::");
          if (isProduction && network.kind === "internet") {
            reportViolation(
              `The network of ${clusterName} is not private; set peering or privateEndpoint.`,
            );
          }
        },
      ),
    },
    {
      name: "database",
      description: "The URL of each application names a database.",
      enforcementLevel: "remediate",
      remediateResource: (args) => {
        if (!args.isType(DatabaseUrl)) return undefined;
        const { props } = args;
        if (props["database"] !== undefined) return undefined;
        // Assign to props. A copy such as { ...props } makes secrets plain text in previews and in the state.
        props["database"] = "shop";
        // Pulumi asks policies after the provider made the URL, and would show it without the database.
        delete props["url"];
        return props;
      },
    },
  ],
});
