/** The packed plugin, started by the engine, with the SDK that is generated from its schema. */
import assert from "node:assert/strict";
import { key, projectId, settingsFor } from "../../service";
import { stateFile } from "../stack";
import { usePluginStack } from "./usePluginStack";

describe("a stack that uses the plugin", () => {
  const { service, createStack } = usePluginStack();

  it("shows real strings in preview, shows no change after an update, and is destroyed", async () => {
    const { CLOUDDB_PUBLIC_KEY, CLOUDDB_PRIVATE_KEY, ...environment } = settingsFor(service);
    const program = `
const projectId = "${projectId}";
const provider = new clouddb.Provider("acme", {
  publicKey: "${key.publicKey}", privateKey: "${key.privateKey}", requestsPerMinute: 80,
});
new clouddb.PrivateIpMode("orders", { projectId, enabled: false }, { provider });
const orders = new clouddb.ClusterConnectionStrings("orders", {
  projectId, clusterName: "orders", network: { kind: "peering" },
}, { provider });
exports.url = orders.recommended;
exports.ready = clouddb.getPrivateIpModeReadinessOutput({ projectId }, { provider }).ready;
const database = (name, password) => new clouddb.DatabaseUrl(name, {
  connectionString: orders.recommended, username: "app", password,
}, { provider }).url;
exports.full = database("secret", pulumi.secret("p@ss"));
exports.fullOfPlainText = database("plain", "p@ss");
`;
    const { stack } = await createStack(program, environment);
    const preview = await stack.preview();
    assert.match(preview.stdout, /url *: "db\+srv:\/\/orders-pri\./);
    assert.match(preview.stdout, /full *: \[secret\]/);
    assert.equal(service.patches().length, 0);

    const { outputs, summary, stdout } = await stack.up();
    assert.doesNotMatch(preview.stdout + stdout, /p%40ss|p@ss/);
    assert.deepEqual(summary.resourceChanges, { create: 6 });
    assert.match(String(outputs["url"]?.value), /^db\+srv:\/\/orders-pri\./);
    assert.deepEqual(outputs["ready"], { value: true, secret: false });
    for (const full of [outputs["full"], outputs["fullOfPlainText"]]) {
      assert.ok(full?.secret);
      assert.match(String(full.value), /^db\+srv:\/\/app:p%40ss@orders-pri\./);
    }
    assert.doesNotMatch(stateFile(stack), new RegExp(`p%40ss|p@ss|${key.privateKey}`));
    assert.equal(service.project().privateIpMode.enabled, false);

    assert.deepEqual((await stack.preview()).changeSummary, { same: 6 });
    await stack.destroy();
    assert.equal(service.project().privateIpMode.enabled, false, "the mode is retained");
  });
});
