// @ts-check
/** The examples in the plugin's schema, which the generated SDKs and the registry show for each language. */

const projectId = "64a0c0ffee0000000000a001";

/**
 * The statements of a program in each language.
 * @typedef {{ typescript: string, python: string, csharp: string, go: string, java: string, yaml: string }} Programs
 */

/** @type {Record<string, Programs>} */
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
    network={"kind": "privateEndpoint", "region": "us-east-1"},
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
 * Completes the statements to a program, whose imports are those that it uses.
 * @type {{ [Language in keyof Programs]: (statements: string) => string }}
 */
const completed = {
  typescript: (statements) =>
    `${imported(statements, "pulumi.", 'import * as pulumi from "@pulumi/pulumi";\n')}import * as clouddb from "pulumi-clouddb-sdk";\n\n${statements}`,
  python: (statements) =>
    `${imported(statements, "pulumi.", "import pulumi\n")}import pulumi_clouddb as clouddb\n\n${statements}`,
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
${imported(statements, "config.", '\t"github.com/pulumi/pulumi/sdk/v3/go/pulumi/config"\n')})

func main() {
	pulumi.Run(func(ctx *pulumi.Context) error {
${statements}
	})
}`,
  java: (statements) => `import com.pulumi.Context;
import com.pulumi.Pulumi;
import io.github.pulumiclouddb.clouddb.*;
${imported(statements, "NetworkKind", "import io.github.pulumiclouddb.clouddb.enums.NetworkKind;\nimport io.github.pulumiclouddb.clouddb.inputs.NetworkArgs;\n")}
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

/** @param {string} statements @param {string} use @param {string} line */
function imported(statements, use, line) {
  return statements.includes(use) ? line : "";
}

/**
 * Returns the examples of a resource, in the Markdown of Pulumi's schemas.
 * @param {string} resource
 */
export function examples(resource) {
  const statements = programs[resource];
  if (statements === undefined) throw new Error(`${resource} has no example`);
  const languages = /** @type {(keyof Programs)[]} */ (Object.keys(completed));
  const blocks = languages.map(
    (language) => `\`\`\`${language}\n${completed[language](statements[language])}\n\`\`\`\n`,
  );
  return `{{% examples %}}\n## Example Usage\n{{% example %}}\n${blocks.join("")}{{% /example %}}\n{{% /examples %}}\n`;
}
