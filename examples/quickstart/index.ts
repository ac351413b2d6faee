import * as pulumi from "@pulumi/pulumi";
import * as clouddb from "pulumi-clouddb";

const config = new pulumi.Config();
const projectId = config.get("projectId") ?? "64a0c0ffee0000000000a001";

// Off, so that applications outside the peered network can connect, too.
const privateIpMode = new clouddb.PrivateIpMode("orders", { projectId, enabled: false });

const orders = new clouddb.ClusterConnectionStrings("orders", {
  projectId,
  clusterName: "orders",
  network: { kind: "peering" },
});

const analytics = new clouddb.ClusterConnectionStrings("analytics", {
  projectId,
  clusterName: "analytics",
  network: { kind: "privateEndpoint", region: "eu-west-1" },
});

const billing = new clouddb.ClusterConnectionStrings("billing", {
  projectId,
  clusterName: "billing",
});

const sessions = new clouddb.ClusterConnectionStrings("sessions", {
  projectId,
  clusterName: "sessions",
  form: "hosts",
});

export const privateIpModeEnabled = privateIpMode.enabled;
export const ordersFromPeeredNetwork = orders.recommended;
export const analyticsFromPrivateEndpoint = analytics.recommended;
export const billingFromInternet = billing.recommended;
export const billingLegacy = billing.legacySrv;
export const sessionsFromInternet = sessions.recommended;
