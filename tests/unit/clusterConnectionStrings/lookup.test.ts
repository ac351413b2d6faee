import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import type { Simulator } from "clouddb-simulator";
import type { ClusterList } from "../../../provider/src/service/client";
import { defaultRetryPolicy } from "../../../provider/src/service/retry";
import { SharedListing } from "../../../provider/src/service/sharedListing";
import { argsSchema } from "../../../provider/src/clusterConnectionStrings/args";
import {
  findFresh,
  findIn,
  waitForStrings,
} from "../../../provider/src/clusterConnectionStrings/lookup";
import { key, projectId, startService } from "../../support/service";
import { listOf, testClient } from "../service/testClient";

/** The cluster `orders`, in SRV form. */
const ordersQuery = {
  projectId: "p",
  clusterName: "orders",
  network: { kind: "internet" },
  form: "srv",
} as const;

/** Looks up the cluster `orders` in SRV form, and returns the problem. */
function problemIn(list: ClusterList, query: Partial<Parameters<typeof findIn>[1]> = {}) {
  const lookup = findIn(list, { ...ordersQuery, ...query });
  assert.ok("problem" in lookup, "the lookup fails");
  return lookup.problem;
}

const standardSrv = "db+srv://orders.ab1cd.db.example";
const orders = { name: "orders", connectionStrings: { standardSrv } };

const plainEndpoint = {
  srvConnectionString: "db+srv://pl-0-us-east-1.ab1cd.db.example",
  endpoints: [{ endpointId: "vpce-1", providerName: "A", region: "us-east-1" }],
};
const behindEndpoint = { connectionStrings: { privateEndpoint: [plainEndpoint] } };

describe("a failed lookup", () => {
  it("reports that the project has no clusters", () => {
    assert.equal(
      problemIn(listOf()),
      "project p has no cluster orders. It has no clusters. Paths read: clusters; if the service lists other clusters elsewhere, set clusterPaths.",
    );
  });

  it("names the nearest clusters", () => {
    assert.equal(
      problemIn(listOf({ name: "order" }, { name: "billing" })),
      "project p has no cluster orders. The nearest names among its 2 clusters: order, billing.",
    );
    assert.match(
      problemIn({ ...listOf({ name: "order" }), incomplete: "1 item was read, but ..." }),
      /^cluster orders of project p was not found, and the list of clusters is incomplete: .* The nearest names in it: order\.$/,
    );
  });

  it("suggests the only cluster if its name is similar", () => {
    assert.match(
      problemIn(listOf({ name: "order" })),
      / has no cluster orders\. Did you mean order\?$/,
    );
    assert.match(
      problemIn(listOf({ name: "billing" })),
      /orders\. Its only cluster is billing\. Paths/,
    );
  });

  it("reports that two clusters have the same name", () => {
    for (const other of [orders, { name: "orders", connectionStrings: "none" }]) {
      assert.match(
        problemIn(listOf(orders, other)),
        /^the service lists 2 clusters with the name orders in project p, so which one is meant/,
      );
    }
  });

  it("reports that the record of the cluster is malformed", () => {
    assert.match(
      problemIn(listOf({ name: "orders", connectionStrings: "none" })),
      /^the service's record of cluster orders of project p is malformed: connectionStrings/,
    );
    assert.match(
      problemIn(listOf({ ...orders, connectionStrings: { standardSrv: "x".repeat(20_000) } })),
      /expected text of at most 16,384 characters without control characters/,
    );
  });

  for (const [what, record, query, reason] of [
    ["is being created", { stateName: "CREATING" }, {}, "The cluster is still being created."],
    ["is being deleted", { stateName: "DELETING" }, {}, "The cluster is being deleted. Wait until"],
    ["has no strings", {}, {}, "The service has not returned one for this cluster yet. It has no"],
    [
      "has no peering",
      orders,
      { network: { kind: "peering" } },
      "A cluster has one only if network peering is configured. Set up peering, or choose",
    ],
    [
      "has no private endpoint",
      orders,
      { network: { kind: "privateEndpoint" } },
      "The cluster has no private endpoint. Set one up, or choose another network.",
    ],
    [
      "has no private endpoint in the region",
      behindEndpoint,
      { network: { kind: "privateEndpoint", region: "eu-west-1" } },
      "No private endpoint of the cluster matches. Use one that exists. It has strings for: ",
    ],
    [
      "has no optimized string",
      behindEndpoint,
      { network: { kind: "privateEndpoint" }, optimized: true },
      "The service creates one only for sharded clusters of version 5.0 or later in provider A",
    ],
  ] as const) {
    it(`gives the reason if the cluster ${what}`, () => {
      const problem = problemIn(listOf({ name: "orders", ...record }), query);
      assert.match(problem, /^cluster orders .*of project p has no /);
      assert.ok(problem.includes(reason), problem);
    });
  }
});

