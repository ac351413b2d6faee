import assert from "node:assert/strict";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { allOrSample } from "../../sample";
import { projectId } from "../../service";
import { usePluginStack } from "./usePluginStack";

describe("an interrupted update with the plugin", () => {
  const { service, createStack, pulumi } = usePluginStack();

  it("ends within two seconds of Ctrl-C during a wait of 1800 s, and the next update settles it", async () => {
    service.project().updateCluster("sessions", { state: "CREATING" });
    const tested = await createStack(`
new clouddb.ClusterConnectionStrings("sessions", {
  projectId: "${projectId}", clusterName: "sessions", waitSeconds: 1800,
});`);
    const update = pulumi(tested, ["up", "--yes", "--skip-preview"]);
    const listings = () => service.listings().length;
    // The wait is in `create`, after the lookup in `check`.
    for (let waited = 0; listings() < 3; waited += 100) {
      assert.ok(waited < 60_000, "the update polls");
      await sleep(100);
    }
    const interrupted = Date.now();
    update.kill("SIGINT");
    const { stdout, stderr } = await update.result;
    assert.ok(Date.now() - interrupted < 2000, `ended after ${Date.now() - interrupted} ms`);
    assert.match(stdout + stderr, /Cancelled after \d+ s \(waitSeconds: 1800\)/);

    service.project().updateCluster("sessions", { state: "IDLE" });
    const { summary } = await tested.stack.up();
    assert.deepEqual(summary.resourceChanges, { create: 1, same: 1 });
  });

  // The requests of a first update: a challenge, the mode and the clusters in `check`, and again in
  // `create`, and the PATCH. An even point is the response to a request.
  for (const point of allOrSample([7, 9, 11, 12], [12])) {
    it(`leaves the old or the new mode if the plugin is killed at point ${point}, and the next update succeeds`, async () => {
      const tested = await createStack(
        `new clouddb.PrivateIpMode("mode", { projectId: "${projectId}", enabled: false });`,
      );
      const { envVars } = tested.stack.workspace;
      envVars["NODE_OPTIONS"] = `--require ${join(__dirname, "..", "killAt.cjs")}`;
      envVars["KILL_AT"] = String(point);
      await tested.failure(tested.stack.up());
      delete envVars["NODE_OPTIONS"];
      delete envVars["KILL_AT"];
      assert.equal(service.project().privateIpMode.enabled, point !== 12);

      const { summary } = await tested.stack.up();
      assert.equal(summary.result, "succeeded");
      assert.equal(service.project().privateIpMode.enabled, false);
      assert.equal(service.patches().length, 1);
    });
  }
});
