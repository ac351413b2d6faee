// @ts-check
/** The examples in the plugin's schema, which the generated SDKs show. */

const projectId = "64a0c0ffee0000000000a001";

/**
 * The statements of a program in each language.
 * @typedef {{ typescript: string, python: string, yaml: string }} Programs
 */

/** The statements for the resources. @type {Record<string, Programs>} */
const programs = {
  PrivateIpMode: {
    typescript: `new clouddb.PrivateIpMode("orders", { projectId: "${projectId}", enabled: false });`,
    python: `clouddb.PrivateIpMode("orders", project_id="${projectId}", enabled=False)`,
    yaml: `resources:
  orders:
    type: clouddb:PrivateIpMode
    properties:
      projectId: ${projectId}
      enabled: false`,
  },
  ClusterConnectionStrings: {
    typescript: `const orders = new clouddb.ClusterConnectionStrings("orders", {
  projectId: "${projectId}",
  clusterName: "orders",
  network: { kind: "privateEndpoint", region: "us-east-1" },
});
export const databaseUrl = orders.recommended;`,
    python: `orders = clouddb.ClusterConnectionStrings(
    "orders",
    project_id="${projectId}",
    cluster_name="orders",
    network={"kind": clouddb.NetworkKind.PRIVATE_ENDPOINT, "region": "us-east-1"},
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
  DatabaseUrl: {
    typescript: `const orders = new clouddb.ClusterConnectionStrings("orders", {
  projectId: "${projectId}",
  clusterName: "orders",
});
const database = new clouddb.DatabaseUrl("orders", {
  connectionString: orders.recommended,
  username: "app",
  password: new pulumi.Config().requireSecret("databasePassword"),
});
export const databaseUrl = database.url;`,
    python: `orders = clouddb.ClusterConnectionStrings(
    "orders", project_id="${projectId}", cluster_name="orders"
)
database = clouddb.DatabaseUrl(
    "orders",
    connection_string=orders.recommended,
    username="app",
    password=pulumi.Config().require_secret("databasePassword"),
)
pulumi.export("databaseUrl", database.url)`,
    yaml: `configuration:
  databasePassword:
    type: String
    secret: true
resources:
  orders:
    type: clouddb:ClusterConnectionStrings
    properties:
      projectId: ${projectId}
      clusterName: orders
  database:
    type: clouddb:DatabaseUrl
    properties:
      connectionString: \${orders.recommended}
      username: app
      password: \${databasePassword}
outputs:
  databaseUrl: \${database.url}`,
  },
};

/**
 * The arguments of each function, and the output that the programs export.
 * @type {Record<string, { args: Record<string, string>, output: string }>}
 */
const calls = {
  getConnectionStrings: { args: { projectId, clusterName: "orders" }, output: "recommended" },
  getClusters: { args: { projectId }, output: "clusters" },
  classifyConnectionString: {
    args: { connectionString: "db+srv://orders.clusters.example" },
    output: "kind",
  },
};

/**
 * Returns the statements that call a function.
 * @param {string} name @param {{ args: Record<string, string>, output: string }} call
 * @returns {Programs}
 */
function callOf(name, { args, output }) {
  const argumentsAs = (/** @type {(name: string, value: string) => string} */ line) =>
    Object.entries(args)
      .map(([key, value]) => line(key, JSON.stringify(value)))
      .join("");
  return {
    typescript: `const found = clouddb.${name}Output({${argumentsAs((key, value) => `\n  ${key}: ${value},`)}\n});
export const ${output} = found.${output};`,
    python: `found = clouddb.${snakeCase(name)}_output(${argumentsAs((key, value) => `\n    ${snakeCase(key)}=${value},`)}\n)
pulumi.export("${output}", found.${output})`,
    yaml: `variables:
  found:
    fn::invoke:
      function: clouddb:${name}
      arguments:${argumentsAs((key, value) => `\n        ${key}: ${value}`)}
outputs:
  ${output}: \${found.${output}}`,
  };
}

/** @param {string} name */
function snakeCase(name) {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/**
 * Returns the examples of a resource or function, in the Markdown of Pulumi's schemas.
 * @param {string} name
 */
export function examples(name) {
  const call = calls[name];
  const statements = call === undefined ? programs[name] : callOf(name, call);
  if (statements === undefined) throw new Error(`${name} has no example`);
  const { typescript, python, yaml } = statements;
  const pulumi = typescript.includes("pulumi.")
    ? 'import * as pulumi from "@pulumi/pulumi";\n'
    : "";
  const pythonPulumi = python.includes("pulumi.") ? "import pulumi\n" : "";
  const blocks = Object.entries({
    typescript: `${pulumi}import * as clouddb from "pulumi-clouddb-sdk";\n\n${typescript}`,
    python: `${pythonPulumi}import pulumi_clouddb as clouddb\n\n${python}`,
    yaml,
  }).map(([language, program]) => `\`\`\`${language}\n${program}\n\`\`\`\n`);
  return `{{% examples %}}\n## Example Usage\n{{% example %}}\n${blocks.join("")}{{% /example %}}\n{{% /examples %}}\n`;
}
