"""The quickstart: a project's private IP mode, and the connection strings of its clusters."""

import pulumi
import pulumi_clouddb as clouddb

project_id = pulumi.Config().require("projectId")

# Off, so that applications outside the peered network can connect, too.
private_ip_mode = clouddb.PrivateIpMode("orders", project_id=project_id, enabled=False)

orders = clouddb.ClusterConnectionStrings(
    "orders",
    project_id=project_id,
    cluster_name="orders",
    network={"kind": clouddb.NetworkKind.PEERING},
)

analytics = clouddb.ClusterConnectionStrings(
    "analytics",
    project_id=project_id,
    cluster_name="analytics",
    network={"kind": clouddb.NetworkKind.PRIVATE_ENDPOINT, "region": "eu-west-1"},
)

billing = clouddb.ClusterConnectionStrings(
    "billing", project_id=project_id, cluster_name="billing"
)

sessions = clouddb.ClusterConnectionStrings(
    "sessions",
    project_id=project_id,
    cluster_name="sessions",
    form=clouddb.StringForm.HOSTS,
)

pulumi.export("privateIpModeEnabled", private_ip_mode.enabled)
pulumi.export("ordersFromPeeredNetwork", orders.recommended)
pulumi.export("analyticsFromPrivateEndpoint", analytics.recommended)
pulumi.export("billingFromInternet", billing.recommended)
pulumi.export("billingLegacy", billing.legacy_srv)
pulumi.export("sessionsFromInternet", sessions.recommended)
