import assert from "node:assert/strict";
import { missingProjectId, projectId } from "../../support/service";
import { useProvider } from "../useProvider";

describe("a delete of a PrivateIpMode", () => {
  const { service, provider, start } = useProvider("privateIpMode");
  const disable = { projectId, enabled: false };

  /** Deletes in another process, as a later update does, and returns the output. */
  const deleteIn = async (props: Record<string, unknown>) => {
    const another = await start();
    await another.delete(projectId, props);
    return another.output();
  };

  it("keeps the mode by default, and restores the adopted value with onDelete: restore", async () => {
    const { outs } = await provider.create((await provider.check(disable)).inputs);
    await deleteIn(outs);
    assert.equal(service.project().privateIpMode.enabled, false);
    assert.match(await deleteIn({ ...outs, onDelete: "restore" }), /was turned back on/);
    assert.equal(service.project().privateIpMode.enabled, true);
  });

  it("refuses to restore while a cluster runs 6.0, and says how to delete anyway", async () => {
    const state = { ...disable, enabled: true, enabledAtAdoption: false, onDelete: "restore" };
    service.project().updateCluster("orders", { version: "6.0.5" });
    await assert.rejects(provider.delete(projectId, state), /orders +6\.0\.5\n.*set onDelete to/);
    assert.doesNotMatch(provider.output(), /was turned back/);
    assert.equal(service.project().privateIpMode.enabled, true);
  });

  it("names onDelete: retain if the service refuses to enable the mode", async () => {
    const { outs } = await provider.create((await provider.check(disable)).inputs);
    const body = { errorCode: "CANNOT_ENABLE_PRIVATE_IP_MODE", detail: "It is deprecated." };
    service.faults.push({ method: "PATCH", withCredentials: true, status: 400, body });
    const deleting = await start();
    await assert.rejects(
      deleting.delete(projectId, { ...outs, onDelete: "restore" }),
      /refused to enable .* Resolve the reason, then run the update again, or keep the mode: set onDelete to "retain" and update\. Reason: It is deprecated/,
    );
  });

  it("keeps the mode, with a warning, if the adopted value is not known", async () => {
    const output = await deleteIn({ ...disable, onDelete: "restore" });
    assert.match(
      output,
      /warning: .*was left unchanged because its value before this resource was created is not known/,
    );
  });

  it("turns the mode off again, and logs it", async () => {
    const state = { projectId, enabled: true, enabledAtAdoption: false, onDelete: "restore" };
    const output = await deleteIn(state);
    assert.equal(service.project().privateIpMode.enabled, false);
    assert.match(
      output,
      /warning: .* was turned back off, its value when .*another stack manages this mode/,
    );
  });

  it("needs no settings to keep the mode", async () => {
    const withoutSettings = await start({ environment: {} });
    await withoutSettings.delete(projectId, { ...disable, enabledAtAdoption: true });
    assert.equal(withoutSettings.output(), "");
  });

  it("changes and logs nothing if the mode already has the adopted value", async () => {
    const state = { ...disable, enabledAtAdoption: true, onDelete: "restore" };
    assert.doesNotMatch(await deleteIn(state), /private IP mode|warning/);
    assert.equal(service.patches().length, 0);
  });

  it("succeeds, with a warning, if the project does not exist", async () => {
    const state = { projectId: missingProjectId, enabled: false, enabledAtAdoption: true };
    await provider.delete(missingProjectId, { ...state, onDelete: "restore" });
    assert.match(provider.output(), /was left unchanged because the project does not exist/);
  });

  it("fails if the service cannot be reached", async () => {
    service.faults.push({ withCredentials: true, status: 403, times: Infinity });
    const state = { ...disable, enabledAtAdoption: true, onDelete: "restore" };
    await assert.rejects(provider.delete(projectId, state), /403/);
  });
});
