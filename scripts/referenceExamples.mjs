// @ts-check
/** The examples in the plugin's schema, which the generated SDKs and the registry show for each language. */

const projectId = "64a0c0ffee0000000000a001";

/**
 * The statements of a program in each language.
 * @typedef {{ typescript: string, python: string, csharp: string, go: string, java: string, yaml: string }} Programs
 */

/** The statements for the resources. @type {Record<string, Programs>} */
const programs = {
  PrivateIpMode: {
    typescript: `new clouddb.PrivateIpMode("orders", { projectId: "${projectId}", enabled: false });`,
    python: `clouddb.PrivateIpMode("orders", project_id="${projectId}", enabled=False)`,
    csharp: `    var orders = new CloudDb.PrivateIpMode("orders", new()
    {
        ProjectId = "${projectId}",
        Enabled = false,
    });`,
    go: `		_, err := clouddb.NewPrivateIpMode(ctx, "orders", &clouddb.PrivateIpModeArgs{
			ProjectId: pulumi.String("${projectId}"),
			Enabled:   pulumi.Bool(false),
		})
		return err`,
    java: `        var orders = new PrivateIpMode("orders", PrivateIpModeArgs.builder()
            .projectId("${projectId}")
            .enabled(false)
            .build());`,
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
    csharp: `    var orders = new CloudDb.ClusterConnectionStrings("orders", new()
    {
        ProjectId = "${projectId}",
        ClusterName = "orders",
        Network = new CloudDb.Inputs.NetworkArgs
        {
            Kind = CloudDb.NetworkKind.PrivateEndpoint,
            Region = "us-east-1",
        },
    });
    return new Dictionary<string, object?> { ["databaseUrl"] = orders.Recommended };`,
    go: `		orders, err := clouddb.NewClusterConnectionStrings(ctx, "orders", &clouddb.ClusterConnectionStringsArgs{
			ProjectId:   pulumi.String("${projectId}"),
			ClusterName: pulumi.String("orders"),
			Network: &clouddb.NetworkArgs{
				Kind:   clouddb.NetworkKindPrivateEndpoint,
				Region: pulumi.String("us-east-1"),
			},
		})
		if err != nil {
			return err
		}
		ctx.Export("databaseUrl", orders.Recommended)
		return nil`,
    java: `        var orders = new ClusterConnectionStrings("orders", ClusterConnectionStringsArgs.builder()
            .projectId("${projectId}")
            .clusterName("orders")
            .network(NetworkArgs.builder()
                .kind(NetworkKind.PrivateEndpoint)
                .region("us-east-1")
                .build())
            .build());
        ctx.export("databaseUrl", orders.recommended());`,
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
    csharp: `    var orders = new CloudDb.ClusterConnectionStrings("orders", new()
    {
        ProjectId = "${projectId}",
        ClusterName = "orders",
    });
    var database = new CloudDb.DatabaseUrl("orders", new()
    {
        ConnectionString = orders.Recommended,
        Username = "app",
        Password = new Config().RequireSecret("databasePassword"),
    });
    return new Dictionary<string, object?> { ["databaseUrl"] = database.Url };`,
    go: `		orders, err := clouddb.NewClusterConnectionStrings(ctx, "orders", &clouddb.ClusterConnectionStringsArgs{
			ProjectId:   pulumi.String("${projectId}"),
			ClusterName: pulumi.String("orders"),
		})
		if err != nil {
			return err
		}
		database, err := clouddb.NewDatabaseUrl(ctx, "orders", &clouddb.DatabaseUrlArgs{
			ConnectionString: orders.Recommended,
			Username:         pulumi.String("app"),
			Password:         config.New(ctx, "").RequireSecret("databasePassword"),
		})
		if err != nil {
			return err
		}
		ctx.Export("databaseUrl", database.Url)
		return nil`,
    java: `        var orders = new ClusterConnectionStrings("orders", ClusterConnectionStringsArgs.builder()
            .projectId("${projectId}")
            .clusterName("orders")
            .build());
        var database = new DatabaseUrl("orders", DatabaseUrlArgs.builder()
            .connectionString(orders.recommended())
            .username("app")
            .password(ctx.config().requireSecret("databasePassword"))
            .build());
        ctx.export("databaseUrl", database.url());`,
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
  getPrivateIpModeReadiness: { args: { projectId }, output: "ready" },
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
  const each = (/** @type {(name: string, value: string) => string} */ line) =>
    Object.entries(args)
      .map(([key, value]) => line(key, JSON.stringify(value)))
      .join("");
  const widest = Math.max(...Object.keys(args).map((key) => key.length)) + 1;
  return {
    typescript: `const found = clouddb.${name}Output({${each((key, value) => `\n  ${key}: ${value},`)}\n});
export const ${output} = found.${output};`,
    python: `found = clouddb.${snakeCase(name)}_output(${each((key, value) => `\n    ${snakeCase(key)}=${value},`)}\n)
pulumi.export("${output}", found.${output})`,
    csharp: `    var found = CloudDb.${pascalCase(name)}.Invoke(new()
    {${each((key, value) => `\n        ${pascalCase(key)} = ${value},`)}
    });
    return new Dictionary<string, object?>
    {
        ["${output}"] = found.Apply(result => result.${pascalCase(output)}),
    };`,
    go: `		found := clouddb.${pascalCase(name)}Output(ctx, clouddb.${pascalCase(name)}OutputArgs{${each((key, value) => `\n\t\t\t${`${pascalCase(key)}:`.padEnd(widest)} pulumi.String(${value}),`)}
		})
		ctx.Export("${output}", found.${pascalCase(output)}())
		return nil`,
    java: `        var found = ClouddbFunctions.${name}(${pascalCase(name)}Args.builder()${each((key, value) => `\n            .${key}(${value})`)}
            .build());
        ctx.export("${output}", found.applyValue(result -> result.${output}()));`,
    yaml: `variables:
  found:
    fn::invoke:
      function: clouddb:${name}
      arguments:${each((key, value) => `\n        ${key}: ${value}`)}
outputs:
  ${output}: \${found.${output}}`,
  };
}

/** @param {string} name */
function snakeCase(name) {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** @param {string} name */
function pascalCase(name) {
  return `${name[0]?.toUpperCase()}${name.slice(1)}`;
}

/**
 * Wraps the statements in a program that imports only what it uses.
 * @type {{ [Language in keyof Programs]: (statements: string) => string }}
 */
const templates = {
  typescript: (statements) =>
    `${importIfUsed(statements, "pulumi.", 'import * as pulumi from "@pulumi/pulumi";\n')}import * as clouddb from "pulumi-clouddb-sdk";\n\n${statements}`,
  python: (statements) =>
    `${importIfUsed(statements, "pulumi.", "import pulumi\n")}import pulumi_clouddb as clouddb\n\n${statements}`,
  csharp: (statements) => `using System.Collections.Generic;
using Pulumi;
using CloudDb = PulumiCloudDb.Sdk;

return await Deployment.RunAsync(() =>
{
${statements}
});`,
  go: (statements) => `package main

import (
	"github.com/pulumi-clouddb/pulumi-clouddb/sdk/go/clouddb"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
${importIfUsed(statements, "config.", '\t"github.com/pulumi/pulumi/sdk/v3/go/pulumi/config"\n')})

func main() {
	pulumi.Run(func(ctx *pulumi.Context) error {
${statements}
	})
}`,
  java: (statements) => `import com.pulumi.Context;
import com.pulumi.Pulumi;
import io.github.pulumiclouddb.clouddb.*;
${functionImport(statements)}${importIfUsed(statements, "NetworkKind", "import io.github.pulumiclouddb.clouddb.enums.NetworkKind;\nimport io.github.pulumiclouddb.clouddb.inputs.NetworkArgs;\n")}
public class App {
    public static void main(String[] args) {
        Pulumi.run(App::stack);
    }

    public static void stack(Context ctx) {
${statements}
    }
}`,
  yaml: (statements) => statements,
};

/** @param {string} statements */
function functionImport(statements) {
  const [, args] = /ClouddbFunctions\.\w+\((\w+)/.exec(statements) ?? [];
  return args === undefined ? "" : `import io.github.pulumiclouddb.clouddb.inputs.${args};\n`;
}

/** @param {string} statements @param {string} use @param {string} line */
function importIfUsed(statements, use, line) {
  return statements.includes(use) ? line : "";
}

/**
 * Returns the examples of a resource or function, in the Markdown of Pulumi's schemas.
 * @param {string} name
 */
export function examples(name) {
  const call = calls[name];
  const statements = call === undefined ? programs[name] : callOf(name, call);
  if (statements === undefined) throw new Error(`${name} has no example`);
  const languages = /** @type {(keyof Programs)[]} */ (Object.keys(templates));
  const blocks = languages.map(
    (language) => `\`\`\`${language}\n${templates[language](statements[language])}\n\`\`\`\n`,
  );
  return `{{% examples %}}\n## Example Usage\n{{% example %}}\n${blocks.join("")}{{% /example %}}\n{{% /examples %}}\n`;
}
