import assert from "node:assert/strict";
import type { Gap } from "../../../provider/src/service/paging";
import { setTimeout as sleep } from "node:timers/promises";
import * as pulumi from "@pulumi/pulumi";
import * as clouddb from "../../../provider/src";
import { SharedListing } from "../../../provider/src/service/clusterLists";
import { findClusters } from "../../../provider/src/clusterConnectionStrings/lookup";
import { findConnectionStrings } from "../../../provider/src/clusterConnectionStrings/lookup";
import { missingProjectId, projectId, settingsFor, useService } from "../../support/service";
import { gapOf, listOf, testClient } from "../service/testClient";
import { useMockedEngine } from "../program/mockedEngine";

describe("getClusters", () => {
  const service = useService();
  useMockedEngine({ sendsRequests: true });
  beforeEach(() => {
    const settings = settingsFor(service);
    pulumi.runtime.setAllConfig({
      "clouddb:baseUrl": service.url,
      "clouddb:caFile": settings["CLOUDDB_CA_FILE"] ?? "",
      "clouddb:publicKey": "demo",
      "clouddb:privateKey": "demo-secret",
    });
  });

  it("returns the strings that getConnectionStrings returns, from the same list", async () => {
    service.project().updateCluster("sessions", { state: "UPDATING" });
    const client = testClient(service);
    const session = { client, listing: new SharedListing(client) };
    const { clusters } = await findClusters(session, { projectId });
    assert.deepEqual(
      clusters.map(({ name, state, databaseVersion }) => [name, state, databaseVersion]),
      [
        ["analytics", "IDLE", "8.0.4"],
        ["billing", "IDLE", "7.0.12"],
        ["orders", "IDLE", "7.0.12"],
        ["sessions", "UPDATING", "8.0.4"],
      ],
    );
    for (const { name, state: _state, ...strings } of clusters) {
      const network =
        name === "analytics"
          ? { kind: "privateEndpoint", region: "eu-west-1" }
          : { kind: "internet" };
      const query = { projectId, clusterName: name, network };
      const found = await findConnectionStrings(session, query);
      const { recommended: _recommended, recommendedKind: _kind, ...expected } = found;
      assert.deepEqual({ ...strings, projectId, clusterName: name }, expected);
    }
    // The list ends with an empty page.
    assert.equal(service.listings().length, 2);
  });

  it("omits the state, the version and the strings that the service does not return", async () => {
    const body = { results: [{ name: "new", connectionStrings: {} }], totalCount: 1 };
    const list = { path: /\/clusters$/, withCredentials: true, status: 200 };
    service.faults.push({ ...list, body }, { ...list, body: { ...body, results: [] } });
    assert.deepEqual(await clouddb.getClusters({ projectId }), {
      projectId,
      clusters: [{ name: "new", privateEndpoints: [] }],
    });
  });

  it("accepts the output of a resource as the project ID", async () => {
    const output = clouddb.getClustersOutput({ projectId: pulumi.output(projectId) });
    const names = await new Promise<string[]>((resolve) =>
      output.clusters.apply((clusters) => {
        resolve(clusters.map(({ name }) => name));
      }),
    );
    assert.deepEqual(names, ["analytics", "billing", "orders", "sessions"]);
  });

  it("waits for the resources of a component in dependsOn", async () => {
    class Node extends pulumi.CustomResource {}
    const order: string[] = [];
    const component = new pulumi.ComponentResource("test:index:Cluster", "component");
    const args = { projectId: pulumi.output(projectId) };
    const found = new Promise<void>((resolve) =>
      clouddb.getClustersOutput(args, { dependsOn: component }).apply(() => {
        order.push("found");
        resolve();
      }),
    );
    const later = Promise.race([found, sleep(200)]).then(() => order.push("created"));
    new Node("test:index:Node", "node", { later }, { parent: component });
    await found;
    assert.deepEqual(order, ["created", "found"]);
  });

  it("fails for a project that does not exist", async () => {
    await assert.rejects(clouddb.getClusters({ projectId: missingProjectId }), (error: Error) => {
      assert.ok(pulumi.RunError.isInstance(error));
      return /404.*Check the project ID/.test(error.message);
    });
  });

  it("fails with a code that a program can test", async () => {
    const codeOf = async (call: Promise<unknown>) => {
      const error: unknown = await call.catch((reason: unknown) => reason);
      assert.ok(error instanceof Error && "code" in error);
      const code = clouddb.errorCodes.find((each) => each === error.code);
      assert.ok(error.message.endsWith(`[clouddb-${String(code)}]`), error.message);
      return code;
    };
    const found = (clusterName: string) => clouddb.getConnectionStrings({ projectId, clusterName });
    assert.equal(await codeOf(found("missing")), "cluster-not-found");
    service.faults.push({ withCredentials: true, status: 401 });
    const readiness = clouddb.getPrivateIpModeReadiness({ projectId });
    assert.equal(await codeOf(readiness), "authentication");
  });

  const failures: [what: string, records: object[], incomplete: Gap | undefined, RegExp][] = [
    [
      "the list may be incomplete",
      [{ name: "a" }],
      gapOf("1 item was read, but the service reports a total of 2"),
      /^cannot list the clusters of project p, because the list of clusters may be incomplete \(1 item was read, but .* total of 2\)\. Try again\./,
    ],
    [
      "a record has no name",
      [{}],
      undefined,
      /^cannot list the clusters of project p, because 1 record in the list has no name\. Try again\./,
    ],
  ];
  for (const [what, records, incomplete, expected] of failures) {
    it(`fails if ${what}`, async () => {
      const listing = {
        verified: () => Promise.resolve({ ...listOf(...records), incomplete }),
      };
      await assert.rejects(findClusters({ listing }, { projectId: "p" }), { message: expected });
    });
  }

  it("rejects invalid arguments before any request", async () => {
    const untyped = JSON.parse('{ "project": "p" }') as clouddb.GetClustersArgs;
    await assert.rejects(clouddb.getClusters(untyped), /invalid arguments for getClusters: /);
    assert.equal(service.requests.length, 0);
  });
});
