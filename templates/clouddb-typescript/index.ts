import * as pulumi from "@pulumi/pulumi";
import * as clouddb from "pulumi-clouddb";

const config = new pulumi.Config();
const projectId = config.require("projectId");
const clusterName = config.require("clusterName");

// The connection string for applications that connect over the Internet. For applications in a peered
// network, set network: { kind: "peering" }; behind a private endpoint, { kind: "privateEndpoint" }.
const cluster = new clouddb.ClusterConnectionStrings(clusterName, { projectId, clusterName });

// Whether private IP mode of the project could be disabled now. This changes nothing. To manage the mode:
// new clouddb.PrivateIpMode("mode", { projectId, enabled: true });
const readiness = clouddb.getPrivateIpModeReadinessOutput({ projectId });

export const databaseUrl = cluster.recommended;
export const databaseVersion = cluster.databaseVersion;
export const canDisablePrivateIpMode = readiness.ready;
