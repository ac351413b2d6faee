import * as pulumi from "@pulumi/pulumi";
import * as clouddb from "pulumi-clouddb";

const config = new pulumi.Config();
const projectId = config.require("projectId");
const clusterName = config.require("clusterName");

// Looks up the connection string for applications that connect over the Internet. For applications in a
// peered network, set network: { kind: "peering" }; behind a private endpoint, { kind: "privateEndpoint" }.
const cluster = new clouddb.ClusterConnectionStrings(clusterName, { projectId, clusterName });

// To manage private IP mode, declare its current value, which "npx --no pulumi-clouddb doctor --project ID" shows:
// new clouddb.PrivateIpMode("mode", { projectId, enabled: true });

// The string contains no credentials. To add those of a database user for an application:
// new clouddb.DatabaseUrl("app", { connectionString: cluster.recommended, username, password });
export const databaseUrl = cluster.recommended;
export const databaseVersion = cluster.databaseVersion;
