import assert from "node:assert/strict";
import { mock } from "node:test";
import { RateLimitPlace } from "../../../provider/src/service/rateLimit";
import {
  SharedListing,
  mergeListed,
  mergeVerified,
} from "../../../provider/src/service/clusterLists";
import { permitDisable } from "../../../provider/src/service/disablePermission";
import type { ClusterRecord } from "../../../provider/src/service/schemas";
import { gapOf, listOf } from "./testClient";

const empty = listOf();
const projectId = "64a0c0ffee0000000000a001";

describe("the shared list of a project", () => {
  /** What was read, in order. */
  let reads: string[];
  let listing: SharedListing;

  beforeEach(() => {
    reads = [];
    const read = (name: string) => () => {
      reads.push(name);
      return Promise.resolve(empty);
    };
    listing = new SharedListing({ listClusters: read("listed"), verifyClusters: read("verified") });
  });

  it("is verified for a caller that needs that, which then serves every caller", async () => {
    await listing.listed(projectId);
    await listing.verified(projectId);
    assert.deepEqual(reads, ["listed", "verified"], "the list of a lookup is not enough");

    await listing.verified(projectId);
    await listing.listed(projectId);
    assert.equal(reads.length, 2);
    await listing.listed(projectId, { since: Date.now() + 1 });
    assert.deepEqual(reads, ["listed", "verified", "listed"]);

    mock.timers.enable({ apis: ["Date"], now: 5 });
    await listing.verified(projectId);
    await listing.verified(projectId, { since: 5 });
    mock.timers.reset();
    assert.equal(reads.length, 4, "the read started at that time");
  });

  it("is read again for a caller that needs a later state, and cached again", async () => {
    const start = Date.now();
    await listing.listed(projectId);
    await listing.listed(projectId, { since: start });
    assert.equal(reads.length, 1, "the first read started after that time");

    await listing.listed(projectId, { since: Date.now() + 1 });
    assert.equal(reads.length, 2, "the first read started before that time");
    await listing.listed(projectId);
    await listing.listed(projectId, { since: start });
    assert.equal(reads.length, 2);
  });

  it("is shared by concurrent callers", async () => {
    const since = Date.now();
    await Promise.all([
      listing.listed(projectId, { since }),
      listing.listed(projectId, { since }),
      listing.listed(projectId),
    ]);
    assert.equal(reads.length, 1);
  });

  describe("that permits to disable the mode", () => {
    const allow = () => undefined;

    it("is verified anew, and judged", async () => {
      await listing.verified(projectId);
      await permitDisable(listing, projectId, new RateLimitPlace(), allow);
      assert.deepEqual(reads, ["verified", "verified"]);
      const refused = permitDisable(listing, projectId, new RateLimitPlace(), () => "6.0.9");
      await assert.rejects(refused, { code: "refused", message: /6\.0\.9/ });
    });

    it("is complete, whatever the guard says", async () => {
      const verifyClusters = () =>
        Promise.resolve({ ...empty, incomplete: gapOf("1 item was read") });
      const incomplete = new SharedListing({ listClusters: verifyClusters, verifyClusters });
      const place = new RateLimitPlace();
      await assert.rejects(permitDisable(incomplete, projectId, place, allow), /incomplete list/);
    });

    it("permits one request", async () => {
      const place = new RateLimitPlace();
      const permission = await permitDisable(listing, projectId, place, allow);
      permission.use();
      for (const used of [permission, place]) {
        assert.throws(() => {
          used.use();
        }, /used twice/);
      }
    });
  });

  it("is read again after it is forgotten", async () => {
    await listing.verified(projectId);
    listing.forget(projectId);
    await listing.verified(projectId);
    assert.equal(reads.length, 2);
  });

  it("stays cached when a caller stops waiting after it received the list", async () => {
    const controller = new AbortController();
    await listing.listed(projectId, { since: Date.now(), signal: controller.signal });
    controller.abort();
    await listing.listed(projectId);
    assert.equal(reads.length, 1);
  });

  it("is read again after a failure, but not if a later read succeeded", async () => {
    const failures: (() => void)[] = [];
    const read = () => {
      reads.push("read");
      if (reads.length !== 1 && reads.length !== 3) return Promise.resolve(empty);
      return new Promise<never>((_resolve, reject) => {
        failures.push(() => {
          reject(new Error("unavailable"));
        });
      });
    };
    const failing = new SharedListing({ listClusters: read, verifyClusters: read });
    const first = failing.verified(projectId);
    failures[0]?.();
    await assert.rejects(first, /unavailable/);
    await failing.verified(projectId);
    assert.equal(reads.length, 2);

    const later = { since: Infinity };
    const older = failing.verified(projectId, later);
    await failing.verified(projectId, later);
    failures[1]?.();
    await assert.rejects(older, /unavailable/);
    await failing.verified(projectId);
    assert.equal(reads.length, 4);
  });

  describe("while the request is pending", () => {
    const never = () => new Promise<never>(() => undefined);
    const neverEnding = () => new SharedListing({ listClusters: never, verifyClusters: never });

    it("ends the wait of a caller whose signal aborts", async () => {
      const waiting = neverEnding().listed(projectId, { signal: AbortSignal.timeout(10) });
      await assert.rejects(waiting, { name: "TimeoutError" });
    });

    it("rejects with an error when a signal aborts with another reason", async () => {
      const controller = new AbortController();
      const waiting = neverEnding().listed(projectId, { signal: controller.signal });
      controller.abort("stop");
      await assert.rejects(waiting, new Error("the wait was aborted"));
    });

    it("continues for other callers when one stops waiting", async () => {
      const responses: ((list: typeof empty) => void)[] = [];
      const read = () => new Promise<typeof empty>((resolve) => responses.push(resolve));
      const slow = new SharedListing({ listClusters: read, verifyClusters: read });
      const stopped = slow.listed(projectId, { signal: AbortSignal.timeout(10) });
      const other = slow.listed(projectId);
      await assert.rejects(stopped);
      responses[0]?.(empty);
      assert.equal(await other, empty);
    });
  });
});

describe("the merged lists of the paths of a project", () => {
  const read = (path: string, entities: readonly ClusterRecord[], reason?: string) => {
    const gap = reason === undefined ? undefined : gapOf(reason);
    return { path, entities, hasCount: true, gap };
  };
  const { records } = listOf({ id: "1", name: "orders" }, { id: "2" }, { name: "flex" }, {});

  it("have the clusters that have a name, and every record", () => {
    const merged = mergeListed([read("clusters", records)]);
    assert.deepEqual(merged, {
      records,
      clusters: [records[0], records[2]],
      paths: ["clusters"],
      endedEarly: undefined,
    });
  });

  it("keep a record without an ID that repeats another one", () => {
    const { records: kept } = mergeListed([read("a", records), read("b", records)]);
    assert.equal(kept.length, 6);
  });

  it("say why they are incomplete, with the path if there are several", () => {
    const gap = (...readings: Parameters<typeof mergeVerified>[0]) => {
      const { incomplete, endedEarly } = mergeVerified(readings);
      assert.equal(incomplete, endedEarly);
      return incomplete?.reason ?? "";
    };
    assert.equal(gap(read("a", [], "no count")), "no count");
    assert.equal(gap(read("a", []), read("b", [], "no count")), "b: no count");
    const both = gap(read("a", [], "no count"), read("b", [], "a repeated ID"));
    assert.equal(both, "a: no count; b: a repeated ID");
  });
});