describe("a lookup", () => {
  it("reads the list again if the string is missing from one that was read before", async () => {
    const lists = [listOf({ name: "orders" }), listOf(orders)];
    const listing = new SharedListing({
      listClusters: () => Promise.resolve(lists.shift() ?? listOf()),
    });
    await listing.clusters("p");
    // A list of the same millisecond would still be new enough.
    await sleep(5);
    const lookup = await findFresh(listing, ordersQuery);
    assert.equal(lookup.kind, "found");
  });

  for (const [state, mayAppear] of [
    ["CREATING", true],
    ["IDLE", true],
    ["DELETING", false],
  ] as const) {
    it(`expects ${mayAppear ? "" : "no "}strings of a cluster in state ${state} that has none yet`, () => {
      const lookup = findIn(listOf({ name: "orders", stateName: state }), ordersQuery);
      assert.ok(lookup.kind === "noString");
      assert.equal(lookup.mayAppear, mayAppear);
    });
  }
});

describe("a wait for a connection string", () => {
  let service: Simulator;
  let messages: string[];

  before(async () => {
    service = await startService();
  });
  after(() => service.stop());
  beforeEach(() => {
    service.reset();
    messages = [];
  });

  const wait = (waitSeconds: number, cancelled?: AbortSignal) => {
    const client = testClient(service, { credentials: { kind: "apiKey", ...key } });
    const log = (_severity: string, message: string) => {
      messages.push(message);
      return Promise.resolve();
    };
    const wanted = { ...argsSchema.parse({ projectId, clusterName: "orders" }), waitSeconds };
    const retryPolicy = { ...defaultRetryPolicy, cancelled };
    return waitForStrings({ listing: new SharedListing(client), log, retryPolicy }, wanted);
  };

  it("survives an outage of the service, and logs the outage", async () => {
    // Each poll attempts the request four times, so the outage lasts into the second poll.
    service.faults.push({ withCredentials: true, status: 503, times: 5 });
    const { recommended } = await wait(30);
    assert.match(recommended, /^db\+srv:\/\/orders\./);
    assert.match(messages.join("\n"), /^service unavailable; retrying for up to \d+ s$/);
  });

  it("fails with the service's error if the outage lasts longer than waitSeconds", async () => {
    service.faults.push({ withCredentials: true, status: 503, times: Infinity });
    await assert.rejects(wait(2), /503.* Timed out after \d s \(waitSeconds: 2\)/);
  });

  it("fails at once with an error that is not transient", async () => {
    service.faults.push({ withCredentials: true, status: 403, times: Infinity });
    await assert.rejects(wait(2), (error: Error) => {
      assert.match(error.message, /403/);
      assert.doesNotMatch(error.message, /Timed out/);
      return true;
    });
  });

  it("ends soon after a cancellation, and names what is missing", async () => {
    service.faults.push({ withCredentials: true, status: 503, times: Infinity });
    const started = Date.now();
    await assert.rejects(wait(1800, AbortSignal.timeout(1000)), /Cancelled after \d s/);
    assert.ok(Date.now() - started < 3000);
  });

  it("times out while a request is pending", async () => {
    service.faults.push({ withCredentials: true, delayMs: 4000, times: Infinity });
    const start = Date.now();
    await assert.rejects(wait(0.5), /did not respond\. Timed out after \d s \(waitSeconds: 0\.5\)/);
    assert.ok(Date.now() - start < 3000);
  });
});
