import * as pulumi from "@pulumi/pulumi";
import * as clouddb from "pulumi-clouddb";

const config = new pulumi.Config();
const projectId = config.get("projectId") ?? "64a0c0ffee0000000000a001";

// A database user of the cluster, not a credential of the administrative API.
const user = {
  username: config.require("databaseUser"),
  password: config.requireSecret("databasePassword"),
};

// The application runs in a virtual network that is peered with the cluster's network.
const orders = new clouddb.ClusterConnectionStrings("orders", {
  projectId,
  clusterName: "orders",
  network: { kind: "peering" },
});

// Reports run elsewhere, and reach the same cluster over the Internet.
const reports = clouddb.getConnectionStringsOutput({ projectId, clusterName: "orders" });

const ordersUrl = new clouddb.DatabaseUrl("orders", {
  connectionString: orders.recommended,
  ...user,
  options: { retryWrites: true },
});
const reportsUrl = new clouddb.DatabaseUrl("reports", {
  connectionString: reports.recommended,
  ...user,
});

// Named like the application's environment variables. Both URLs are secrets, because they contain a password.
export const DATABASE_URL = ordersUrl.url;
export const REPORTS_DATABASE_URL = reportsUrl.url;
export const DATABASE_VERSION = orders.databaseVersion;
