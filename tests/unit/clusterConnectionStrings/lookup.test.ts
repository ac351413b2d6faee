import assert from "node:assert/strict";
import { mock } from "node:test";
import {
  type ListedClusters,
  SharedListing,
  type VerifiedClusters,
} from "../../../provider/src/service/clusterLists";
import { ResponseError } from "../../../provider/src/service/requestErrors";
import { defaultRetryPolicy } from "../../../provider/src/service/retry";
import { argsSchema } from "../../../provider/src/clusterConnectionStrings/args";
import { findIn, findOrReread } from "../../../provider/src/clusterConnectionStrings/lookup";
import { waitForStrings } from "../../../provider/src/clusterConnectionStrings/waitForStrings";
import { gapOf, listOf } from "../service/testClient";

const query = {
  projectId: "p",
  clusterName: "orders",
  network: { kind: "internet" },
  form: "srv",
} as const;

/** Looks up the cluster `orders` in SRV form, and returns the problem. */
function problemIn(list: VerifiedClusters, changes: Partial<Parameters<typeof findIn>[1]> = {}) {
  const lookup = findIn(list, { ...query, ...changes });
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
  const end = "If the service lists it at another path than clusters, set clouddb:clusterPaths.";

  it("reports that the project has no clusters", () => {
    assert.equal(
      problemIn(listOf()),
      `project p has no cluster orders. It has no clusters. ${end}`,
    );
  });

  it("suggests the names that are near, or else lists the names with the setting of the path", () => {
    assert.equal(
      problemIn(listOf({ name: "billing" }, { name: "order" })),
      "project p has no cluster orders. Did you mean order?",
    );
    assert.equal(
      problemIn(listOf({ name: "ordered-goods" }, { name: "billing" })),
      `project p has no cluster orders. It has 2 clusters: billing, ordered-goods. ${end}`,
    );
    const gap = gapOf("1 item was read, but ...");
    assert.match(
      problemIn({ ...listOf({ name: "order" }), gap }),
      /^cluster orders of project p was not found, and the list of clusters may be incomplete \(.*\)\. Did you mean order\?$/,
    );
  });

  it("lists the first five names and how many there are if none is similar", () => {
    const problemFor = (clusterName: string, ...names: string[]) =>
      problemIn(listOf(...names.map((name) => ({ name }))), { clusterName });
    const clusters = ["g", "f", "e", "d", "c", "b", "a"].map((letter) => letter.repeat(9));
    assert.equal(
      problemFor("reporting", ...clusters),
      `project p has no cluster reporting. It has 7 clusters: ${clusters.toReversed().slice(0, 5).join(", ")}, and 2 more. ${end}`,
    );
    assert.match(problemFor("reporting", "billing"), / It has 1 cluster: billing\. /);
    assert.match(
      problemFor("reporting", "reports-eu", "resorting12", "audit"),
      / The nearest names: resorting12\. /,
    );
  });

  for (const [clusterName, names, suggested, isMisspelled] of [
    ["performanceAdvisor-538", ["performanceAdvisor-538-5619801f7de4", "performance"], [0], false],
    ["PERFORMANCEADVISOR", ["performanceAdvisor-538-5619801f7de4", "performer"], [0], false],
    // The shortest first, and then the misspellings.
    ["order", ["orders-archive", "orders-eu", "border"], [1, 0, 2], true],
    // A wait for a new cluster does not warn because a longer name exists.
    ["orders", ["orders-archive"], [0], false],
  ] as const) {
    it(`suggests longer names before misspelled ones for ${clusterName}`, () => {
      const list = listOf(...names.map((name) => ({ name })));
      const lookup = findIn(list, { ...query, clusterName });
      assert.ok(lookup.kind === "noCluster");
      assert.equal(lookup.isMisspelled, isMisspelled);
      const expected = suggested.map((at) => names[at]).join(" or ");
      assert.ok(lookup.problem.endsWith(` Did you mean ${expected}?`), lookup.problem);
    });
  }

  it("reports optimized: true for another network as an argument, not as an ambiguous endpoint", () => {
    const lookup = findIn(listOf(orders), { ...query, optimized: true });
    assert.ok(lookup.kind === "unusable");
    assert.deepEqual([lookup.property, lookup.code], ["optimized", "argument"]);
  });

  const privateEndpoint = { network: { kind: "privateEndpoint" } } as const;
  const onlyOnceAvailable =
    "Set up a private endpoint in each region of the cluster, because the service";
  const peering = { network: { kind: "peering" } } as const;
  const peeringHosts = { ...peering, form: "hosts" } as const;
  const peered = { connectionStrings: { privateSrv: standardSrv } };
  const elsewhere = { network: { kind: "privateEndpoint", region: "eu-west-1" } } as const;
  const inTwoRegions = { connectionStrings: { standardSrv, privateEndpoint: [] } };
  for (const [what, record, changes, reason] of [
    ["is being created", { stateName: "CREATING" }, {}, "The cluster is still being created."],
    ["is being deleted", { stateName: "DELETING" }, {}, "The cluster is being deleted. Wait until"],
    [
      "has no strings",
      {},
      {},
      "A cluster that was just created or changed may get it later. The s",
    ],
    [
      "is paused",
      { paused: true },
      {},
      "The cluster is paused, and usually must be resumed before",
    ],
    [
      "is paused and has only other strings",
      { ...orders, paused: true },
      peering,
      "In a peered network in AWS without custom DNS, use the network internet, ",
    ],
    ["is repaired", { stateName: "REPAIRING" }, {}, "The cluster is REPAIRING, which may be the r"],
    [
      "has no peering",
      orders,
      peering,
      "In a peered network in AWS without custom DNS, use the network internet, ",
    ],
    [
      "has no peering for hosts",
      orders,
      peeringHosts,
      "In a peered network in AWS without custom DNS, use the network internet, ",
    ],
    [
      "has only the SRV form",
      peered,
      peeringHosts,
      "A cluster that was just created or changed may",
    ],
    ["got a second region", inTwoRegions, privateEndpoint, onlyOnceAvailable],
    [
      "is in another region",
      behindEndpoint,
      elsewhere,
      "The service returned only strings of othe",
    ],
    [
      "has no optimized string",
      behindEndpoint,
      { ...privateEndpoint, optimized: true },
      "Omit optimized to use the plain string. The service creates an optimized one only for sharded",
    ],
  ] as const) {
    it(`says what the service returned, and then the reason, if the cluster ${what}`, () => {
      const problem = problemIn(listOf({ name: "orders", ...record }), changes);
      assert.match(problem, /^the service returned no [^.]* of cluster orders .*of project p\. /);
      assert.ok(problem.includes(`of project p. ${reason}`), problem);
      assert.doesNotMatch(problem, /cluster has no/);
    });
  }
});

