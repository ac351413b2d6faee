/** Runs a first stack as a user does, with a program in files and all of Pulumi's processes. */
import assert from "node:assert/strict";
import { projectId } from "../support/service";
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
  const { service, createStack, run } = useStack();

  it("shows strings in preview, deploys, shows only a changed string afterwards, and is destroyed", async () => {
    const { stack } = await createStack(program);
    const preview = await stack.preview({ diff: true });
    assert.match(preview.stdout, /orders *: "db\+srv:\/\/orders-pri\.[^"]+"/);
    assert.match(preview.stdout, /billing *: "db\+srv:\/\/billing\.[^"]+"/);
    assert.doesNotMatch(preview.stdout, /output<string>|\[unknown\]/);
    assert.equal(service.project().privateIpMode.enabled, true);
    // The challenge, the mode and the guard's three pages. The lookups share them, or read one page before.
    assert.ok([5, 6].includes(service.requests.length), String(service.requests.length));

    const { outputs, stdout } = await stack.up();
    assert.equal(outputs["enabled"]?.value, false);
    assert.match(String(outputs["orders"]?.value), /^db\+srv:\/\/orders-pri\./);
    assert.equal(service.project().privateIpMode.enabled, false);
    assert.match(stdout, /warning: disabling private IP mode .* strings of cluster orders/);

    assert.deepEqual((await stack.preview()).changeSummary, { same: 4 });
    assert.deepEqual((await stack.refresh()).summary.resourceChanges, { same: 4 });
    service.project().updateCluster("billing", { hostName: "moved" });
    const changed = await stack.preview({ diff: true });
    assert.deepEqual(changed.changeSummary, { same: 3, update: 1 });
    const difference =
      /~ recommended *: "db\+srv:\/\/billing\.[^"]+" => "db\+srv:\/\/moved\.[^"]+"/;
    assert.match(changed.stdout, difference);
    await stack.destroy();
    assert.equal(service.project().privateIpMode.enabled, false, "the setting is retained");
  });

  it("fails a preview with --json if disabling would be refused, with one diagnostic that names every cluster", async () => {
    service.project().updateCluster("orders", { version: "6.0.5" });
    service.project().updateCluster("billing", { version: "5.0.1" });
    const tested = await createStack(program);
    const args = ["preview", "--json", "--stack", "test"];
    const { code, stdout, stderr } = await run(tested, "pulumi", args).result;
    assert.notEqual(code, 0);
    const { diagnostics } = JSON.parse(stdout) as {
      diagnostics: { severity: string; message: string }[];
    };
    const [error, ...others] = diagnostics.filter(({ severity }) => severity === "error");
    assert.match(error?.message ?? "", /\n +billing +5\.0\.1\n +orders +6\.0\.5\nUpgrade them/);
    assert.deepEqual(others, []);
    assert.doesNotMatch(stdout + stderr, /\n\s+at |\\n\s+at /);
    assert.equal(service.patches().length, 0);
  });
});
