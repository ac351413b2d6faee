/** Tests the steps of docs/operations.md that no other test covers. */
import assert from "node:assert/strict";
import { waitWhileRunning } from "../command";
import { key, projectId, quickstartSeed } from "../service";
import { useStack } from "./useStack";

/** A second key of the quickstart's organization, which replaces the first one. */
const newKey = { publicKey: "rotated", privateKey: "rotated-secret" };

function seedWithTwoKeys() {
  const seed = quickstartSeed();
  const [organization] = seed.organizations ?? [];
  const [first] = organization?.apiKeys ?? [];
  assert.ok(first);
  organization?.apiKeys?.push({ ...first, ...newKey });
  return seed;
}

describe("an update that failed", () => {
  const { service, createStack, run } = useStack({ seed: seedWithTwoKeys() });
  const mode = (enabled: boolean, more = "") =>
    `new clouddb.PrivateIpMode("mode", { projectId: "${projectId}", enabled: ${enabled}${more} });`;
  /** Makes the service reject the quickstart's key. */
  const revokeKey = () => {
    service.faults.push({ withCredentials: true, status: 401, times: 1000 });
  };

  it("is completed by the next update after an outage of the service", async () => {
    const { stack, failure } = await createStack(mode(false));
    service.faults.push({ method: "PATCH", withCredentials: true, status: 503, times: 1000 });
    const output = await failure(stack.up({ runProgram: true }));
    assert.match(output, /responded with 503/);
    assert.equal(service.project().privateIpMode.enabled, true);
    service.faults.clear();
    await stack.up();
    assert.equal(service.project().privateIpMode.enabled, false);
  });

  it("is completed with new credentials after the old ones were revoked", async () => {
    const { stack, failure } = await createStack(mode(true));
    await stack.up();
    revokeKey();
    const output = await failure(stack.up());
    assert.match(output, /Check the API key or service account/);
    assert.doesNotMatch(output, new RegExp(key.privateKey));
    service.faults.clear();
    stack.workspace.envVars["CLOUDDB_PUBLIC_KEY"] = newKey.publicKey;
    stack.workspace.envVars["CLOUDDB_PRIVATE_KEY"] = newKey.privateKey;
    const { summary } = await stack.up();
    assert.deepEqual(summary.resourceChanges, { same: 2 });
    assert.equal(service.requests.at(-1)?.principal, newKey.publicKey);
  });

  it("refuses a second update of the stack while the first is running", async () => {
    const tested = await createStack(mode(false));
    service.faults.push({ method: "PATCH", withCredentials: true, delayMs: 8000 });
    const up = () => run(tested, "pulumi", ["up", "--yes", "--skip-preview", "--stack", "test"]);
    const first = up();
    await waitWhileRunning(first, () => service.faults.pending.length === 0);
    const second = await up().result;
    assert.notEqual(second.code, 0);
    assert.match(second.stderr + second.stdout, /the stack is currently locked/);
    assert.equal((await first.result).code, 0);
    assert.equal(service.project().privateIpMode.enabled, false);
    assert.equal(service.patches().length, 1);
  });

  it("adopts what exists after the state was lost", async () => {
    const tested = await createStack(mode(false));
    await tested.stack.up();
    const emptied = await tested.stack.exportStack();
    await tested.stack.importStack({ ...emptied, deployment: { manifest: {} } });
    const { summary } = await tested.stack.up();
    assert.deepEqual(summary.resourceChanges, { create: 2 });
    assert.equal(service.project().privateIpMode.enabled, false);
    assert.equal(service.patches().length, 1);
  });

  it("is destroyed after a refused restore once it is set to retain", async () => {
    service.project().setPrivateIpMode(false);
    const { stack, failure, program } = await createStack(mode(true, ', onDelete: "restore"'));
    await stack.up();
    service.project().updateCluster("orders", { version: "6.0.5" });
    assert.match(await failure(stack.destroy()), /orders +6\.0\.5/);
    program(mode(true, ', onDelete: "retain"'));
    await stack.up();
    await stack.destroy();
    assert.equal(service.project().privateIpMode.enabled, true);
  });

  it("uses the recorded credentials of an explicit provider in a destroy, unless the program runs", async () => {
    const programWith = ({ publicKey, privateKey }: typeof key) => `
const provider = new clouddb.Provider("own", { publicKey: "${publicKey}", privateKey: pulumi.secret("${privateKey}") });
new clouddb.PrivateIpMode("mode", { projectId: "${projectId}", enabled: true, onDelete: "restore" }, { provider });`;
    service.project().setPrivateIpMode(false);
    const { stack, failure, program } = await createStack(programWith(key));
    await stack.up();
    program(programWith(newKey));
    revokeKey();
    assert.match(await failure(stack.destroy()), /Check the API key or service account/);
    service.faults.clear();
    await stack.destroy({ runProgram: true });
    assert.equal(service.requests.at(-1)?.principal, newKey.publicKey);
  });
});
