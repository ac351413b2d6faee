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
      return Promise.resolve([]);
    };
    listing = sharedListing({ listClusters });
  });

  it("is read again by who needs the clusters since a later time, and shared by those after", async () => {
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
});
