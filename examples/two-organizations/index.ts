import * as pulumi from "@pulumi/pulumi";
import * as clouddb from "pulumi-clouddb";

const config = new pulumi.Config();

// The stack's own settings (clouddb:clientId, ...) belong to the first organization. The provider has the credentials
// of the second one, and inherits the base URL and all other settings from the stack.
const partner = new clouddb.Provider("partner", {
  clientId: config.require("partnerClientId"),
  clientSecret: config.requireSecret("partnerClientSecret"),
});

const ordersProject = "64a0c0ffee0000000000a001";
const reportsProject = "64a0c0ffee0000000000b001";

new clouddb.PrivateIpMode("orders", { projectId: ordersProject, enabled: false });
new clouddb.PrivateIpMode(
  "reports",
  { projectId: reportsProject, enabled: false },
  { provider: partner },
);

const orders = new clouddb.ClusterConnectionStrings("orders", {
  projectId: ordersProject,
  clusterName: "orders",
});
const reports = new clouddb.ClusterConnectionStrings(
  "reports",
  { projectId: reportsProject, clusterName: "reports" },
  { provider: partner },
);

// Functions accept the provider, too.
const readiness = clouddb.getPrivateIpModeReadinessOutput(
  { projectId: reportsProject },
  { provider: partner },
);

export const ordersUrl = orders.recommended;
export const reportsUrl = reports.recommended;
export const reportsReady = readiness.ready;
