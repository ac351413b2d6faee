import assert from "node:assert/strict";
import { projectId } from "../../service";
import { useProvider } from "../useProvider";

describe("a lookup with waitSeconds", () => {
  const { service, provider } = useProvider("clusterConnectionStrings");

  it("returns no strings in check, and waits for them in create", async () => {
    service.project().updateCluster("sessions", { pendingStrings: ["standard"] });
    const { inputs, failures } = await provider.check({
      projectId,
      clusterName: "sessions",
      waitSeconds: 8,
    });
    assert.deepEqual(failures, []);
    assert.equal("recommended" in inputs, false);
    const creating = provider.create(inputs);
    service.project().updateCluster("sessions", { pendingStrings: [] });
    const { outs } = await creating;
    assert.match(String(outs["recommended"]), /sessions/);
  });

  it("fails with the missing cluster after the timeout", async () => {
    await assert.rejects(
      provider.create({ projectId, clusterName: "nowhere", waitSeconds: 0.5 }),
      /has no cluster nowhere\..* Timed out after/,
    );
  });

  it("logs its progress, and fails with the cluster's state and the missing string after the timeout", async () => {
    service.project().updateCluster("sessions", { state: "CREATING" });
    await assert.rejects(
      provider.create({ projectId, clusterName: "sessions", waitSeconds: 4 }),
      /sessions \(state CREATING\) .*has no standard string \(SRV\)\. .* Timed out after \d s \(waitSeconds: 4\)/,
    );
    const lines = provider
      .output()
      .match(/progress: waiting for the .* of cluster sessions .* for up to \d s/g);
    assert.ok((lines ?? []).length >= 2);
  });

  it("shares its polls with other waiting lookups", async () => {
    service.project().updateCluster("sessions", { state: "CREATING" });
    const waiting = { projectId, clusterName: "sessions", waitSeconds: 1.5 };
    await Promise.allSettled(Array.from({ length: 20 }, () => provider.create(waiting)));
    assert.ok(
      service.listings().length < 20,
      `${service.listings().length} listings for 20 lookups`,
    );
  });

  it("shares one list of clusters in check with other lookups", async () => {
    const names = ["one", "two", "three", "four"];
    for (const clusterName of names) {
      const { failures } = await provider.check({ projectId, clusterName, waitSeconds: 60 });
      assert.deepEqual(failures, []);
    }
    assert.equal(service.listings().length, 1);
  });
});
