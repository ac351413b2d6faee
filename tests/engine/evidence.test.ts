import assert from "node:assert/strict";
import { join } from "node:path";
import type { Simulator } from "clouddb-simulator";
import { key, projectId, settingsFor, startService } from "../service";
import { type TestStack, testStack } from "./stack";

/** What a stack removes, keeps and restores, on the real engine. */
describe("a stack", () => {
  let service: Simulator;
  let tested: TestStack;

  before(async () => {
    service = await startService();
  });
  after(() => service.stop());
  beforeEach(() => {
    service.reset();
  });
  afterEach(() => {
    tested.remove();
  });

  const stackOf = async (program: string) => {
    tested = await testStack(program, settingsFor(service));
    return tested;
  };
  const lookup = `new clouddb.ClusterConnectionStrings("orders", { projectId: "${projectId}", clusterName: "orders" });`;
  const holder = (name: string, options = "{}", enabled = false) =>
    `new clouddb.PrivateIpMode("${name}", { projectId: "${projectId}", enabled: ${String(enabled)}, onDelete: "restore" }, ${options});`;
  const project = () => service.project(projectId);
  const resourceTypes = async () => {
    const { deployment } = (await tested.stack.exportStack()) as {
      deployment: { resources: { type: string }[] };
    };
    return deployment.resources.map(({ type }) => type.split(":").at(-1));
  };

  it("keeps its resources through a refresh with a wrong apiPath, and through a right one", async () => {
    const { stack, failure } = await stackOf(holder("mode") + lookup);
    await stack.up();
    stack.workspace.envVars["CLOUDDB_API_PATH"] = "/api/other/v1.0";
    const output = await failure(stack.refresh());
    assert.match(
      output,
      /cannot be shown that it is gone: .*baseUrl and apiPath .*\/api\/other\/v1\.0/,
    );
    assert.doesNotMatch(output, /\n\s+at /);
    delete stack.workspace.envVars["CLOUDDB_API_PATH"];
    const { summary } = await stack.refresh();
    assert.deepEqual(summary.resourceChanges, { same: 3 });
    assert.ok((await resourceTypes()).includes("PrivateIpMode"));
    assert.ok((await resourceTypes()).includes("ClusterConnectionStrings"));
  });

  it("removes a deleted cluster's lookup on refresh", async () => {
    const { stack } = await stackOf(lookup);
    await stack.up();
    project().removeCluster("orders");
    const { stdout } = await stack.refresh();
    assert.match(stdout, /has no cluster orders\. .* removed from the state/);
    assert.ok(!(await resourceTypes()).includes("ClusterConnectionStrings"));
  });

  it("fails in preview and update for a .get of a cluster that does not exist", async () => {
    const { stack, failure } = await stackOf(`
      const order = clouddb.ClusterConnectionStrings.get("order", "${projectId}/order");
      exports.url = pulumi.interpolate\`url=\${order.recommended}\`;
    `);
    for (const operation of [() => stack.preview(), () => stack.up()]) {
      const output = await failure(operation());
      assert.match(output, /has no cluster order\. The nearest .*orders/);
      assert.doesNotMatch(output, /undefined|\n\s+at /);
    }
  });

  it("fails for a .get of a cluster that was deleted in the meantime", async () => {
    const { stack, failure } = await stackOf(`
      exports.url = clouddb.ClusterConnectionStrings.get("orders", "${projectId}/orders").recommended;
    `);
    await stack.up();
    project().removeCluster("orders");
    assert.match(await failure(stack.preview()), /has no cluster orders/);
    assert.match(await failure(stack.up()), /has no cluster orders/);
  });

  describe("whose mode was changed outside of it", () => {
    it("shows an update with the reason, and sets the mode back", async () => {
      const { stack } = await stackOf(holder("mode"));
      await stack.up();
      project().setPrivateIpMode(true);
      const preview = await stack.preview({ diff: true });
      assert.equal(preview.changeSummary.update, 1);
      const reasons = preview.stdout.match(
        /private IP mode .* was turned on outside of this stack/g,
      );
      assert.ok((reasons ?? []).length >= 1);
      const { summary } = await stack.up();
      assert.equal(summary.resourceChanges?.update, 1);
      assert.equal(project().privateIpMode.enabled, false);
      assert.deepEqual((await stack.up()).summary.resourceChanges, { same: 2 });
      assert.deepEqual((await stack.preview()).changeSummary, { same: 2 });
      assert.doesNotMatch(
        JSON.stringify((await stack.exportStack()).deployment),
        /"outputs":\{[^}]*changedOutside/,
      );
    });

    it("is refused in preview if a cluster now runs an old version", async () => {
      const { stack, failure } = await stackOf(holder("mode"));
      await stack.up();
      project().setPrivateIpMode(true);
      project().updateCluster("orders", { version: "6.0.5" });
      assert.match(await failure(stack.preview()), /orders +6\.0\.5/);
    });

    it("logs nothing if the mode already has the requested value", async () => {
      const { stack } = await stackOf(holder("mode"));
      await stack.up();
      project().updateCluster("orders", { version: "6.0.5" });
      const { stdout, changeSummary } = await stack.preview();
      assert.deepEqual(changeSummary, { same: 2 });
      assert.doesNotMatch(stdout, /warning|disabling|outside/);
    });
  });

  describe("with a resource that was renamed without an alias", () => {
    const failing = `new (class extends pulumi.dynamic.Resource { constructor(name, options) {
      super({ create: () => Promise.reject(new Error("another resource fails")) }, name, {}, options);
    } })("failing", { dependsOn: renamed });`;
    const preload = `--require ${join(__dirname, "killAt.cjs")}`;
    const provider = `const renamed_provider = new clouddb.Provider("same", ${JSON.stringify(key)});`;

    for (const [where, prelude, options] of [
      ["under the same provider", "", "{}"],
      ["and moved to an explicit provider", provider, "{ provider: renamed_provider }"],
    ] as const) {
      const renamed = `${prelude} const renamed = ${holder("new", options)}`;

      it(`keeps the mode in one update, ${where}`, async () => {
        const { stack, program } = await stackOf(holder("old"));
        await stack.up();
        program(renamed);
        const { stdout } = await stack.up();
        assert.equal(project().privateIpMode.enabled, false);
        assert.match(stdout, /is kept as it is: another resource of this stack holds it now/);
        assert.equal((await stack.preview()).changeSummary.update, undefined);
      });

      it(`keeps the mode when the update ends before the old one is deleted, ${where}`, async () => {
        const { stack, program, failure } = await stackOf(holder("old"));
        await stack.up();
        program(renamed + failing);
        await failure(stack.up());
        program(renamed);
        const { stdout } = await stack.up();
        assert.equal(project().privateIpMode.enabled, false);
        assert.match(stdout, /is kept as it is/);
      });
    }

    it("keeps the mode when the provider is killed during the update", async () => {
      const { stack, program, failure } = await stackOf(holder("old"));
      await stack.up();
      program(holder("new"));
      // Before the request of create: the new resource may or may not be recorded.
      Object.assign(stack.workspace.envVars, { NODE_OPTIONS: preload, KILL_AT: "5" });
      await failure(stack.up());
      delete stack.workspace.envVars["NODE_OPTIONS"];
      delete stack.workspace.envVars["KILL_AT"];
      await stack.up();
      assert.equal(project().privateIpMode.enabled, false);
    });

    it("restores the original mode if both resources are destroyed", async () => {
      const { stack, program, failure } = await stackOf(holder("old"));
      await stack.up();
      program(`const renamed = ${holder("new")}${failing}`);
      await failure(stack.up());
      const { stdout } = await stack.destroy();
      assert.equal(project().privateIpMode.enabled, true);
      assert.match(stdout, /was turned back on, its value when this resource was created/);
    });
  });

  it("moved to an explicit provider keeps the mode", async () => {
    const { stack, program } = await stackOf(holder("mode"));
    await stack.up();
    program(
      `const other = new clouddb.Provider("same", ${JSON.stringify(key)});${holder("mode", "{ provider: other }")}`,
    );
    await stack.up();
    assert.equal(project().privateIpMode.enabled, false);
    await stack.destroy();
    assert.equal(project().privateIpMode.enabled, true, "and still knows what was found at first");
  });

  describe("that another stack takes over from", () => {
    const takeOver = async (pulumiProject: string) => {
      const { stack } = await stackOf(holder("mode"));
      await stack.up();
      const second = await testStack(holder("mode"), settingsFor(service), pulumiProject);
      await second.stack.up();
      return { second, ...(await stack.destroy()) };
    };

    it("keeps a mode that another Pulumi project adopted recently", async () => {
      const { second, stdout } = await takeOver("another");
      assert.match(stdout, /is kept as it is: the Pulumi project another set or adopted it/);
      assert.equal(project().privateIpMode.enabled, false);
      // Gives the project up, so that later tests meet no note of it.
      await second.stack.destroy();
      second.remove();
    });

    it("shows drift in the other stack when it restores", async () => {
      const { second, stdout } = await takeOver("tested");
      try {
        assert.match(
          stdout,
          /was turned back on, .* another stack holds it, its next preview shows a change/,
        );
        assert.equal((await second.stack.preview()).changeSummary.update, 1);
        await second.stack.up();
        assert.equal(project().privateIpMode.enabled, false);
      } finally {
        second.remove();
      }
    });
  });

  it("shows no unknown output and no change in a preview that changes nothing", async () => {
    const { stack } = await stackOf(`
      const sessions = new clouddb.ClusterConnectionStrings("sessions", { projectId: "${projectId}", clusterName: "sessions" });
      exports.strings = {
        legacy: sessions.legacy, others: sessions.others, peered: sessions.privateSrv, url: sessions.recommended,
      };
      exports.text = pulumi.interpolate\`\${sessions.legacy.apply((text) => text === undefined ? "none" : "some")}\`;
    `);
    const first = await stack.preview({ diff: true });
    assert.doesNotMatch(first.stdout, /\[unknown\]|output</);
    const { outputs } = await stack.up();
    assert.equal(outputs["text"]?.value, "none");
    const { stdout, changeSummary } = await stack.preview({ diff: true });
    assert.deepEqual(changeSummary, { same: 2 });
    assert.doesNotMatch(stdout, /\[unknown\]|output<|strings/);
  });
});
