/** What is recorded after a change whose outcome is not known. Also runs in both kinds of provider process. */
import assert from "node:assert/strict";
import { projectId } from "../../support/service";
import { useProvider } from "../useProvider";

describe("PrivateIpMode after an update whose outcome is not known", () => {
  const { service, provider, start } = useProvider("privateIpMode");
  const enable = { projectId, enabled: true };
  const disable = { projectId, enabled: false };
  const get = { method: "GET", path: /privateIpMode$/, withCredentials: true };
  const patch = { method: "PATCH", withCredentials: true };

  /** Returns what the engine records of an update whose change was applied, but not answered. */
  const failedUpdate = async () => {
    const { inputs: olds } = await provider.check(enable);
    const { outs } = await provider.create(olds);
    const { inputs } = await provider.check(disable, olds);
    service.faults.push({ ...patch, reset: "after" });
    const failure = await provider.update(projectId, outs, inputs).then(
      () => assert.fail("the update succeeded"),
      (error: unknown) => error,
    );
    assert.ok(failure instanceof Error);
    assert.match(failure.message, /may or may not have been (?:en|dis)abled/);
    return { failure, inputs, outs };
  };

  it("changes the mode back if the program is reverted and the service has no GET for the setting", async () => {
    service.faults.push({ ...get, status: 405, times: Infinity });
    const { failure, inputs } = await failedUpdate();
    assert.ok("properties" in failure, "records a partial state");
    const outs = failure.properties as Record<string, unknown>;
    assert.ok(!("enabled" in outs));
    assert.equal(service.project().privateIpMode.enabled, false);
    const sent = service.patches().length;

    const next = await start();
    const reverted = await next.check(enable, inputs);
    assert.deepEqual(reverted.failures, []);
    assert.equal((await next.diff(projectId, outs, reverted.inputs)).changes, true);
    await next.update(projectId, outs, reverted.inputs);
    assert.equal(service.patches().length, sent + 1);
    assert.equal(service.project().privateIpMode.enabled, true);
  });
});
