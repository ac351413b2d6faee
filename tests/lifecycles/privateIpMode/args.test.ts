import assert from "node:assert/strict";
import { projectId } from "../../support/service";
import { unknown } from "../providerProcess";
import { useProvider } from "../useProvider";

describe("the arguments of PrivateIpMode", () => {
  const { service, provider, start } = useProvider("privateIpMode");
  const disable = { projectId, enabled: false };

  it("shows an update for an unknown argument, and a replacement for an unknown project", async () => {
    const diff = (news: Record<string, unknown>) => provider.diff(projectId, disable, news);
    const inPlace = { changes: true, replaces: [] };
    assert.deepEqual(await diff({ projectId, enabled: unknown }), inPlace);
    assert.deepEqual((await diff({ ...disable, projectId: unknown })).replaces, ["projectId"]);
  });

  it("makes no request while an argument is unknown in a preview", async () => {
    const { inputs } = await provider.check({ projectId, enabled: unknown });
    assert.deepEqual(inputs, { projectId, enabled: unknown });
    assert.equal(service.requests.length, 0);
  });

  it("refuses a second resource for a project in the same run, and records neither name", async () => {
    const checked = await provider.check(disable);
    assert.deepEqual(checked.inputs, { ...disable, changesFrom: "on" });
    assert.deepEqual((await provider.check(disable)).failures, [], "the same resource");
    const same = { projectId: projectId.toUpperCase(), enabled: false };
    const { failures } = await provider.check({ ...same, __resource: "second" });
    assert.equal(failures[0]?.property, "projectId");
    assert.match(failures[0].reason, /"orders" already manages private IP mode of this project/);
    const later = await start({ name: "second" });
    assert.deepEqual((await later.check(disable)).failures, [], "another run");
  });

  it("refuses to import an ID that is not a project ID", async () => {
    const refusal = /invalid ID "a\\nb": must be a project ID, with only ASCII letters/;
    await assert.rejects(provider.read("a\nb", {}), refusal);
    assert.equal(service.requests.length, 0);
  });
});
