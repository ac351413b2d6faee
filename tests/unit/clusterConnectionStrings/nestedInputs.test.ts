import assert from "node:assert/strict";
import * as pulumi from "@pulumi/pulumi";
import type * as clouddb from "pulumi-clouddb";

/** What users write has to compile: these arguments are checked by the types of the tests. */
describe("nested arguments of a lookup", () => {
  it("take outputs of other resources, as a whole and in each field", () => {
    const endpoint = { id: pulumi.output("vpce-1"), region: pulumi.output("us-east-1") };
    const cluster = { projectId: pulumi.output("p"), clusterName: Promise.resolve("orders") };
    const networks: clouddb.ClusterConnectionStringsArgs["network"][] = [
      { kind: "privateEndpoint", endpointId: endpoint.id },
      { kind: "privateEndpoint", region: endpoint.region },
      { kind: pulumi.output("peering" as const) },
      pulumi.output({ kind: "privateEndpoint" as const, endpointId: "vpce-1" }),
      { kind: "internet" },
      undefined,
    ];
    const resources: clouddb.ClusterConnectionStringsArgs[] = networks.map((network) => ({
      ...cluster,
      network,
      optimized: pulumi.output(false),
    }));
    const functions: Parameters<typeof clouddb.getConnectionStringsOutput>[0][] = networks.map(
      (network) => ({ ...cluster, ...(network === undefined ? {} : { network }) }),
    );
    assert.equal(resources.length + functions.length, 2 * networks.length);
  });

  it("are refused by the compiler when a kind is misspelled", () => {
    // @ts-expect-error -- there is no such kind
    const network: clouddb.ClusterConnectionStringsArgs["network"] = { kind: "vpn" };
    assert.ok(network !== undefined);
  });
});
