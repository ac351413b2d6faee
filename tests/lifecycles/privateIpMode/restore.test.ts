import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import { temporaryFolder, useCleanup } from "../../support/cleanup";
import { projectId, settingsFor } from "../../support/service";
import { newEngineAddress } from "../providerProcess";
import { useProviders } from "../useProvider";

/**
 * In one run, the engine can create, update and delete resources of one project in any order. It uses two processes
 * for the default provider and an explicit one.
 */
describe("a delete of a PrivateIpMode with onDelete: restore", () => {
  const cleanup = useCleanup("test");
  const { service, start } = useProviders("privateIpMode");

  /** Starts two processes of one run of the engine. */
  const startRun = async () => {
    const engine = newEngineAddress();
    return [await start({ engine }), await start({ engine })] as const;
  };
  const mode = () => service.project().privateIpMode.enabled;
  const setMode = (enabled: boolean) => {
    service.project().setPrivateIpMode(enabled);
  };
  const wanted = { projectId, enabled: false, onDelete: "restore" };
  /** The state of a resource that turned the mode off. */
  const state = { ...wanted, enabledAtAdoption: true };

  it("keeps the mode after another resource for the project was created", async () => {
    setMode(false);
    const [deleting, creating] = await startRun();
    await creating.create((await creating.check(wanted)).inputs);
    await deleting.delete(projectId, state);
    assert.equal(mode(), false);
    assert.match(
      deleting.output(),
      /warning: .* was left unchanged because another resource of this stack/,
    );
  });

  it("keeps a mode that was changed outside the stack", async () => {
    const [deleting] = await startRun();
    await deleting.delete(projectId, { ...wanted, enabled: true, enabledAtAdoption: false });
    assert.equal(mode(), false, "restored");
    setMode(true);
    await deleting.delete(projectId, { ...wanted, enabled: false, enabledAtAdoption: false });
    assert.equal(mode(), true);
    // A refresh recorded the change.
    const refreshed = { ...wanted, enabled: true, enabledAtAdoption: false, __setByStack: false };
    await deleting.delete(projectId, refreshed);
    assert.equal(mode(), true);
    assert.match(
      deleting.output(),
      /was left unchanged because it was changed outside of this stack/,
    );
  });

  it("warns if a replacement that the user requested adopted another value", async () => {
    const first = await (await start()).create(wanted);
    // With --replace, the engine passes no old inputs to check. An explicit provider has another process.
    const [deleting, replacing] = await startRun();
    const replacement = await replacing.create((await replacing.check(wanted)).inputs);
    assert.equal(replacement.outs["enabledAtAdoption"], false);
    await deleting.delete(projectId, { ...first.outs, onDelete: "retain" });
    assert.match(
      deleting.output(),
      /warning: private IP mode of project \w+ was on when its resource was first created, but .* will not turn the mode on again.* set enabledAtAdoption of the new resource to true .*\n {2}pulumi stack export --file state\.json\n {2}pulumi stack import --file state\.json/,
    );
    const warnings = () => deleting.output().match(/first created/g)?.length;
    await deleting.delete(projectId, {
      ...first.outs,
      onDelete: "retain",
      enabledAtAdoption: null,
    });
    assert.equal(warnings(), 1, "nothing is lost if the adopted value is not known");
    // A replacement that never restores the mode loses nothing, unless the old one would have restored it.
    const { onDelete, ...retained } = wanted;
    const retaining = (await replacing.check(retained)).inputs;
    assert.equal(retaining["enabledAtAdoption"], false);
    await deleting.delete(projectId, { ...first.outs, onDelete: "retain" });
    assert.equal(warnings(), 1);
    await deleting.delete(projectId, first.outs);
    assert.equal(warnings(), 2);
    const unchanged = await start();
    await unchanged.create((await unchanged.check(wanted)).inputs);
    await unchanged.delete(projectId, replacement.outs);
    assert.doesNotMatch(unchanged.output(), /first created/);
    // If the update failed in between, the next one deletes the old resource.
    const [next] = await startRun();
    await next.check(wanted, replacement.outs);
    await next.delete(projectId, first.outs);
    assert.match(next.output(), /first created/);
  });

  it("keeps the mode if the folder of marker files cannot be used", async () => {
    setMode(false);
    const TMPDIR = temporaryFolder(cleanup);
    // A file with the folder's name.
    writeFileSync(join(TMPDIR, `pulumi-clouddb-${process.getuid?.() ?? userInfo().username}`), "");
    const deleting = await start({ environment: { ...settingsFor(service), TMPDIR } });
    await deleting.delete(projectId, state);
    assert.equal(mode(), false);
    assert.match(deleting.output(), /because the temporary folder cannot be used/);
  });
});
