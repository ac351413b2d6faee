import assert from "node:assert/strict";
import { type RequestCounts, countRequests } from "../../../quality/soak/requests";
import { clustersPath, modePath } from "../simulator/client";
import { seedOf } from "../simulator/seeds";
import { useSimulator } from "../simulator/testService";

describe("the counts of an operation's requests", () => {
  const service = useSimulator({
    seed: seedOf([{ name: "orders" }], { privateIpMode: { enabled: true } }),
  });
  const patch = async () => {
    const sending = { method: "PATCH", json: { enabled: false } };
    await service.call(modePath, sending).catch(() => undefined);
  };
  const counts = (): Partial<RequestCounts> => {
    const { patchesSent, patchesApplied, patchesRepeatedBlindly } = countRequests(
      service.simulator.requests,
    );
    return { patchesSent, patchesApplied, patchesRepeatedBlindly };
  };

  it("count a change whose response was lost as applied", async () => {
    service.simulator.faults.push({ method: "PATCH", withCredentials: true, reset: "after" });
    await patch();
    assert.deepEqual(counts(), { patchesSent: 1, patchesApplied: 1, patchesRepeatedBlindly: 0 });
  });

  it("count a change that did not reach the service only as sent", async () => {
    service.simulator.faults.push({ method: "PATCH", withCredentials: true, reset: true });
    await patch();
    assert.deepEqual(counts(), { patchesSent: 1, patchesApplied: 0, patchesRepeatedBlindly: 0 });
  });

  it("count a change that was repeated without a read as repeated blindly", async () => {
    service.simulator.faults.push({ method: "PATCH", withCredentials: true, status: 503 });
    await patch();
    await patch();
    assert.deepEqual(counts(), { patchesSent: 2, patchesApplied: 1, patchesRepeatedBlindly: 1 });
  });

  it("accept a change that was repeated after a read, or after a 429", async () => {
    service.simulator.faults.push(
      { method: "PATCH", withCredentials: true, status: 503 },
      { method: "PATCH", withCredentials: true, status: 429 },
    );
    await patch();
    await service.call(modePath);
    await patch();
    await patch();
    assert.deepEqual(counts(), { patchesSent: 3, patchesApplied: 1, patchesRepeatedBlindly: 0 });
  });

  it("include only complete listings", async () => {
    service.simulator.faults.push({ path: /clusters$/, withCredentials: true, status: 502 });
    await service.call(clustersPath);
    await service.call(clustersPath);
    assert.equal(countRequests(service.simulator.requests).listings, 1);
  });
});
