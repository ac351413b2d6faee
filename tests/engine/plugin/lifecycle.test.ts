import assert from "node:assert/strict";
import { key, projectId, settingsFor } from "../../service";
import { collectDiagnostics, stateFile } from "../stack";
import { usePluginStack } from "./usePluginStack";

const program = (enabled: boolean) => `
const projectId = "${projectId}";
new clouddb.PrivateIpMode("orders", { projectId, enabled: ${enabled} });
const orders = new clouddb.ClusterConnectionStrings("orders", {
  projectId, clusterName: "orders", network: { kind: "peering" },
});
exports.url = orders.recommended;
exports.ready = clouddb.getPrivateIpModeReadinessOutput({ projectId }).ready;
exports.full = clouddb.withCredentialsOutput({
  connectionString: orders.recommended, username: "app", password: pulumi.secret("p@ss"),
}).connectionString;
`;

describe("a stack that uses the plugin", () => {
  const { service, createStack, preamble, pulumi } = usePluginStack();

  it("shows real strings in preview, shows no change after an update, and is destroyed", async () => {
    const { stack } = await createStack(program(false));
    const preview = await stack.preview();
    assert.match(preview.stdout, /url *: "db\+srv:\/\/orders-pri\./);
    assert.equal(service.patches().length, 0);

    const { outputs, summary } = await stack.up();
    assert.deepEqual(summary.resourceChanges, { create: 3 });
    assert.match(String(outputs["url"]?.value), /^db\+srv:\/\/orders-pri\./);
    assert.deepEqual(outputs["ready"], { value: true, secret: false });
    const { full } = outputs;
    assert.ok(full?.secret);
    assert.match(String(full.value), /^db\+srv:\/\/app:p%40ss@orders-pri\./);
    assert.doesNotMatch(stateFile(stack), /p%40ss|p@ss/);
    assert.equal(service.project().privateIpMode.enabled, false);

    assert.deepEqual((await stack.preview()).changeSummary, { same: 3 });
    assert.deepEqual((await stack.refresh()).summary.resourceChanges, { same: 3 });
    await stack.destroy();
    assert.equal(service.project().privateIpMode.enabled, false, "the mode is retained");
  });

  it("fails a preview if a disable would be refused, and names the resource and every cluster", async () => {
    service.project().updateCluster("orders", { version: "6.0.5" });
    service.project().updateCluster("billing", { version: "5.0.1" });
    const { stack, failure } = await createStack(program(false));
    const output = await failure(stack.preview());
    assert.match(output, /clouddb:index:PrivateIpMode \(orders\)/);
    assert.match(output, /billing +5\.0\.1/);
    assert.match(output, /orders +6\.0\.5/);
    assert.doesNotMatch(output, /\n\s+at /);
  });

  it("names the resource in a warning", async () => {
    service.project().setPrivateIpMode(false);
    const { stack } = await createStack(program(true));
    const { messages, onEvent } = collectDiagnostics("warning");
    const { stdout } = await stack.up({ onEvent });
    assert.match(messages.join("\n"), /enabling private IP mode/);
    assert.match(stdout, /clouddb:index:PrivateIpMode \(orders\):\s+warning: enabling/);
  });

  it("is refused if its configuration has an unknown setting, and names the right one", async () => {
    const { stack, failure } = await createStack(program(true));
    await stack.setConfig("clouddb:requestPerMinute", { value: "50" });
    const output = await failure(stack.preview());
    assert.match(output, /no setting requestPerMinute; did you mean requestsPerMinute\?/);
  });

  it("uses an explicit provider, whose secret is encrypted in the state", async () => {
    const { CLOUDDB_PUBLIC_KEY, CLOUDDB_PRIVATE_KEY, ...environment } = settingsFor(service);
    const explicit = `
const provider = new clouddb.Provider("acme", {
  publicKey: "${key.publicKey}", privateKey: "${key.privateKey}", requestsPerMinute: 80,
});
new clouddb.PrivateIpMode("orders", { projectId: "${projectId}", enabled: false }, { provider });
`;
    const { stack } = await createStack(explicit, { environment });
    await stack.up();
    assert.equal(service.project().privateIpMode.enabled, false);
    assert.ok(!stateFile(stack).includes(key.privateKey));
    assert.deepEqual((await stack.preview()).changeSummary, { same: 3 });
  });

  it("imports both resources", async () => {
    const tested = await createStack("");
    await tested.stack.up();
    for (const [type, id] of [
      ["PrivateIpMode", projectId],
      ["ClusterConnectionStrings", `${projectId}/orders`],
    ] as const) {
      const args = ["import", `clouddb:index:${type}`, "orders", id, "--yes", "--protect=false"];
      const { stdout } = await pulumi(tested, [...args, "--generate-code=false"]).result;
      assert.match(stdout, /1 imported/);
    }
    tested.program(
      `const projectId = "${projectId}";
new clouddb.PrivateIpMode("orders", { projectId, enabled: true });
new clouddb.ClusterConnectionStrings("orders", { projectId, clusterName: "orders" });`,
      preamble(),
    );
    assert.deepEqual((await tested.stack.up()).summary.resourceChanges, { same: 3 });
    assert.equal(service.patches().length, 0);
  });
});
