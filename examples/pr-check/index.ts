import * as clouddb from "pulumi-clouddb";

const projectId = "64a0c0ffee0000000000a001";

// A pull request that turns the mode off fails the check while a cluster runs a version below 7.0.
new clouddb.PrivateIpMode("orders", { projectId, enabled: false });

// A changed connection string appears as one table row in the comment on the pull request.
const orders = new clouddb.ClusterConnectionStrings("orders", {
  projectId,
  clusterName: "orders",
  network: { kind: "peering" },
});

export const ordersUrl = orders.recommended;
