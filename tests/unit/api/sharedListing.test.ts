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

  it("is read again for a caller that needs a later state, and cached again", async () => {
    const start = Date.now();
    await listing.clusters(projectId);
    await listing.clustersSince(projectId, start);
    assert.equal(reads, 1, "the first read started after that time");

    await listing.clustersSince(projectId, Date.now() + 1);
    assert.equal(reads, 2, "the first read started before that time");
    await listing.clusters(projectId);
    await listing.clustersSince(projectId, start);
    assert.equal(reads, 2);
  });

  it("is shared by concurrent callers", async () => {
    const since = Date.now();
    await Promise.all([
      listing.clustersSince(projectId, since),
      listing.clustersSince(projectId, since),
      listing.clusters(projectId),
    ]);
    assert.equal(reads, 1);
  });

  describe("while the request is pending", () => {
    let aborted: boolean;
    const neverEnding = () =>
      sharedListing({
        listClusters: (_projectId, signal) => {
          signal?.addEventListener("abort", () => (aborted = true));
          return new Promise(() => undefined);
        },
      });
    beforeEach(() => {
      aborted = false;
    });

    it("is aborted when the last caller stops waiting", async () => {
      const slow = neverEnding();
      const first = slow.clustersSince(projectId, 0, AbortSignal.timeout(10));
      const second = slow.clustersSince(projectId, 0, AbortSignal.timeout(60));
      await assert.rejects(first);
      assert.equal(aborted, false);
      await assert.rejects(second);
      assert.equal(aborted, true);
    });

    it("is not aborted while a caller without a signal waits", async () => {
      const slow = neverEnding();
      void slow.clusters(projectId);
      await assert.rejects(slow.clustersSince(projectId, 0, AbortSignal.timeout(10)));
      assert.equal(aborted, false);
    });
  });
});
