/** The lifecycle of PrivateIpMode on the real engine, served by the plugin in this process. */
import assert from "node:assert/strict";
import type * as pulumi from "@pulumi/pulumi";
import * as clouddb from "pulumi-clouddb";
import type { Seed } from "clouddb-simulator";
import { key, projectId, quickstartSeed } from "../support/service";
import { PrivateIpMode } from "./attachedPlugin";
import { useStack } from "./useStack";

const other = "64a0c0ffee0000000000a002";

/** Returns a seed with the quickstart's project and another one. One key has access to both. */
function twoProjects(): Seed {
  const { projects = [] } = quickstartSeed();
  const apiKeys = [{ ...key, roles: [{ role: "owner" as const }] }];
  const enabled = { privateIpMode: { enabled: true } };
  return {
    organizations: [{ name: "acme", apiKeys }],
    projects: [...projects, { id: other, name: "other", organization: "acme", ...enabled }],
  };
}

describe("PrivateIpMode on the engine", () => {
  const { service, createInline } = useStack({ seed: twoProjects() });
  const disable = { projectId, enabled: false };
  /** Returns a program with one resource. */
  const mode =
    (name: string, args: object, options: pulumi.CustomResourceOptions = {}) =>
    () => {
      new PrivateIpMode(name, args, options);
      return Promise.resolve({});
    };
  const isEnabled = (id = projectId) => service.project(id).privateIpMode.enabled;

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

  it("warns once for each lookup in a preview, and before the change of an update", async () => {
    service.project().updateCluster("billing", { peering: true });
    const { stack } = await createInline(() => {
      const lookup = (clusterName: string) =>
        new clouddb.ClusterConnectionStrings(clusterName, { projectId, clusterName });
      const after = { dependsOn: lookup("orders") };
      new clouddb.PrivateIpMode("mode", disable, after);
      lookup("billing");
      lookup("sessions");
      return Promise.resolve({});
    });
    for (const run of [stack.preview.bind(stack), stack.up.bind(stack)]) {
      const events: string[] = [];
      await run({
        onEvent: ({ diagnosticEvent, resOutputsEvent }) => {
          if (diagnosticEvent?.severity === "warning") events.push(diagnosticEvent.message);
          if (resOutputsEvent?.metadata.urn.endsWith("::mode")) events.push("changed");
        },
      });
      const [first = ""] = events;
      assert.match(first, /should already use the peering-private .* of billing, orders\./);
      const lookups = events.flatMap((event) =>
        [...event.matchAll(/strings: ([^.]*)\./g)].flatMap(([, names = ""]) => names.split(", ")),
      );
      assert.deepEqual(lookups.sort(), ["billing (standardSrv)", "orders (standardSrv)"]);
      assert.ok(events.length <= 3, events.join("\n"));
    }
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
    assert.match(stdout, /private IP mode .* was turned on outside of this stack/);
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
