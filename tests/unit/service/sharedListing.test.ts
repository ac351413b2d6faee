import assert from "node:assert/strict";
import type { Client } from "../../../provider/src/service/client";
import { SharedListing } from "../../../provider/src/service/sharedListing";
import { listOf } from "./testClient";

const empty = listOf();
const lookup = { verifyEnd: false } as const;
const fresh = { since: Infinity } as const;
const projectId = "64a0c0ffee0000000000a001";

describe("a shared cluster list request", () => {
  let reads: number;
  let verified: boolean;
  let listing: SharedListing;

  beforeEach(() => {
    reads = 0;
    const listClusters: Client["listClusters"] = (_projectId, options) => {
      reads += 1;
      verified = options?.verifyEnd === true;
      return Promise.resolve(empty);
    };
    listing = new SharedListing({ listClusters });
  });

  it("of a guard verifies the end of the list, and is shared by guards and lookups", async () => {
    await listing.clusters(projectId, lookup);
    assert.equal(verified, false);
    await listing.clusters(projectId);
    assert.deepEqual([reads, verified], [2, true], "the list of a lookup is not enough");

    await listing.clusters(projectId);
    await listing.clusters(projectId, lookup);
    await listing.clusters(projectId, { ...lookup, since: 0 });
    assert.equal(reads, 2);
    await listing.clusters(projectId, fresh);
    assert.deepEqual([reads, verified], [3, true]);
    await listing.clusters(projectId, { ...lookup, since: Date.now() + 1 });
    assert.deepEqual([reads, verified], [4, false]);
  });

  it("is read again for a caller that needs a later state, and cached again", async () => {
    const start = Date.now();
    await listing.clusters(projectId, lookup);
    await listing.clusters(projectId, { ...lookup, since: start });
    assert.equal(reads, 1, "the first read started after that time");

    await listing.clusters(projectId, { ...lookup, since: Date.now() + 1 });
    assert.equal(reads, 2, "the first read started before that time");
    await listing.clusters(projectId, lookup);
    await listing.clusters(projectId, { ...lookup, since: start });
    assert.equal(reads, 2);
  });

  it("is shared by concurrent callers", async () => {
    const since = Date.now();
    await Promise.all([
      listing.clusters(projectId, { ...lookup, since: since }),
      listing.clusters(projectId, { ...lookup, since: since }),
      listing.clusters(projectId, lookup),
    ]);
    assert.equal(reads, 1);
  });

  it("is read again after it is forgotten", async () => {
    await listing.clusters(projectId);
    listing.forget(projectId);
    await listing.clusters(projectId);
    assert.equal(reads, 2);
  });

  it("stays cached when a caller stops waiting after it received the list", async () => {
    const controller = new AbortController();
    await listing.clusters(projectId, { ...lookup, since: Date.now(), signal: controller.signal });
    controller.abort();
    await listing.clusters(projectId, lookup);
    assert.equal(reads, 1);
  });

  it("is read again after a failure, but not if a later read succeeded", async () => {
    const failures: (() => void)[] = [];
    const failing = new SharedListing({
      listClusters: () => {
        reads += 1;
        if (reads !== 1 && reads !== 3) return Promise.resolve(empty);
        return new Promise((_resolve, reject) => {
          failures.push(() => {
            reject(new Error("unavailable"));
          });
        });
      },
    });
    const first = failing.clusters(projectId);
    failures[0]?.();
    await assert.rejects(first, /unavailable/);
    await failing.clusters(projectId);
    assert.equal(reads, 2);

    const older = failing.clusters(projectId, fresh);
    await failing.clusters(projectId, fresh);
    failures[1]?.();
    await assert.rejects(older, /unavailable/);
    await failing.clusters(projectId);
    assert.equal(reads, 4);
  });

  describe("while the request is pending", () => {
    const neverEnding = () =>
      new SharedListing({ listClusters: () => new Promise(() => undefined) });

    it("ends the wait of a caller whose signal aborts", async () => {
      const waiting = neverEnding().clusters(projectId, {
        ...lookup,
        since: 0,
        signal: AbortSignal.timeout(10),
      });
      await assert.rejects(waiting, { name: "TimeoutError" });
    });

    it("rejects with an error when a signal aborts with another reason", async () => {
      const controller = new AbortController();
      const waiting = neverEnding().clusters(projectId, {
        ...lookup,
        since: 0,
        signal: controller.signal,
      });
      controller.abort("stop");
      await assert.rejects(waiting, new Error("the wait was aborted"));
    });

    it("continues for other callers when one stops waiting", async () => {
      const responses: ((list: typeof empty) => void)[] = [];
      const slow = new SharedListing({
        listClusters: () => new Promise((resolve) => responses.push(resolve)),
      });
      const stopped = slow.clusters(projectId, {
        ...lookup,
        since: 0,
        signal: AbortSignal.timeout(10),
      });
      const other = slow.clusters(projectId, lookup);
      await assert.rejects(stopped);
      responses[0]?.(empty);
      assert.equal(await other, empty);
    });
  });
});
