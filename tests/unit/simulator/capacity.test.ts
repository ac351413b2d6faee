import assert from "node:assert/strict";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import {
  sign,
  apiPath,
  type Challenge,
  challengeIn,
  type ClusterBody,
  clustersPath,
  json,
  type ListBody,
  ownerKey,
} from "./client";
import { seedOf } from "./seeds";
import { useSimulator } from "./testService";

const megabyte = 1024 * 1024;

function heapUsed(): number {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  collect();
  return process.memoryUsage().heapUsed;
}

describe("a project of 10,000 clusters", function () {
  this.timeout(120_000);
  const service = useSimulator(
    {
      seed: seedOf(Array.from({ length: 10_000 }, (_, at) => ({ name: `c${at}`, peering: true }))),
      requestsPerMinute: Infinity,
    },
    "before",
  );
  let challenge: Challenge;
  let count = 0;
  before(async () => {
    challenge = challengeIn(await service.send(apiPath));
  });
  const list = async (pageNum: number, items: number): Promise<ListBody<ClusterBody>> => {
    const target = `${apiPath}${clustersPath}?itemsPerPage=${items}&pageNum=${pageNum}`;
    count += 1;
    const authorization = sign(challenge, ownerKey, "GET", target, count);
    return json(await service.send(target, { headers: { authorization } }));
  };

  it("serves repeated bursts of 100 parallel requests without memory growth", async () => {
    const round = async () => {
      const pages = await Promise.all(Array.from({ length: 100 }, (_, at) => list(1 + at, 100)));
      assert.ok(pages.every(({ results }) => results.length === 100));
    };
    await round();
    await round();
    const before = heapUsed();
    for (let at = 0; at < 4; at += 1) await round();
    const grown = heapUsed() - before;
    assert.ok(grown < 10 * megabyte, `the heap grew by ${Math.round(grown / megabyte)} MB`);
  });
});
