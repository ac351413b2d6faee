import assert from "node:assert/strict";
import { key, projectId, settingsFor } from "../service";
import { type TestStack, stateFile } from "./stack";
import { useStack } from "./useStack";

const program = `
const projectId = "${projectId}";
const mode = new clouddb.PrivateIpMode("mode", { projectId, enabled: false });
const orders = new clouddb.ClusterConnectionStrings("orders", {
  projectId, clusterName: "orders", network: { kind: "peering" },
});
const billing = new clouddb.ClusterConnectionStrings("billing", { projectId, clusterName: "billing" });
exports.enabled = mode.enabled;
exports.orders = orders.recommended;
exports.billing = billing.recommended;
`;

describe("a first stack", () => {
  const { service, createStack } = useStack();
  let tested: TestStack;

  beforeEach(async () => {
    tested = await createStack(program);
  });

  it("shows connection strings in the first preview, and changes nothing", async () => {
    const { stdout } = await tested.stack.preview({ diff: true });
    assert.match(stdout, /orders *: "db\+srv:\/\/orders-pri\.[^"]+"/);
    assert.match(stdout, /billing *: "db\+srv:\/\/billing\.[^"]+"/);
    assert.doesNotMatch(stdout, /output<string>|\[unknown\]/);
    assert.equal(service.project().privateIpMode.enabled, true);
  });

  it("needs one list request and one challenge in a preview with two lookups and a guard", async () => {
    await tested.stack.preview();
    assert.equal(service.listings().length, 1);
    assert.equal(service.challenges().length, 1);
    assert.equal(service.requests.length, 3, "the list, the mode and the challenge");
  });

  it("deploys, has no changes in a second update and a refresh, and can be destroyed", async () => {
    const { outputs, stdout } = await tested.stack.up();
    assert.equal(outputs["enabled"]?.value, false);
    assert.match(String(outputs["orders"]?.value), /^db\+srv:\/\/orders-pri\./);
    assert.equal(service.project().privateIpMode.enabled, false);
    assert.match(stdout, /warning: disabling private IP mode .* strings of orders/);

    const again = await tested.stack.up();
    assert.deepEqual(again.summary.resourceChanges, { same: 4 });

    const refreshed = await tested.stack.refresh();
    assert.deepEqual(refreshed.summary.resourceChanges, { same: 4 });

    await tested.stack.destroy();
    assert.equal(service.project().privateIpMode.enabled, false, "the setting is retained");
  });

  it("fails a preview if a disable would be refused, and names every offending cluster", async () => {
    service.project().updateCluster("orders", { version: "6.0.5" });
    service.project().updateCluster("sessions", { version: "5.0.1" });
    const output = await tested.failure(tested.stack.preview());
    assert.match(output, /orders +6\.0\.5/);
    assert.match(output, /sessions +5\.0\.1/);
    assert.doesNotMatch(output, /\n\s+at /);
    assert.equal(service.project().privateIpMode.enabled, true);
    assert.equal(service.patches().length, 0);
  });

  it("shows drift of the mode on refresh, and corrects it in the next update", async () => {
    await tested.stack.up();
    service.project().setPrivateIpMode(true);
    const refreshed = await tested.stack.refresh();
    assert.equal(refreshed.summary.resourceChanges?.["update"], 1);
    const corrected = await tested.stack.up();
    assert.equal(corrected.summary.resourceChanges?.["update"], 1);
    assert.equal(service.project().privateIpMode.enabled, false);
  });

  it("keeps credentials out of the state, the output and the errors", async () => {
    const { CLOUDDB_PRIVATE_KEY, CLOUDDB_PUBLIC_KEY, ...rest } = settingsFor(service);
    tested = await createStack(program, { environment: rest });
    await tested.stack.setConfig("clouddb:publicKey", { value: key.publicKey });
    await tested.stack.setConfig("clouddb:privateKey", { value: key.privateKey, secret: true });
    const { stdout, stderr } = await tested.stack.up();
    const texts = [stdout, stderr, stateFile(tested.stack)];

    await tested.stack.setConfig("clouddb:privateKey", { value: "wr0ng-key", secret: true });
    texts.push(await tested.failure(tested.stack.preview()));
    for (const text of texts) {
      assert.ok(!text.includes(key.privateKey), "does not contain the private key");
      assert.ok(!text.includes("wr0ng-key"), "does not contain the invalid key");
    }
  });
});
