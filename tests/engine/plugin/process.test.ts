/** The packed plugin, started by the engine. */
import assert from "node:assert/strict";
import { projectId } from "../../service";
import { waitUntil } from "../../waitUntil";
import { ClusterConnectionStrings, PrivateIpMode } from "../attachedPlugin";
import { useStack } from "../useStack";

describe("a stack that uses the packed plugin", () => {
  const { service, createInline } = useStack();

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

  it("ends within two seconds of Ctrl-C during a wait of 1800 s, and the next update settles it", async () => {
    service.project().updateCluster("sessions", { state: "CREATING" });
    const program = () => {
      const args = { projectId, clusterName: "sessions", waitSeconds: 1800 };
      new ClusterConnectionStrings("sessions", args);
      return Promise.resolve({});
    };
    const { stack, failure } = await createInline(program, { usesPackedPlugin: true });
    const controlC = new AbortController();
    const update = failure(stack.up({ signal: controlC.signal }));
    // The wait is in `create`, after the lookup in `check`.
    await waitUntil("the update polls", () => service.listings().length >= 3);
    const interrupted = Date.now();
    controlC.abort();
    const output = await update;
    assert.ok(Date.now() - interrupted < 2000, `ended after ${Date.now() - interrupted} ms`);
    assert.match(output, /Cancelled after \d+ s \(waitSeconds: 1800\)/);

    service.project().updateCluster("sessions", { state: "IDLE" });
    const { summary } = await stack.up();
    assert.deepEqual(summary.resourceChanges, { create: 1, same: 1 });
  });
});
