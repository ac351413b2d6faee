import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { type EngineEvent, LocalWorkspace } from "@pulumi/pulumi/automation";
import * as clouddb from "pulumi-clouddb";
import type { Seed, Simulator } from "clouddb-simulator";
import { key, projectId, quickstartSeed, settingsFor, startService } from "../service";
import { type TestStack, testStack } from "./stack";

const other = "64a0c0ffee0000000000a002";

/** The quickstart's project and another one, both of the same key. */
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
  let service: Simulator;
  let tested: TestStack | undefined;

  before(async () => {
    service = await startService(twoProjects());
  });
  after(() => service.stop());
  beforeEach(() => {
    service.reset();
  });
  afterEach(() => {
    tested?.remove();
    tested = undefined;
  });

  const stackOf = async (program: string) => {
    tested = await testStack(program, settingsFor(service));
    return tested;
  };
  const mode = (name: string, args: object, options = "{}") =>
    `new clouddb.PrivateIpMode("${name}", ${JSON.stringify(args)}, ${options});`;
  const disable = { projectId, enabled: false };
  const project = () => service.project(projectId);

  const diagnostics = (severity: string) => {
    const messages: string[] = [];
    const onEvent = ({ diagnosticEvent }: EngineEvent) => {
      if (diagnosticEvent?.severity === severity) messages.push(diagnosticEvent.message);
    };
    return { messages, onEvent };
  };

  it("fails a preview in JSON with one diagnostic that names all offenders", async () => {
    project().updateCluster("orders", { version: "6.0.5" });
    project().updateCluster("billing", { version: "5.0.1" });
    const { folder, environment } = await stackOf(mode("mode", disable));
    const args = ["preview", "--json", "--stack", "test"];
    const env = { ...process.env, ...environment };
    const preview = spawn("pulumi", args, { cwd: folder, env, stdio: ["ignore", "pipe", "pipe"] });
    const [stdout, stderr] = await Promise.all([
      text(preview.stdout),
      text(preview.stderr),
      once(preview, "exit"),
    ]);
    assert.notEqual(preview.exitCode, 0);
    const { diagnostics: found } = JSON.parse(stdout) as {
      diagnostics: { severity: string; message: string }[];
    };
    const errors = found.filter(({ severity }) => severity === "error");
    assert.equal(errors.length, 1);
    assert.match(errors[0]?.message ?? "", /\n +billing +5\.0\.1\n +orders +6\.0\.5\nUpgrade them/);
    assert.doesNotMatch(stdout + stderr, /\n\s+at |\\n\s+at /);
  });

  it("refuses an update because of a cluster that appeared after the preview", async () => {
    const { stack, failure } = await stackOf(mode("mode", disable));
    await stack.preview();
    project().addCluster({ name: "late", version: "6.0.5" });
    assert.match(await failure(stack.up()), /late +6\.0\.5/);
    assert.equal(project().privateIpMode.enabled, true);
  });

  it("warns once of a disable, and names the lookups of the stack that return other strings", async () => {
    project().updateCluster("billing", { peering: true });
    const { stack } = await stackOf(`
const lookup = (clusterName, options) =>
  new clouddb.ClusterConnectionStrings(clusterName, { projectId: "${projectId}", clusterName }, options);
const before = lookup("orders");
const mode = new clouddb.PrivateIpMode("mode", ${JSON.stringify(disable)}, { dependsOn: before });
lookup("billing", { dependsOn: mode });
lookup("sessions", { dependsOn: mode });
`);
    const warnings = diagnostics("warning");
    await stack.preview({ onEvent: warnings.onEvent });
    assert.equal(warnings.messages.length, 1);
    const [warning = ""] = warnings.messages;
    assert.match(warning, /should already use the peering-private .* of billing, orders\./);
    assert.match(
      warning,
      /return other strings: billing \(standardSrv\), orders \(standardSrv\)\./,
    );
    assert.doesNotMatch(warning, /sessions/);
  });

  it("warns about the effects of enabling the mode", async () => {
    project().setPrivateIpMode(false);
    const { stack } = await stackOf(mode("mode", { projectId, enabled: true }));
    const warnings = diagnostics("warning");
    await stack.preview({ onEvent: warnings.onEvent });
    assert.match(
      warnings.messages.join(),
      /enabling private IP mode of project .* limits database connections/,
    );
    await stack.up();
    const later = diagnostics("warning");
    await stack.preview({ onEvent: later.onEvent });
    assert.deepEqual(later.messages, []);
  });

  describe("of two resources for one project", () => {
    const refused = async (program: string) => {
      const { stack, failure } = await stackOf(program);
      const errors = diagnostics("error");
      const output = await failure(stack.preview({ onEvent: errors.onEvent }));
      assert.doesNotMatch(output, /\n\s+at /);
      assert.equal(errors.messages.length, 1);
      assert.match(
        errors.messages[0] ?? "",
        /PrivateIpMode resource 'two': property projectId .*"one" already holds private IP mode of this project/,
      );
    };

    it("refuses the second", () => refused(mode("one", disable) + mode("two", disable)));

    it("refuses the second also if the project is an output, with another provider", () =>
      refused(`
const provider = new clouddb.Provider("same", {});
new clouddb.PrivateIpMode("one", ${JSON.stringify(disable)});
new clouddb.PrivateIpMode("two", { projectId: pulumi.output("${projectId}"), enabled: true }, { provider });`));

    it("handles several runs in one process separately", async () => {
      const { folder, environment } = await stackOf("");
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

  it("restores the old project's mode when it moves to another project, and again on destroy", async () => {
    const restore = { enabled: false, onDelete: "restore" };
    const { stack, program } = await stackOf(mode("mode", { projectId, ...restore }));
    await stack.up();
    assert.equal(project().privateIpMode.enabled, false);
    program(mode("mode", { projectId: other, ...restore }));
    await stack.up();
    assert.equal(project().privateIpMode.enabled, true);
    assert.equal(service.project(other).privateIpMode.enabled, false);
    await stack.destroy();
    assert.equal(service.project(other).privateIpMode.enabled, true);
  });

  it("keeps the mode through a rename, with an alias or without", async () => {
    const restoring = { ...disable, onDelete: "restore" };
    const { stack, program } = await stackOf(mode("old", restoring));
    await stack.up();
    program(mode("renamed", restoring, '{ aliases: [{ name: "old" }] }'));
    const aliased = await stack.up();
    assert.deepEqual(Object.keys(aliased.summary.resourceChanges ?? {}), ["same"]);
    program(mode("new", restoring));
    await stack.up();
    assert.equal(project().privateIpMode.enabled, false);
  });
});
