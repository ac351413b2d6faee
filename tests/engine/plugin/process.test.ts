/** The packed plugin, started by the engine. */
import assert from "node:assert/strict";
import { waitWhileRunning } from "../../support/command";
import { projectId } from "../../support/service";
import { ClusterConnectionStrings, PrivateIpMode } from "../attachedPlugin";
import { useStack } from "../useStack";

describe("a stack that uses the packed plugin", () => {
  const { service, createInline, createStack, run } = useStack();

  it("shows real strings in preview, shows no change after an update, and is destroyed", async () => {
    const program = () => {
      new PrivateIpMode("orders", { projectId, enabled: false });
      const network = { kind: "peering" };
      const args = { projectId, clusterName: "orders", network };
      return Promise.resolve({ url: new ClusterConnectionStrings("orders", args).recommended });
    };
    const { stack } = await createInline(program, { usesPackedPlugin: true });
    const preview = await stack.preview();
    assert.match(preview.stdout, /url *: "db\+srv:\/\/orders-pri\./);
    assert.equal(service.patches().length, 0);

    const { outputs } = await stack.up();
    assert.match(String(outputs["url"]?.value), /^db\+srv:\/\/orders-pri\./);
    assert.equal(service.project().privateIpMode.enabled, false);
    assert.deepEqual((await stack.preview()).changeSummary, { same: 3 });
    await stack.destroy();
    assert.equal(service.project().privateIpMode.enabled, false, "the mode is retained");
  });

  it("ends after Ctrl-C during a wait of 1800 s, and the next update recovers", async () => {
    service.project().updateCluster("sessions", { state: "CREATING" });
    const tested = await createStack(
      `new pulumi.CustomResource("clouddb:index:ClusterConnectionStrings", "sessions", {
  projectId: "${projectId}", clusterName: "sessions", waitSeconds: 1800 });`,
      { usesPackedPlugin: true },
    );
    const { stack } = tested;
    const update = run(tested, "pulumi", ["up", "--yes", "--skip-preview", "--stack", "test"]);
    // The wait is in `create`, after the lookup in `check`.
    await waitWhileRunning(update, () => service.listings().length >= 3);
    update.kill("SIGINT");
    const { stdout, stderr } = await update.result;
    assert.match(stdout + stderr, /Cancelled after \d+ s \(waitSeconds: 1800\)/);

    service.project().updateCluster("sessions", { state: "IDLE" });
    const { summary } = await stack.up();
    assert.deepEqual(summary.resourceChanges, { create: 1, same: 1 });
  });
});
