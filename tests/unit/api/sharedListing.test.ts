import assert from "node:assert/strict";
import { type SharedListing, sharedListing } from "../../../provider/src/api/sharedListing";

const projectId = "64a0c0ffee0000000000a001";

describe("a shared listing", () => {
  let reads: number;
  let listing: SharedListing;

  beforeEach(() => {
    reads = 0;
    const listClusters = () => {
      reads += 1;
      return Promise.resolve({ clusters: [], malformed: [], incomplete: undefined });
    };
    listing = sharedListing({ listClusters });
  });

  it("is read again for a caller that needs a later state, and shared from then on", async () => {
    const start = Date.now();
    await listing.clusters(projectId);
    await listing.clustersSince(projectId, start);
    assert.equal(reads, 1, "the reading began since");

    await listing.clustersSince(projectId, Date.now() + 1);
    assert.equal(reads, 2, "it began before");
    await listing.clusters(projectId);
    await listing.clustersSince(projectId, start);
    assert.equal(reads, 2);
  });

  it("is shared while it is being read", async () => {
    const since = Date.now();
    await Promise.all([
      listing.clustersSince(projectId, since),
      listing.clustersSince(projectId, since),
      listing.clusters(projectId),
    ]);
    assert.equal(reads, 1);
  });

  describe("that takes long", () => {
    let cancelled: boolean;
    const never = () =>
      sharedListing({
        listClusters: (_projectId, signal) => {
          signal?.addEventListener("abort", () => (cancelled = true));
          return new Promise(() => undefined);
        },
      });
    beforeEach(() => {
      cancelled = false;
    });

    it("is cancelled when its last caller leaves", async () => {
      const slow = never();
      const first = slow.clustersSince(projectId, 0, AbortSignal.timeout(10));
      const second = slow.clustersSince(projectId, 0, AbortSignal.timeout(60));
      await assert.rejects(first);
      assert.equal(cancelled, false);
      await assert.rejects(second);
      assert.equal(cancelled, true);
    });

    it("goes on while a caller without a signal waits for it", async () => {
      const slow = never();
      void slow.clusters(projectId);
      await assert.rejects(slow.clustersSince(projectId, 0, AbortSignal.timeout(10)));
      assert.equal(cancelled, false);
    });
  });
});
