import assert from "node:assert/strict";
import { LocalWorkspace } from "@pulumi/pulumi/automation";
import * as clouddb from "pulumi-clouddb";
import type { Seed } from "clouddb-simulator";
import { key, projectId, quickstartSeed } from "../service";
import { collectDiagnostics } from "./stack";
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
  const { service, createStack, run } = useStack({ seed: twoProjects() });
  const mode = (name: string, args: object, options = "{}") =>
    `new clouddb.PrivateIpMode("${name}", ${JSON.stringify(args)}, ${options});`;
  const disable = { projectId, enabled: false };

  it("fails a preview with --json, with one diagnostic that names every offending cluster", async () => {
    service.project().updateCluster("orders", { version: "6.0.5" });
    service.project().updateCluster("billing", { version: "5.0.1" });
    const tested = await createStack(mode("mode", disable));
    const args = ["preview", "--json", "--stack", "test"];
    const { code, stdout, stderr } = await run(tested, "pulumi", args).result;
    assert.notEqual(code, 0);
    const { diagnostics: found } = JSON.parse(stdout) as {
      diagnostics: { severity: string; message: string }[];
    };
    const errors = found.filter(({ severity }) => severity === "error");
    assert.equal(errors.length, 1);
    assert.match(errors[0]?.message ?? "", /\n +billing +5\.0\.1\n +orders +6\.0\.5\nUpgrade them/);
    assert.doesNotMatch(stdout + stderr, /\n\s+at |\\n\s+at /);
  });

  it("refuses a disable in an update if a cluster that runs 6.0 was added after the preview", async () => {
    const { stack, failure } = await createStack(mode("mode", disable));
    await stack.preview();
    service.project().addCluster({ name: "late", version: "6.0.5" });
    assert.match(await failure(stack.up()), /late +6\.0\.5/);
    assert.equal(service.project().privateIpMode.enabled, true);
  });

  for (const dependsOn of ["", ", { dependsOn: mode }"]) {
    const order = dependsOn === "" ? "in any order" : "that depend on the mode";

    it(`warns once in a preview and before the change of an update, with lookups ${order}`, async () => {
      service.project().updateCluster("billing", { peering: true });
      const { stack } = await createStack(`
const lookup = (clusterName, options) =>
  new clouddb.ClusterConnectionStrings(clusterName, { projectId: "${projectId}", clusterName }, options);
const mode = new clouddb.PrivateIpMode("mode", ${JSON.stringify(disable)}, { dependsOn: lookup("orders") });
lookup("billing"${dependsOn});
lookup("sessions"${dependsOn});
`);
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
  }

  it("warns before enabling the mode, but not afterwards", async () => {
    service.project().setPrivateIpMode(false);
    const { stack } = await createStack(mode("mode", { projectId, enabled: true }));
    const warnings = collectDiagnostics("warning");
    await stack.preview({ onEvent: warnings.onEvent });
    assert.match(
      warnings.messages.join(),
      /enabling private IP mode of project .* limits database connections/,
    );
    await stack.up();
    const later = collectDiagnostics("warning");
    await stack.preview({ onEvent: later.onEvent });
    assert.deepEqual(later.messages, []);
  });

  describe("with two resources for one project", () => {
    const assertRejected = async (program: string) => {
      const { stack, failure } = await createStack(program);
      const errors = collectDiagnostics("error");
      const output = await failure(stack.preview({ onEvent: errors.onEvent }));
      assert.doesNotMatch(output, /\n\s+at /);
      assert.equal(errors.messages.length, 1);
      assert.match(
        errors.messages[0] ?? "",
        /PrivateIpMode resource 'two': property projectId .*"one" already manages private IP mode of this project/,
      );
    };

    it("rejects the second one", () => assertRejected(mode("one", disable) + mode("two", disable)));

    it("rejects the second one if its project is an output and its provider is explicit", () =>
      assertRejected(`
const provider = new clouddb.Provider("same", {});
new clouddb.PrivateIpMode("one", ${JSON.stringify(disable)});
new clouddb.PrivateIpMode("two", { projectId: pulumi.output("${projectId}"), enabled: true }, { provider });`));

    it("allows the same resource in a preview and an update that run in one process", async () => {
      const { folder, environment } = await createStack("");
      const stack = await LocalWorkspace.createOrSelectStack(
        {
          stackName: "inline",
          projectName: "tested",
          program: () => {
            const held = new clouddb.PrivateIpMode("mode", disable);
            return Promise.resolve({ enabled: held.enabled });
          },
        },
        { workDir: folder, envVars: { ...environment } },
      );
      await stack.preview();
      assert.equal((await stack.up()).outputs["enabled"]?.value, false);
    });
  });

  it("restores the mode of the old project on replacement, and of the new one on destroy", async () => {
    const restore = { enabled: false, onDelete: "restore" };
    const { stack, program } = await createStack(mode("mode", { projectId, ...restore }));
    await stack.up();
    assert.equal(service.project().privateIpMode.enabled, false);
    program(mode("mode", { projectId: other, ...restore }));
    await stack.up();
    assert.equal(service.project().privateIpMode.enabled, true);
    assert.equal(service.project(other).privateIpMode.enabled, false);
    await stack.destroy();
    assert.equal(service.project(other).privateIpMode.enabled, true);
  });

  it("keeps the mode when the resource is renamed with and without an alias", async () => {
    const restoring = { ...disable, onDelete: "restore" };
    const { stack, program } = await createStack(mode("old", restoring));
    await stack.up();
    program(mode("renamed", restoring, '{ aliases: [{ name: "old" }] }'));
    const aliased = await stack.up();
    assert.deepEqual(Object.keys(aliased.summary.resourceChanges ?? {}), ["same"]);
    program(mode("new", restoring));
    await stack.up();
    assert.equal(service.project().privateIpMode.enabled, false);
  });
});
