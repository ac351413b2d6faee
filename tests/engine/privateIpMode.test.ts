/** The lifecycle of PrivateIpMode on the real engine, served by the plugin in this process. */
import assert from "node:assert/strict";
import type * as pulumi from "@pulumi/pulumi";
import { projectId } from "../support/service";
import { PrivateIpMode } from "./attachedPlugin";
import { useStack } from "./useStack";

describe("PrivateIpMode on the engine", () => {
  const { service, createInline } = useStack();
  const disable = { projectId, enabled: false };
  /** Returns a program with one resource. */
  const mode =
    (name: string, args: object, options: pulumi.CustomResourceOptions = {}) =>
    () => {
      new PrivateIpMode(name, args, options);
      return Promise.resolve({});
    };
  const isEnabled = () => service.project().privateIpMode.enabled;

  it("is refused in a preview, and in an update if an old cluster was added after the preview", async () => {
    const { stack, failure } = await createInline(mode("mode", disable));
    service.project().updateCluster("orders", { version: "6.0.5" });
    service.project().updateCluster("billing", { version: "5.0.1" });
    const output = await failure(stack.preview());
    assert.match(output, /clouddb:index:PrivateIpMode \(mode\)/);
    assert.match(output, /\n +billing +5\.0\.1\n +orders +6\.0\.5\n/);
    assert.doesNotMatch(output, /\n\s+at /);

    service.project().updateCluster("orders", { version: "7.0.12" });
    service.project().updateCluster("billing", { version: "7.0.12" });
    await stack.preview();
    service.project().addCluster({ name: "late", version: "6.0.5" });
    assert.match(await failure(stack.up()), /late +6\.0\.5/);
    assert.ok(isEnabled());
    assert.equal(service.patches().length, 0);
  });

  it("shows an update after the mode was changed elsewhere, which sets it again unless the guard refuses", async () => {
    const { stack, failure } = await createInline(mode("mode", disable));
    await stack.up();
    service.project().setPrivateIpMode(true);
    service.project().updateCluster("orders", { version: "6.0.5" });
    assert.match(await failure(stack.preview()), /orders +6\.0\.5/);

    service.project().updateCluster("orders", { version: "7.0.12" });
    const { stdout, changeSummary } = await stack.preview();
    assert.equal(changeSummary.update, 1);
    assert.match(stdout, /private IP mode .* is on, which differs from what is recorded/);
    assert.equal((await stack.up()).summary.resourceChanges?.update, 1);
    assert.ok(!isEnabled());
    assert.deepEqual((await stack.preview()).changeSummary, { same: 2 });
    assert.doesNotMatch(
      JSON.stringify(await stack.exportStack()),
      /"outputs":\{[^}]*changedOutside/,
    );
  });

  it("is imported without a change", async () => {
    const { stack, program } = await createInline(mode("mode", { projectId, enabled: true }));
    const resources = [{ type: "clouddb:index:PrivateIpMode", name: "mode", id: projectId }];
    await stack.import({ resources, protect: false, generateCode: false });
    program(mode("mode", { projectId, enabled: true }));
    assert.deepEqual((await stack.up()).summary.resourceChanges, { same: 2 });
    assert.equal(service.patches().length, 0);
  });
});
