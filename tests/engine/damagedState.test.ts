import assert from "node:assert/strict";
import { execSync } from "node:child_process";
import type { Simulator } from "clouddb-simulator";
import { projectId, settingsFor, startService } from "../service";
import { type TestStack, testStack } from "./stack";

interface Deployment {
  readonly resources: { readonly type: string; outputs?: object; inputs?: object }[];
}

/** A state that was edited or damaged, on the real engine. */
describe("a stack whose state is damaged", () => {
  let service: Simulator;
  let tested: TestStack;

  before(async () => {
    service = await startService();
    tested = await testStack("", settingsFor(service));
  });
  after(async () => {
    tested.remove();
    await service.stop();
  });

  /** Brings a resource up, and writes wrong values into what is recorded of it. */
  const damage = async (program: string, wrong: object) => {
    tested.program(program);
    await tested.stack.up();
    const exported = await tested.stack.exportStack();
    const { resources } = exported.deployment as Deployment;
    const resource = resources.find(({ type }) => type.includes("clouddb:"));
    assert.ok(resource);
    resource.outputs = { ...resource.outputs, ...wrong };
    resource.inputs = { ...resource.inputs, ...wrong };
    return () => tested.stack.importStack(exported);
  };
  const names = (property: string) =>
    new RegExp(
      `state of .* was edited or damaged[^]*\\n *${property}: [^]*pulumi stack export[^]*pulumi state delete`,
    );

  it("names the property of a PrivateIpMode in preview, up, refresh and destroy", async () => {
    const { stack, failure } = tested;
    const program = `new clouddb.PrivateIpMode("mode", { projectId: "${projectId}", enabled: false });`;
    const importDamaged = await damage(program, { enabled: "no" });
    await importDamaged();
    for (const operation of [
      () => stack.preview(),
      () => stack.up(),
      () => stack.refresh(),
      () => stack.destroy(),
    ]) {
      const output = await failure(operation());
      assert.match(output, names("enabled"));
      assert.doesNotMatch(output, /\n\s+at |ZodError/);
    }
    // The advice works: out of the state, the next update adopts what the service has.
    const { deployment } = (await stack.exportStack()) as {
      deployment: { resources: { urn: string }[] };
    };
    const urn = deployment.resources.find((each) => each.urn.includes("PrivateIpMode"))?.urn;
    const command = `pulumi state delete '${String(urn)}' --yes --stack test`;
    execSync(command, { cwd: tested.folder, env: { ...process.env, ...tested.environment } });
    await stack.up();
    await stack.destroy();
  });

  it("names the property of a lookup in preview, up and refresh, and allows a destroy", async () => {
    const { stack, failure } = tested;
    const program = `new clouddb.ClusterConnectionStrings("orders", { projectId: "${projectId}", clusterName: "orders" });`;
    const importDamaged = await damage(program, { privateEndpoints: "none" });
    await importDamaged();
    for (const operation of [() => stack.preview(), () => stack.up(), () => stack.refresh()]) {
      const output = await failure(operation());
      assert.match(output, names("privateEndpoints"));
      assert.doesNotMatch(output, /\n\s+at |ZodError/);
    }
    const { stdout } = await stack.destroy();
    assert.match(stdout, /was edited or damaged[^]*privateEndpoints/);
  });
});