describe("a lookup", () => {
  it("reads the shared list again, once for all lookups, if a cluster or its string is missing from it", async () => {
    mock.timers.enable({ apis: ["Date"] });
    for (const [lists, kind, reads] of [
      [[listOf(orders)], "found", 1],
      [[listOf(), listOf(orders)], "found", 2],
      [[listOf({ name: "orders" }), listOf(orders)], "found", 2],
      [[listOf({ name: "orders" }), listOf()], "noCluster", 2],
    ] as const) {
      let read = 0;
      const next = () => {
        read += 1;
        return Promise.resolve(lists[read - 1] ?? listOf());
      };
      const listing = new SharedListing({ listClusters: next, verifyClusters: next });
      await listing.listed("p", "recent");
      // The second list must have been requested after the lookup began.
      mock.timers.tick(1);
      const lookUp = () => findOrReread(listing, query, "recent");
      const found = await Promise.all([lookUp(), lookUp()]);
      assert.deepEqual(
        found.map((lookup) => lookup.kind),
        [kind, kind],
      );
      assert.equal(read, reads);
    }
    mock.timers.reset();
  });
});

describe("a wait for a connection string", () => {
  const request = { method: "GET", path: "/clusters", attempt: 1 } as const;
  const failure = (status: number, retryAfterSeconds?: number) =>
    Promise.reject(new ResponseError(request, { status, retryAfterSeconds }));
  let messages: string[];
  let reads: number;

  beforeEach(() => {
    messages = [];
    reads = 0;
  });

  /** Waits for the cluster `orders` in the lists that `read` returns by their number. */
  const wait = (
    waitSeconds: number,
    read: (number: number) => Promise<ListedClusters>,
    cancellation = new AbortController(),
  ) => {
    const listing = new SharedListing({
      listClusters: () => {
        reads += 1;
        return read(reads);
      },
      verifyClusters: () => assert.fail("a wait lists up to the count"),
    });
    const log = (_severity: string, message: string) => {
      messages.push(message);
      cancellation.abort();
      return Promise.resolve();
    };
    const wanted = { ...argsSchema.parse({ projectId: "p", clusterName: "orders" }), waitSeconds };
    const retryPolicy = { ...defaultRetryPolicy, cancelled: cancellation.signal };
    return waitForStrings({ listing, log, retryPolicy }, wanted);
  };

  /** Is never cancelled. */
  const patient = () => Object.assign(new AbortController(), { abort: () => undefined });

  it("survives an outage of the service, and logs the outage", async () => {
    const list = (number: number) =>
      number === 1 ? failure(503) : Promise.resolve(listOf(orders));
    const { recommended } = await wait(30, list, patient());
    assert.equal(recommended, standardSrv);
    assert.match(messages.join("\n"), /^service unavailable; retrying for up to \d+ s$/);
  });

  it("goes on after the rate limit, as late as Retry-After says", async () => {
    const start = performance.now();
    const list = (number: number) =>
      number === 1 ? failure(429, 2) : Promise.resolve(listOf(orders));
    assert.equal((await wait(7200, list, patient())).recommended, standardSrv);
    assert.ok(performance.now() - start >= 1990);
    assert.match(messages.join("\n"), /^rate limit reached; retrying for up to 7\d+ s$/);
  });

  it("fails at once if Retry-After is beyond waitSeconds", async () => {
    await assert.rejects(
      wait(60, () => failure(429, 3600), patient()),
      /^ResponseError: the service responded with 429\. Retry in 3600 s/,
    );
    assert.equal(reads, 1);
  });

  it("fails with the service's error if the outage lasts longer than waitSeconds", async () => {
    const waiting = wait(0.3, () => failure(503), patient());
    await assert.rejects(waiting, /503.* Timed out after \d+ s \(waitSeconds: 0\.3\)/);
  });

  it("fails at once if the service refuses the request", async () => {
    const refused = /^ResponseError: the service responded with 403/;
    await assert.rejects(
      wait(5, () => failure(403), patient()),
      refused,
    );
    assert.equal(reads, 1);
  });

  it("ends after a cancellation, and says what the service answered", async () => {
    await assert.rejects(
      wait(1800, () => failure(503)),
      /503.* Cancelled after \d+ s/,
    );
  });

  it("times out while a request is pending", async () => {
    const waiting = wait(0.1, () => new Promise(() => undefined), patient());
    await assert.rejects(waiting, /did not respond\. Timed out after \d+ s \(waitSeconds: 0\.1\)/);
  });
});
