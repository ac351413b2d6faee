import assert from "node:assert/strict";
import { mock } from "node:test";
import {
  type ReadOptions,
  SharedListing,
  mergeReadings,
} from "../../../provider/src/service/clusterLists";
import { permitDisable } from "../../../provider/src/service/disablePermission";
import type { ClusterRecord } from "../../../provider/src/service/schemas";
import { waitUntil } from "../../support/waitUntil";
import { gapOf, listOf } from "./testClient";

const empty = listOf();
const projectId = "64a0c0ffee0000000000a001";

type Read = ConstructorParameters<typeof SharedListing>[0]["verifyClusters"];
const listingOf = (listClusters: Read, verifyClusters = listClusters) =>
  new SharedListing({ listClusters, verifyClusters });

describe("the shared list of a project", () => {
  /** What was read, in order. */
  let reads: string[];
  let listing: SharedListing;
  const read =
    (name: string) =>
    (_id: string, { onSend }: ReadOptions) => {
      reads.push(name);
      onSend?.();
      return Promise.resolve(empty);
    };

  beforeEach(() => {
    reads = [];
    listing = listingOf(read("listed"), read("verified"));
    mock.timers.enable({ apis: ["Date"], now: 1_000_000 });
  });
  afterEach(() => {
    mock.timers.reset();
  });

  it("is verified for a caller that needs that, which then serves every caller", async () => {
    await listing.listed(projectId, "recent");
    await listing.verified(projectId, "recent");
    assert.deepEqual(reads, ["listed", "verified"], "the list of a lookup is not enough");
    await listing.verified(projectId, "recent");
    await listing.listed(projectId, "recent");
    assert.equal(reads.length, 2);
  });

  it("serves callers whose dependencies had ended before it was requested", async () => {
    const start = Date.now();
    await listing.listed(projectId, { after: start - 1 });
    await listing.listed(projectId, { after: start - 250 });
    assert.equal(reads.length, 1);

    mock.timers.tick(10_000);
    await listing.listed(projectId, { after: start - 1 });
    assert.equal(reads.length, 1, "it can be old");
    await listing.listed(projectId, { after: start });
    assert.equal(reads.length, 2, "something ended at the time of the first request");
    await listing.listed(projectId, { after: start + 9999 });
    assert.equal(reads.length, 2);
    await listing.verified(projectId, { after: start });
    await listing.verified(projectId, { after: start + 10_000 });
    assert.equal(reads.length, 4);
  });

  it("is recent until two seconds after it was read, however long that took", async () => {
    for (const took of [0, 2100, 60_000]) {
      reads = [];
      const slow = listingOf((id, options) => {
        const list = read("slow")(id, options);
        mock.timers.tick(took);
        return list;
      });
      await slow.listed(projectId, "recent");
      mock.timers.tick(2000);
      await slow.listed(projectId, "recent");
      assert.equal(reads.length, 1);
      mock.timers.tick(1);
      await slow.listed(projectId, "recent");
      assert.equal(reads.length, 2);
    }
  });

  it("is recent while it is read", async () => {
    let end = () => undefined as unknown;
    const slow = listingOf((id, options) => {
      const list = read("slow")(id, options);
      return new Promise(
        (resolve) =>
          (end = () => {
            resolve(list);
          }),
      );
    });
    const first = slow.listed(projectId, "recent");
    mock.timers.tick(30_000);
    const second = slow.listed(projectId, "recent");
    end();
    assert.equal(await first, await second);
    assert.equal(reads.length, 1);
  });

  it("is as old as the last attempt to request it", async () => {
    const start = Date.now();
    const repeating = listingOf((id, options) => {
      options.onSend?.();
      mock.timers.tick(10_000);
      return read("repeated")(id, options);
    });
    await repeating.listed(projectId, { after: start + 9999 });
    await repeating.listed(projectId, { after: start + 9999 });
    assert.equal(reads.length, 1);
    mock.timers.tick(2001);
    await repeating.listed(projectId, "recent");
    assert.equal(reads.length, 2);
  });

  it("serves a caller that requires both a time and a recent list only if it is both", async () => {
    const after = Date.now() - 1;
    await listing.listed(projectId, { after, mustBeRecent: true });
    mock.timers.tick(2000);
    await listing.listed(projectId, { after, mustBeRecent: true });
    assert.equal(reads.length, 1);
    mock.timers.tick(1);
    await listing.listed(projectId, { after, mustBeRecent: false });
    assert.equal(reads.length, 1);
    await listing.listed(projectId, { after, mustBeRecent: true });
    assert.equal(reads.length, 2, "it is no longer recent");
    await listing.listed(projectId, { after: Date.now(), mustBeRecent: true });
    assert.equal(reads.length, 3, "it was requested before");
  });

  it("serves every caller before its request is sent", async () => {
    let send = () => undefined as unknown;
    const waiting = listingOf(
      (id, options) =>
        new Promise((resolve) => {
          send = () => {
            resolve(read("listed")(id, options));
          };
        }),
    );
    const first = waiting.listed(projectId, "recent");
    mock.timers.tick(30_000);
    const second = waiting.listed(projectId, { after: Date.now() });
    mock.timers.tick(1);
    send();
    await Promise.all([first, second]);
    mock.timers.tick(2000);
    await waiting.listed(projectId, "recent");
    assert.equal(reads.length, 1);
  });

  it("is not younger than it is if the clock is set back", async () => {
    await listing.listed(projectId, "recent");
    mock.timers.setTime(500_000);
    await listing.listed(projectId, { after: 500_000 });
    assert.equal(reads.length, 2);
  });

  it("waits for further callers before it is read a second time", async () => {
    await listing.listed(projectId, "recent");
    mock.timers.tick(5000);
    const callers = [1, 2, 3].map((number) => {
      mock.timers.tick(1);
      return listing.listed(projectId, { after: 1_005_000 + number });
    });
    await Promise.all(callers);
    assert.equal(reads.length, 2);
  });

  it("is shared by concurrent callers", async () => {
    const after = Date.now() - 1;
    const calls = [listing.listed(projectId, { after }), listing.listed(projectId, "recent")];
    await Promise.all(calls);
    assert.equal(reads.length, 1);
  });

  describe("that permits to disable the mode", () => {
    const allow = () => undefined;

    it("is verified anew, and judged", async () => {
      await listing.verified(projectId, "recent");
      await permitDisable(listing, projectId, allow);
      assert.deepEqual(reads, ["verified", "verified"]);
      const refused = permitDisable(listing, projectId, () => "6.0.9");
      await assert.rejects(refused, { code: "refused", message: /6\.0\.9/ });
    });

    it("is complete, whatever the guard says", async () => {
      const list = { ...empty, gap: gapOf("1 item was read") };
      const incomplete = listingOf(() => Promise.resolve(list));
      const permission = permitDisable(incomplete, projectId, allow);
      await assert.rejects(permission, /incomplete list/);
    });

    it("permits one request", async () => {
      const permission = await permitDisable(listing, projectId, allow);
      permission.use();
      assert.throws(() => {
        permission.use();
      }, /used twice/);
    });
  });

  it("is read again after it is forgotten", async () => {
    await listing.verified(projectId, "recent");
    listing.forget(projectId);
    await listing.verified(projectId, "recent");
    assert.equal(reads.length, 2);
  });

  it("stays cached when a caller stops waiting after it received the list", async () => {
    const controller = new AbortController();
    await listing.listed(projectId, "recent", controller.signal);
    controller.abort();
    await listing.listed(projectId, "recent");
    assert.equal(reads.length, 1);
  });

  it("is read again after a failure, but not if a later read succeeded", async () => {
    const failures: (() => void)[] = [];
    const readOrWait = (_id: string, { onSend }: ReadOptions) => {
      reads.push("read");
      onSend?.();
      if (reads.length !== 1 && reads.length !== 3) return Promise.resolve(empty);
      return new Promise<never>((_resolve, reject) => {
        failures.push(() => {
          reject(new Error("unavailable"));
        });
      });
    };
    const failing = listingOf(readOrWait);
    const first = failing.verified(projectId, "recent");
    failures[0]?.();
    await assert.rejects(first, /unavailable/);
    await failing.verified(projectId, "recent");
    assert.equal(reads.length, 2);

    const later = { after: Infinity };
    const older = failing.verified(projectId, later);
    await waitUntil("it is requested", () => reads.length === 3);
    await failing.verified(projectId, later);
    failures[1]?.();
    await assert.rejects(older, /unavailable/);
    await failing.verified(projectId, "recent");
    assert.equal(reads.length, 4);
  });

  describe("while the request is pending", () => {
    const never = () => new Promise<never>(() => undefined);
    const neverEnding = () => listingOf(never);

    it("ends the wait of a caller whose signal aborts", async () => {
      const waiting = neverEnding().listed(projectId, "recent", AbortSignal.timeout(10));
      await assert.rejects(waiting, { name: "TimeoutError" });
    });

    it("rejects with an error when a signal aborts with another reason", async () => {
      const controller = new AbortController();
      const waiting = neverEnding().listed(projectId, "recent", controller.signal);
      controller.abort("stop");
      await assert.rejects(waiting, new Error("the wait was aborted"));
    });

    it("continues for other callers when one stops waiting", async () => {
      const responses: ((list: typeof empty) => void)[] = [];
      const read = () => new Promise<typeof empty>((resolve) => responses.push(resolve));
      const slow = listingOf(read);
      const stopped = slow.listed(projectId, "recent", AbortSignal.timeout(10));
      const other = slow.listed(projectId, "recent");
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
    const merged = mergeReadings([read("clusters", records)], "count");
    assert.deepEqual(merged, {
      records,
      clusters: [records[0], records[2]],
      paths: ["clusters"],
      readUntil: "count",
      gap: undefined,
    });
  });

  it("keep a record without an ID that repeats another one", () => {
    const { records: kept } = mergeReadings([read("a", records), read("b", records)], "count");
    assert.equal(kept.length, 6);
  });

  it("say why they are incomplete, with the path if there are several", () => {
    const gap = (...readings: Parameters<typeof mergeReadings>[0]) =>
      mergeReadings(readings, "emptyPage").gap?.reason ?? "";
    assert.equal(gap(read("a", [], "no count")), "no count");
    assert.equal(gap(read("a", []), read("b", [], "no count")), "b: no count");
    const both = gap(read("a", [], "no count"), read("b", [], "a repeated ID"));
    assert.equal(both, "a: no count; b: a repeated ID");
  });
});
