import assert from "node:assert/strict";
import { argsSchema } from "../../../provider/src/privateIpMode/args";
import { useCleanup } from "../../support/cleanup";
import { startEngineServer } from "../../support/engineServer";
import type { Properties } from "../providerCalls";
import { unknown, urnOf } from "../providerProcess";
import { projectId } from "../../support/service";
import { asSecret, usePlugin } from "./usePlugin";

describe("a resource of the plugin", () => {
  const cleanup = useCleanup("test");
  const { service, start } = usePlugin();
  const clusterId = `${projectId}/orders`;

  it("treats null like a missing argument, as functions do, because Python passes None in a dictionary as null", async () => {
    const plugin = await start();
    const args = { projectId, clusterName: "orders" };
    const network = { kind: "privateEndpoint", region: null };
    const analytics = { projectId, clusterName: "analytics" };
    const refused = await plugin
      .resource("clusterConnectionStrings")
      .check({ ...analytics, network });
    assert.match(refused.failures[0]?.reason ?? "", /several private endpoints match/);
    const { inputs, failures } = await plugin.resource("databaseUrl").check({
      connectionString: "db://a",
      username: "app",
      password: "p",
      options: { replicaSet: null },
    });
    assert.deepEqual([inputs["options"], failures], [{}, []]);
    const found = await plugin.invoke("getConnectionStrings", { ...args, optimized: null });
    assert.equal(found.outputs["recommendedKind"], "standardSrv");
  });

  it("is refused if another resource manages the mode of the same project", async () => {
    const plugin = await start();
    const [first, second] = ["first", "second"].map((name) =>
      plugin.resource("privateIpMode", name),
    );
    assert.deepEqual((await first?.check({ projectId, enabled: true }))?.failures, []);
    assert.deepEqual((await first?.check({ projectId, enabled: true }))?.failures, []);
    const refused = await second?.check({ projectId, enabled: false });
    assert.match(refused?.failures[0]?.reason ?? "", /"first" already manages private IP mode/);
  });

  it("shows a changed setting in its diff, and records no input for it", async () => {
    const plugin = await start();
    const mode = plugin.resource("privateIpMode");
    const recorded = { projectId, enabled: false };
    const drifted = await mode.check(recorded, recorded);
    assert.deepEqual(drifted, { inputs: recorded, failures: [] });
    assert.equal((await mode.diff(projectId, recorded, drifted.inputs)).changes, true);
    for (const [change, expected] of [
      [{}, { changed: [], drift: ["enabled"] }],
      [{ enabled: true }, { changed: ["enabled"], drift: [] }],
    ] as const) {
      const news: Properties = { ...drifted.inputs, ...change };
      assert.deepEqual(await plugin.diff("privateIpMode", recorded, news), expected);
    }
    // After a change whose outcome is not known.
    const unconfirmed = await plugin.diff("privateIpMode", { projectId }, recorded);
    assert.deepEqual(unconfirmed, { changed: ["enabled"], drift: ["enabled"] });
    service.project().setPrivateIpMode(false);
    const { inputs } = await (await start())
      .resource("privateIpMode")
      .check({ projectId, enabled: false }, recorded);
    const { drift } = await (await start()).diff("privateIpMode", recorded, inputs);
    assert.deepEqual(drift, []);
  });

  it("accepts the recorded inputs that the engine passes for ignoreChanges, and refuses other outputs", async () => {
    const plugin = await start();
    const lookup = plugin.resource("clusterConnectionStrings");
    const found = (await lookup.check({ projectId, clusterName: "orders" })).inputs;
    const old = { ...found, recommended: "db+srv://old.example" };
    const again = await lookup.check(old, old);
    assert.deepEqual(again, { inputs: found, failures: [] });
    const refused = await lookup.check({ ...old, recommended: "db+srv://other.example" }, old);
    assert.match(refused.failures[0]?.reason ?? "", /no argument "recommended"/);
  });

  const valid = {
    privateIpMode: { projectId, enabled: true },
    clusterConnectionStrings: { projectId, clusterName: "orders" },
    databaseUrl: { connectionString: "db+srv://x.example", username: "app", password: "t0p" },
  } as const;
  for (const [type, changed] of [
    ["privateIpMode", { enabled: "t0p" }],
    ["clusterConnectionStrings", { waitSeconds: 1.5 }],
    ["databaseUrl", { options: ["t0p"] }],
    ["databaseUrl", { connectionString: "t0p" }],
  ] as const) {
    it(`refuses ${JSON.stringify(changed)} in create and update of ${type} even without check`, async () => {
      const resource = (await start()).resource(type);
      const inputs = { ...valid[type], ...changed };
      for (const operation of [
        () => resource.create(inputs),
        () => resource.update(projectId, { ...valid[type] }, inputs),
      ]) {
        await assert.rejects(operation, ({ message }: Error) => {
          assert.doesNotMatch(message, /t0p/);
          return true;
        });
      }
      assert.equal(service.requests.length, 0);
    });
  }

  it("reports damaged properties to a refresh without a stack trace", async () => {
    const mode = (await start()).resource("privateIpMode");
    const damaged = { ...valid.privateIpMode, enabled: "t0p" };
    await assert.rejects(mode.read(projectId, damaged), ({ message }: Error) => {
      assert.match(message, / is damaged: /);
      assert.doesNotMatch(message, /t0p|Zod|\n +at /);
      return true;
    });
  });

  it("ends a wait at the timeout in customTimeouts if that is shorter than waitSeconds", async () => {
    service.project().updateCluster("sessions", { state: "CREATING" });
    const lookup = (await start()).resource("clusterConnectionStrings");
    const wanted = { projectId, clusterName: "sessions", waitSeconds: 1800 };
    const message = /Timed out after 1 s \(waitSeconds: 1800, customTimeouts: 1 s\)/;
    await assert.rejects(lookup.create(wanted, 1), message);
    await assert.rejects(lookup.update("sessions", {}, wanted, 1), message);
    const shorter = lookup.create({ ...wanted, waitSeconds: 1 }, 60);
    await assert.rejects(shorter, /Timed out after 1 s \(waitSeconds: 1\)/);
  });

  it("does not wait beyond the timeout in customTimeouts to send a change again", async () => {
    const mode = (await start()).resource("privateIpMode");
    const inputs = { projectId, enabled: false };
    const refused = { status: 429, headers: { "retry-after": "30" }, times: Infinity };
    service.faults.push({ method: "PATCH", path: /privateIpMode$/, ...refused });
    await assert.rejects(mode.create(inputs, 20), /429/);
    await assert.rejects(mode.update(projectId, { ...inputs, enabled: true }, inputs, 20), /429/);
    assert.equal(service.patches().length, 2);
  });

  it("accepts a timeout in customTimeouts that is longer than a timer of Node.js", async () => {
    const mode = (await start()).resource("privateIpMode");
    await mode.create({ projectId, enabled: false }, 999 * 3600);
    assert.equal(service.project().privateIpMode.enabled, false);
  });

  it("refuses inputs that only the package itself passes", async () => {
    const mode = (await start()).resource("privateIpMode");
    for (const name of ["changesFrom", "managingStack"]) {
      const { failures } = await mode.check({ projectId, enabled: true, [name]: "shop/prod" });
      const reason = `there is no argument "${name}"; expected one of ${Object.keys(argsSchema.shape).join(", ")} [clouddb-argument]`;
      assert.deepEqual(failures, [{ property: "", reason }]);
    }
  });

  it("accepts the defaults that a generated SDK passes for absent arguments", async () => {
    const plugin = await start();
    const lookup = plugin.resource("clusterConnectionStrings");
    const { outs } = await lookup.create(
      (await lookup.check({ projectId, clusterName: "orders" })).inputs,
    );
    const defaults = { network: { kind: "internet" }, form: "srv", waitSeconds: 0 };
    const { inputs } = await lookup.check({ projectId, clusterName: "orders", ...defaults });
    assert.deepEqual(await lookup.diff(clusterId, outs, inputs), { changes: false, replaces: [] });
    const hosts = { ...inputs, form: "hosts" };
    const { changed } = await plugin.diff("clusterConnectionStrings", outs, hosts);
    assert.deepEqual(changed, ["form", "recommended", "recommendedKind"]);
  });

  it("is named in warnings and progress", async () => {
    const engine = await startEngineServer(cleanup);
    const plugin = await start({ engine: engine.address });
    service.project().setPrivateIpMode(false);
    await plugin.resource("privateIpMode").check({ projectId, enabled: true });
    service.project().updateCluster("sessions", { state: "CREATING" });
    const lookup = plugin.resource("clusterConnectionStrings");
    const wanted = { projectId, clusterName: "sessions", waitSeconds: 1 };
    await assert.rejects(lookup.create(wanted), /Timed out after 1 s/);
    const [warning, progress] = engine.messages;
    assert.match(warning?.message ?? "", /^enabling private IP mode of project/);
    assert.equal(warning?.urn, urnOf("privateIpMode"));
    assert.match(progress?.message ?? "", /^waiting for the /);
    assert.equal(progress?.urn, urnOf("clusterConnectionStrings"));
  });

  it("of a DatabaseUrl is known in a preview, unless an argument is unknown", async () => {
    const plugin = await start();
    const args = { connectionString: "db://orders.example", username: "app", password: "p" };
    const outputs = await plugin.createInPreview("databaseUrl", args);
    assert.deepEqual(outputs["url"], asSecret("db://app:p@orders.example"));
    const pending = { ...args, password: unknown };
    const { failures } = await plugin.resource("databaseUrl").check(pending);
    assert.deepEqual(failures, []);
    assert.ok(!("url" in (await plugin.createInPreview("databaseUrl", pending))));
  });
});
