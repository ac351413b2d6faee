import assert from "node:assert/strict";
import { projectId } from "../../service";
import { unknown } from "../providerProcess";
import { useProvider } from "../useProvider";

describe("the arguments of PrivateIpMode", () => {
  const { service, provider } = useProvider("privateIpMode");
  const disable = { projectId, enabled: false };

  it("shows an update for an unknown argument, and a replacement for an unknown project", async () => {
    const state = { ...disable, enabledAtAdoption: true };
    const diff = (news: Record<string, unknown>) => provider.diff(projectId, state, news);
    const inPlace = { changes: true, replaces: [] };
    assert.deepEqual(await diff({ projectId, enabled: unknown }), inPlace);
    assert.deepEqual(await diff({ ...disable, onDelete: unknown }), inPlace);
    assert.deepEqual((await diff({ ...disable, projectId: unknown })).replaces, ["projectId"]);
  });

  it("makes no request while an argument is unknown in a preview", async () => {
    const { inputs } = await provider.check({ projectId, enabled: unknown });
    assert.deepEqual(inputs, { projectId, enabled: unknown });
    assert.equal(service.requests.length, 0);
  });

  it("refuses a second resource for a project, and does not record alsoManagedBy", async () => {
    const { failures } = await provider.check({ ...disable, alsoManagedBy: "first" });
    assert.equal(failures[0]?.property, "projectId");
    assert.match(failures[0].reason, /"first" already manages private IP mode of this project/);
    const { inputs } = await provider.check({
      projectId,
      enabled: unknown,
      alsoManagedBy: unknown,
    });
    assert.deepEqual(inputs, { projectId, enabled: unknown });
  });

  it("refuses to import an ID that is not a project ID", async () => {
    const refusal = /invalid ID "a\\nb": must be a project ID: it may contain only ASCII letters/;
    await assert.rejects(provider.read("a\nb", {}), refusal);
    assert.equal(service.requests.length, 0);
  });

  it("names an invalid or misspelled argument", async () => {
    const { failures } = await provider.check({ projectId, enable: false });
    assert.ok(failures.some(({ property }) => property === "enabled"));
    assert.ok(failures.some(({ reason }) => reason.includes("enable")));
  });
});
