import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import * as pulumi from "@pulumi/pulumi";
import * as clouddb from "../../../provider/src";
import type { Log } from "../../../provider/src/messages/errors";
import { SharedListing, type VerifiedClusters } from "../../../provider/src/service/clusterLists";
import { findClusters } from "../../../provider/src/clusterConnectionStrings/findClusters";
import { findConnectionStrings } from "../../../provider/src/clusterConnectionStrings/lookup";
import { missingProjectId, projectId, settingsFor, useService } from "../../support/service";
import { gapOf, listOf, testClient } from "../service/testClient";
import { useMockedEngine } from "../program/mockedEngine";

const standardSrv = "db+srv://orders.ab1cd.db.example";
const orders = { name: "orders", connectionStrings: { standardSrv } };

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
    const session = { client, listing: new SharedListing(client), log: () => Promise.resolve() };
    const { clusters } = await findClusters(session, { projectId }, "recent");
    assert.deepEqual(
      clusters.map(({ name, state, databaseVersion }) => [name, state, databaseVersion]),
      [
        ["analytics", "IDLE", "8.0.4"],
        ["billing", "IDLE", "7.0.12"],
        ["orders", "IDLE", "7.0.12"],
        ["sessions", "UPDATING", "8.0.4"],
      ],
    );
    for (const { name: clusterName, state: _state, ...strings } of clusters) {
      const found = await findConnectionStrings(session, { projectId, clusterName }, "recent");
      assert.deepEqual({ projectId, clusterName, ...strings }, found);
    }
    // The list ends with an empty page, and is compared with the one without parameters.
    assert.equal(service.listings().length, 3);
  });

  it("omits the state, the version and the strings that the service does not return", async () => {
    const body = { results: [{ name: "new", connectionStrings: {} }], totalCount: 1 };
    const list = { path: /\/clusters$/, withCredentials: true, status: 200 };
    service.faults.push(
      { ...list, body },
      { ...list, body: { ...body, results: [] } },
      { ...list, body },
    );
    assert.deepEqual(await clouddb.getClusters({ projectId }), {
      projectId,
      clusters: [{ name: "new", privateEndpoints: [] }],
    });
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

  it("fails with a code that a program can test", async () => {
    const codeOf = async (call: Promise<unknown>) => {
      const error: unknown = await call.catch((reason: unknown) => reason);
      assert.ok(pulumi.RunError.isInstance(error) && "code" in error);
      const code = clouddb.errorCodes.find((known) => known === error.code);
      assert.ok(error.message.endsWith(`[clouddb-${String(code)}]`), error.message);
      return code;
    };
    const found = (clusterName: string) => clouddb.getConnectionStrings({ projectId, clusterName });
    assert.equal(await codeOf(found("missing")), "cluster-not-found");
    const inMissing = clouddb.getClusters({ projectId: missingProjectId });
    assert.equal(await codeOf(inMissing), "not-found");
  });

  const gap = gapOf("1 item was read, but ...");
  for (const [why, list] of [
    ["the list of clusters may be incomplete (1 item was read, but ...)", { ...listOf(), gap }],
    ["1 record in the list has no name", listOf({})],
  ] as const) {
    it(`fails if ${why}`, async () => {
      const listing = findClusters(sessionOf(list).session, { projectId: "p" }, "recent");
      await assert.rejects(listing, ({ message }: Error) =>
        message.startsWith(`cannot list the clusters of project p, because ${why}. Try again.`),
      );
    });
  }

  it("recommends the string that getConnectionStrings recommends, and returns only named clusters", async () => {
    const wanted = { projectId, form: "hosts" } as const;
    const { clusters } = await clouddb.getClusters({ ...wanted, names: ["orders", "billing"] });
    const found = await Promise.all(
      ["billing", "orders"].map((clusterName) =>
        clouddb.getConnectionStrings({ ...wanted, clusterName }),
      ),
    );
    assert.deepEqual(
      clusters.map(({ name, recommended }) => [name, recommended]),
      found.map(({ clusterName, recommended }) => [clusterName, recommended]),
    );
  });

  it("fails once, with the reason for each named cluster that is missing or lacks the string", async () => {
    const { session, reads } = sessionOf(listOf(orders, { name: "billing" }));
    const names = ["billing", "order", "orders", "order"];
    await assert.rejects(findClusters(session, { projectId: "p", names }, "recent"), {
      code: "string-not-found",
      message: `getClusters cannot return 2 of the 3 clusters in names:
  the service returned no standard string (SRV) of cluster billing of project p. A cluster that was just created or changed may get it later. The service returned no strings for any network.
  project p has no cluster order. Did you mean orders?`,
    });
    assert.deepEqual(reads, ["listed", "verified"]);
  });

  it("returns named clusters of an incomplete list", async () => {
    const { session } = sessionOf({ ...listOf(orders), gap });
    const named = (name: string) =>
      findClusters(session, { projectId: "p", names: [name] }, "recent");
    assert.equal((await named("orders")).clusters[0]?.recommended, standardSrv);
    await assert.rejects(named("other"), {
      message: /other of project p was not found, and the list of clusters may be incomplete/,
    });
  });

  for (const args of [{}, { network: { kind: "internet" } }, { optimized: false }]) {
    it(`with ${JSON.stringify(args)}, warns once about all clusters without the string, with one reason`, async () => {
      const { session, warnings } = sessionOf(listOf({ name: "new" }, orders, { name: "billing" }));
      const { clusters } = await findClusters(session, { projectId: "p", ...args }, "recent");
      assert.deepEqual(
        clusters.map(({ name, recommended }) => [name, recommended]),
        [
          ["billing", undefined],
          ["new", undefined],
          ["orders", standardSrv],
        ],
      );
      assert.deepEqual(warnings, [
        "string-not-found: no string is recommended for 2 of the 3 clusters of project p: new, billing. The first reason: the service returned no standard string (SRV) of cluster new of project p. A cluster that was just created or changed may get it later. The service returned no strings for any network.",
      ]);
    });
  }

  it("warns about a cluster that is being deleted, whose string it returns, and not about a paused one", async () => {
    const deleting = { ...orders, stateName: "DELETING" };
    const { session, warnings } = sessionOf(
      listOf(deleting, { ...orders, name: "b", paused: true }),
    );
    const warning =
      "cluster-not-found: cluster orders of project p is being deleted, so its connection strings will stop working.";
    const query = { projectId: "p", clusterName: "orders" };
    await findConnectionStrings(session, query, "recent");
    assert.deepEqual(warnings.splice(0), [warning]);
    await findConnectionStrings(session, { ...query, clusterName: "b" }, "recent");
    assert.deepEqual(warnings, []);
    for (const args of [{ names: ["orders", "b"] }, {}]) {
      await findClusters(session, { projectId: "p", ...args }, "recent");
      assert.deepEqual(warnings.splice(0), [warning]);
    }
  });

  const privateEndpoint = ["vpce-1", "vpce-2"].map((endpointId) => ({
    srvConnectionString: `db+srv://orders-pl-${endpointId.at(-1)}.ab1cd.db.example`,
    endpoints: [{ endpointId }],
  }));
  const many = { name: "many", connectionStrings: { privateEndpoint } };
  const otherOrders = { name: "orders", id: "2", connectionStrings: orders.connectionStrings };
  for (const [what, network, records, warning] of [
    [
      "several endpoints match",
      "privateEndpoint",
      [many, orders],
      "ambiguous-endpoint: no string is recommended for 1 of the 2 clusters of project p: many. The first reason: cluster many of project p: several private endpoints match: vpce-1, vpce-2. Select one with network.endpointId.",
    ],
    [
      "two lists have a cluster of this name",
      "internet",
      [{ ...orders, id: "1" }, otherOrders],
      "ambiguous-cluster: no string is recommended for 2 of the 2 clusters of project p: orders. The first reason: project p has 2 clusters with the name orders (clusters). If they are in two lists, remove one path from clouddb:clusterPaths.",
    ],
  ] as const) {
    it(`recommends no string if ${what}, and says what selects one`, async () => {
      const { session, warnings } = sessionOf(listOf(...records));
      const args = { projectId: "p", network: { kind: network } };
      const { clusters } = await findClusters(session, args, "recent");
      assert.ok(clusters.every(({ recommended }) => recommended === undefined));
      assert.equal(warnings[0], warning);
    });
  }

  for (const [text, expected] of [
    ['{ "project": "p" }', / there is no argument "project"/],
    ['{ "projectId": "p", "names": "orders" }', /: names: must be a list of names, not text/],
    ['{ "projectId": "p", "optimized": true }', /: optimized: true requires a privateEndpoint/],
  ] as const) {
    it(`rejects the arguments ${text} before any request`, async () => {
      const call = clouddb.getClusters(JSON.parse(text) as clouddb.GetClustersArgs);
      await assert.rejects(call, expected);
      await assert.rejects(call, /invalid arguments for getClusters: /);
      assert.equal(service.requests.length, 0);
    });
  }
});

/** Returns a session with a list, the kinds of reads that it serves, and the warnings that it logs. */
function sessionOf(list: VerifiedClusters) {
  const reads: string[] = [];
  const warnings: string[] = [];
  const read = (kind: string) => () => {
    reads.push(kind);
    return Promise.resolve(list);
  };
  const log: Log = (_severity, text, code) => {
    warnings.push(`${code}: ${text}`);
    return Promise.resolve();
  };
  const reader = { listClusters: read("listed"), verifyClusters: read("verified") };
  return { session: { listing: new SharedListing(reader), log }, reads, warnings };
}
