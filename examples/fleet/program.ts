/** What each stack of the fleet deploys. */
import type { Output } from "@pulumi/pulumi";
import * as clouddb from "pulumi-clouddb";
import type { FleetStack } from "./stacks";

/** Creates the resources of a stack. Returns its output, the connection strings by cluster name. */
export function deploy({ projectId, privateIpMode, clusters }: FleetStack): {
  urls: Record<string, Output<string>>;
} {
  if (privateIpMode !== undefined) {
    new clouddb.PrivateIpMode("mode", { projectId, enabled: privateIpMode });
  }
  const urls: Record<string, Output<string>> = {};
  for (const clusterName of clusters) {
    const lookup = new clouddb.ClusterConnectionStrings(clusterName, { projectId, clusterName });
    urls[clusterName] = lookup.recommended;
  }
  return { urls };
}
