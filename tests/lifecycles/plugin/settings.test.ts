import assert from "node:assert/strict";
import * as z from "zod";
import { useCleanup } from "../../support/cleanup";
import { startEngineServer } from "../../support/engineServer";
import { unknown } from "../providerProcess";
import { key, projectId, settingsFor } from "../../support/service";
import { waitUntil } from "../../support/waitUntil";
import { asSecret, usePlugin } from "./usePlugin";

describe("the settings of the plugin", () => {
  const cleanup = useCleanup("test");
  const { service, start } = usePlugin();

  it("are valid if all required ones are in the environment", async () => {
    assert.deepEqual(await (await start()).checkConfig({ version: "0.1.0", __internal: {} }), []);
  });

  it("are rejected with every problem if required ones are missing", async () => {
    const [failure] = await (await start({ environment: {} })).checkConfig({});
    assert.match(failure?.reason ?? "", /the settings have 3 problems:/);
    assert.match(failure?.reason ?? "", /pulumi config set --secret clouddb:clientSecret/);
  });

  it("are rejected without naming the property, because the engine would print its value", async () => {
    const failures = await (await start()).checkConfig({ "api\nToken": "t0p", privatekey: "t0p" });
    assert.deepEqual(
      failures.map(({ property }) => property),
      ["", ""],
    );
    assert.match(failures[0]?.reason ?? "", /no setting api\\nToken; expected one of baseUrl, /);
    assert.match(failures[1]?.reason ?? "", /no setting privatekey; did you mean privateKey\?/);
  });

  for (const [key, value, problem] of [
    ["requestTimeoutSeconds", true, "must be a number, not a boolean"],
    ["publicKey", 12345, "must be text, not a number"],
    ["clientSecret", asSecret(false), "must be text, not a boolean"],
  ] as const) {
    it(`are rejected if ${key} is ${JSON.stringify(value)}`, async () => {
      const plugin = await start();
      const [failure, ...others] = await plugin.checkConfig({ [key]: value, profile: unknown });
      const reason = `the setting ${key} ${problem} [clouddb-settings]`;
      assert.deepEqual([failure, others], [{ property: "", reason }, []]);
    });
  }

  it("are not rejected while they are unknown in a preview", async () => {
    const plugin = await start({ environment: {} });
    assert.deepEqual(await plugin.checkConfig({ baseUrl: unknown, publicKey: "demo" }), []);
  });

  it("are rejected if a known one contains a credential, while others are unknown in a preview", async () => {
    const plugin = await start({ environment: {} });
    const settings = { publicKey: "demo:demo-secret", privateKey: unknown };
    const [failure, ...others] = await plugin.checkConfig(settings);
    assert.deepEqual([failure?.property, others], ["", []]);
    assert.match(failure?.reason ?? "", /publicKey .* contains a colon, .*\[clouddb-settings\]$/);
    assert.doesNotMatch(failure?.reason ?? "", /demo-secret/);
  });

  it("never replace the provider", async () => {
    const plugin = await start();
    const olds = { baseUrl: "https://a.example" };
    const news = { baseUrl: "https://b.example" };
    assert.deepEqual(await plugin.diffConfig(olds, news), { changes: true, replaces: [] });
    assert.deepEqual(await plugin.diffConfig(olds, olds), { changes: false, replaces: [] });
  });

  it("take precedence over the environment, with numbers as numbers and secrets unmarked", async () => {
    const environment = { ...settingsFor(service), CLOUDDB_PRIVATE_KEY: "wrong" };
    const plugin = await start({ environment });
    const settings = {
      publicKey: key.publicKey,
      privateKey: asSecret(key.privateKey),
      requestTimeoutSeconds: 50,
    };
    assert.deepEqual(await plugin.checkConfig(settings), []);
    await plugin.configure(settings);
    const { failures } = await plugin.invoke("getClusters", { projectId });
    assert.deepEqual(failures, []);
  });

  it("replace those of an earlier run of the same process, which may have been cancelled", async () => {
    const plugin = await start({
      environment: { ...settingsFor(service), CLOUDDB_PRIVATE_KEY: "" },
    });
    const { publicKey, privateKey } = key;
    const list = async () => await plugin.invoke("getClusters", { projectId });
    const count = async () => z.array(z.unknown()).parse((await list()).outputs["clusters"]).length;
    await plugin.configure({ publicKey, privateKey: asSecret("wrong") });
    assert.match((await list()).failures[0] ?? "", /401/);
    await plugin.configure({ publicKey, privateKey: asSecret(privateKey) });
    const before = await count();
    await plugin.cancel();
    service.project().addCluster({ name: "added" });
    await plugin.configure({ publicKey, privateKey: asSecret(privateKey) });
    assert.equal(await count(), before + 1);
  });

  it("end a change of an earlier run, whose engine is gone, before it is sent again", async () => {
    const plugin = await start();
    const stops: (() => unknown)[] = [];
    const { address } = await startEngineServer((stop) => stops.push(stop));
    await plugin.attach(address);
    await plugin.configure({});
    const mode = plugin.resource("privateIpMode");
    const { inputs } = await mode.check({ projectId, enabled: false });
    const headers = { "retry-after": "2" };
    service.faults.push({ method: "PATCH", withCredentials: true, status: 503, headers });
    const ended = assert.rejects(mode.create(inputs), /may or may not have been .* cancelled/);
    await waitUntil("a change", () => service.patches().length === 1);
    for (const stop of stops) await stop();
    await plugin.attach((await startEngineServer(cleanup)).address);
    await plugin.configure({});
    await ended;
    assert.equal(service.patches().length, 1);
  });

  it("cause a warning if a secret is stored in plain text", async () => {
    const engine = await startEngineServer(cleanup);
    const plugin = await start({ engine: engine.address });
    await plugin.checkConfig({ publicKey: key.publicKey, privateKey: asSecret(key.privateKey) });
    await plugin.checkConfig({ publicKey: key.publicKey, privateKey: unknown });
    assert.equal(engine.messages.length, 0);
    await plugin.checkConfig({ publicKey: key.publicKey, privateKey: key.privateKey });
    assert.match(
      engine.messages[0]?.message ?? "",
      /the setting privateKey is stored in plain text/,
    );
  });
});
