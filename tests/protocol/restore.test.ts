import assert from "node:assert/strict";
import { chmodSync, mkdirSync, mkdtempSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import type { Simulator } from "clouddb-simulator";
import { projectId, settingsFor, startService } from "../service";
import { type ProviderProcess, newEngineAddress, startProvider } from "./providerProcess";

/**
 * The orders in which create, update and delete of one project's mode can meet in a run of the
 * engine, in one process and in two (the default provider and an explicit one).
 */
describe("a deleted PrivateIpMode that restores", () => {
  let service: Simulator;
  let running: ProviderProcess[];

  before(async () => {
    service = await startService();
  });
  after(() => service.stop());
  beforeEach(() => {
    service.reset();
    running = [];
  });
  afterEach(() => Promise.all(running.map((each) => each.stop())));

  const start = async (engine: string, environment: Record<string, string> = {}) => {
    const settings = { ...settingsFor(service), ...environment };
    const started = await startProvider("privateIpMode", {}, settings, engine);
    running.push(started);
    return started;
  };
  /** Processes of one run of the engine. */
  const startRun = async (count: 1 | 2) => {
    const engine = newEngineAddress();
    const first = await start(engine);
    return [first, count === 2 ? await start(engine) : first] as const;
  };
  const mode = () => service.project(projectId).privateIpMode.enabled;
  const setByHand = (enabled: boolean) => {
    service.project(projectId).setPrivateIpMode(enabled);
  };
  const wanted = { projectId, enabled: false, onDelete: "restore" };
  /** What a resource recorded that found the mode on and turned it off. */
  const state = { ...wanted, enabledAtAdoption: true };

  for (const count of [1, 2] as const) {
    const where = count === 1 ? "in one process" : "in two processes";

    it(`keeps the mode after the create of another holder, ${where}`, async () => {
      setByHand(false);
      const [deleting, creating] = await startRun(count);
      await creating.create((await creating.check(wanted)).inputs);
      await deleting.delete(projectId, state);
      assert.equal(mode(), false);
      assert.match(
        deleting.output(),
        /warning: .* is kept as it is: another resource of this stack/,
      );
    });

    it(`keeps the mode after the check of an unchanged holder, ${where}`, async () => {
      // As after an update that created the new resource and ended before it deleted the old one.
      setByHand(false);
      const [deleting, checking] = await startRun(count);
      await checking.check(wanted, { ...wanted, enabledAtAdoption: false });
      await deleting.delete(projectId, state);
      assert.equal(mode(), false);
    });

    it(`keeps the mode after the update of another holder, ${where}`, async () => {
      const [deleting, updating] = await startRun(count);
      const olds = { ...wanted, enabled: true, enabledAtAdoption: true };
      const { inputs } = await updating.check(wanted, olds);
      await updating.update(projectId, olds, inputs);
      await deleting.delete(projectId, state);
      assert.equal(mode(), false);
    });

    it(`sets the mode before the create of another holder, which sets it again, ${where}`, async () => {
      setByHand(false);
      const [deleting, creating] = await startRun(count);
      await deleting.delete(projectId, state);
      assert.equal(mode(), true);
      await creating.create((await creating.check(wanted)).inputs);
      assert.equal(mode(), false);
    });

    for (const first of ["old", "new"]) {
      it(`leaves what was there before two holders that are deleted, the ${first} one first, ${where}`, async () => {
        setByHand(false);
        const states = { old: state, new: { ...wanted, enabledAtAdoption: false } };
        const [one, other] = await startRun(count);
        await one.delete(projectId, first === "old" ? states.old : states.new);
        await other.delete(projectId, first === "old" ? states.new : states.old);
        assert.equal(mode(), true);
      });
    }
  }

  it("logs the value that it sets", async () => {
    setByHand(false);
    const [deleting] = await startRun(1);
    await deleting.delete(projectId, state);
    assert.equal(mode(), true);
    assert.match(
      deleting.output(),
      /warning: private IP mode of project \w+ was turned back on, its value when this resource was created/,
    );
  });

  it("restores in a later run than the one that held the mode", async () => {
    const [creating] = await startRun(1);
    const { outs } = await creating.create((await creating.check(wanted)).inputs);
    const [deleting] = await startRun(1);
    await deleting.delete(projectId, outs);
    assert.equal(mode(), true);
  });

  it("logs no restore that the guard refuses", async () => {
    service.project(projectId).updateCluster("orders", { version: "6.0.5" });
    const [deleting] = await startRun(1);
    const enabled = { ...wanted, enabled: true, enabledAtAdoption: false };
    await assert.rejects(deleting.delete(projectId, enabled), /orders +6\.0\.5/);
    assert.doesNotMatch(deleting.output(), /was turned back/);
  });

  describe("of another Pulumi project", () => {
    const startOf = (program: string) =>
      start(newEngineAddress(), { PULUMI_NODEJS_PROJECT: program });
    const adopt = async (program: string) => {
      const adopting = await startOf(program);
      return (await adopting.create((await adopting.check(wanted)).inputs)).outs;
    };

    it("keeps a mode that this project adopted in the meantime", async () => {
      const outs = await adopt("first");
      await adopt("second");
      const deleting = await startOf("first");
      await deleting.delete(projectId, outs);
      assert.equal(mode(), false);
      assert.match(
        deleting.output(),
        /is kept as it is: the Pulumi project second set or adopted it/,
      );
    });

    it("keeps a mode that a renamed resource of this project still holds", async () => {
      const outs = await adopt("first");
      const second = await startOf("second");
      const renamed = await second.create((await second.check(wanted)).inputs);
      await second.delete(projectId, { ...renamed.outs, enabledAtAdoption: true });
      await (await startOf("first")).delete(projectId, outs);
      assert.equal(mode(), false);
    });

    it("restores after this project released the mode", async () => {
      const outs = await adopt("first");
      const second = await adopt("second");
      await (await startOf("second")).delete(projectId, { ...second, enabledAtAdoption: false });
      await (await startOf("first")).delete(projectId, outs);
      assert.equal(mode(), true);
    });
  });

  it("restores although a resource holds another project", async () => {
    setByHand(false);
    const [deleting, checking] = await startRun(2);
    await checking.check({ ...wanted, projectId: "64a0c0ffee0000000000a002" });
    await deleting.delete(projectId, state);
    assert.equal(mode(), true);
  });

  it("keeps a mode that was changed outside of the stack", async () => {
    const [deleting] = await startRun(1);
    await deleting.delete(projectId, { ...wanted, enabled: true, enabledAtAdoption: false });
    assert.equal(mode(), false, "restored");
    setByHand(true);
    await deleting.delete(projectId, { ...wanted, enabled: false, enabledAtAdoption: false });
    assert.equal(mode(), true);
    assert.match(deleting.output(), /is kept as it is: it was changed outside of this stack/);
  });

  it("keeps the mode if the notes of other processes cannot be read", async () => {
    setByHand(false);
    // Notes in a folder that other users may write to are not trusted.
    const folder = mkdtempSync(join(tmpdir(), "clouddb-notes-"));
    const notes = join(folder, `pulumi-clouddb-${process.getuid?.() ?? userInfo().username}`);
    mkdirSync(notes);
    chmodSync(notes, 0o777);
    const deleting = await start(newEngineAddress(), { TMPDIR: folder });
    await deleting.delete(projectId, state);
    assert.equal(mode(), false);
    assert.match(deleting.output(), /could not be determined/);
  });
}).timeout(120_000);
