// @ts-check
/** The examples in the plugin's schema, which `pulumi package` shows for each language. */

const projectId = "64a0c0ffee0000000000a001";

/** @type {Record<string, Record<string, string>>} */
const programs = {
  PrivateIpMode: {
    typescript: `import * as clouddb from "pulumi-clouddb-sdk";

new clouddb.PrivateIpMode("orders", { projectId: "${projectId}", enabled: false });`,
    python: `import pulumi_clouddb as clouddb

clouddb.PrivateIpMode("orders", project_id="${projectId}", enabled=False)`,
    yaml: `resources:
  orders:
    type: clouddb:PrivateIpMode
    properties:
      projectId: ${projectId}
      enabled: false`,
  },
  ClusterConnectionStrings: {
    typescript: `import * as clouddb from "pulumi-clouddb-sdk";

const orders = new clouddb.ClusterConnectionStrings("orders", {
  projectId: "${projectId}",
  clusterName: "orders",
  network: { kind: "privateEndpoint", region: "us-east-1" },
});
export const databaseUrl = orders.recommended;`,
    python: `import pulumi
import pulumi_clouddb as clouddb

orders = clouddb.ClusterConnectionStrings(
    "orders",
    project_id="${projectId}",
    cluster_name="orders",
    network={"kind": "privateEndpoint", "region": "us-east-1"},
)
pulumi.export("databaseUrl", orders.recommended)`,
    yaml: `resources:
  orders:
    type: clouddb:ClusterConnectionStrings
    properties:
      projectId: ${projectId}
      clusterName: orders
      network:
        kind: privateEndpoint
        region: us-east-1
outputs:
  databaseUrl: \${orders.recommended}`,
  },
};

/**
 * Returns the examples of a resource, in the Markdown of Pulumi's schemas.
 * @param {string} resource
 */
export function examples(resource) {
  const blocks = Object.entries(programs[resource] ?? {}).map(
    ([language, program]) => `\`\`\`${language}\n${program}\n\`\`\`\n`,
  );
  return `{{% examples %}}\n## Example Usage\n{{% example %}}\n${blocks.join("")}{{% /example %}}\n{{% /examples %}}\n`;
}
