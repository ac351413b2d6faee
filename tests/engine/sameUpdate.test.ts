/** Facts about clusters that another resource of the same update changes, on the real engine. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import * as clouddb from "pulumi-clouddb";
import { projectId } from "../support/service";
import { ClusterConnectionStrings as PluginLookup } from "./attachedPlugin";
import { assertAllNew, useClusterChanges } from "./clusterChanges";
import { stateFile } from "./stack";
import { useStack } from "./useStack";

describe("the facts of an update in which another resource changes clusters", () => {
  const { service, createInline, createStack, run } = useStack();
  const changeCluster = useClusterChanges(service);

  it("are those of after the changes that lookups and functions depend on", async () => {
    const seconds = { orders: 3, billing: 1, sessions: 0.3 };
    const program = (generation: number) => async () => {
      // Both processes have a list of before the changes.
      const unchanged = { projectId, clusterName: "analytics" };
      const network = { kind: "privateEndpoint", region: "us-east-1" } as const;
      new clouddb.ClusterConnectionStrings("analytics", { ...unchanged, network });
      await clouddb.getConnectionStrings({ ...unchanged, network });
      const found: Record<string, pulumi.Output<string | undefined>> = {};
      for (const [clusterName, time] of Object.entries(seconds)) {
        const args = { cluster: clusterName, seconds: time, action: "moves", generation } as const;
        const change = changeCluster(clusterName, args);
        const ofLookup = (name: string, waitSeconds: number, lookedUp: pulumi.Input<string>) => {
          const options = lookedUp === clusterName ? { dependsOn: change } : {};
          const lookup = { projectId, clusterName: lookedUp, waitSeconds };
          const title = `${clusterName}-${name}`;
          const { recommended } = new clouddb.ClusterConnectionStrings(title, lookup, options);
          found[title] = recommended;
        };
        ofLookup("depends", 0, clusterName);
        ofLookup("named", 0, change.cluster);
        ofLookup("waiting", 60, clusterName);
        const dependsOn = pulumi.output([change]);
        const named = { projectId, clusterName: change.cluster };
        const names = [change.cluster];
        found[`${clusterName}-getConnectionStrings`] = clouddb.getConnectionStringsOutput(
          { projectId, clusterName },
          { dependsOn },
        ).recommended;
        found[`${clusterName}-getConnectionStrings-named`] =
          clouddb.getConnectionStringsOutput(named).recommended;
        const listed = {
          getClusters: clouddb.getClustersOutput({ projectId }, { dependsOn }),
          "getClusters-named": clouddb.getClustersOutput({ projectId, names }),
        };
        for (const [name, { clusters }] of Object.entries(listed)) {
          found[`${clusterName}-${name}`] = clusters.apply(
            (all) => all.find(({ name: each }) => each === clusterName)?.standardSrv,
          );
        }
      }
      return found;
    };
    const { stack, program: setProgram } = await createInline(program(1));
    for (const generation of [1, 2]) {
      setProgram(program(generation));
      const { outputs } = await stack.up();
      assert.equal(Object.keys(outputs).length, 21);
      const old = Object.entries(outputs).filter(([name, { value }]) => {
        const [cluster = ""] = name.split("-");
        return !String(value).startsWith(`db+srv://${cluster}-${generation}.`);
      });
      assert.deepEqual(old, []);
      const { changeSummary } = await stack.preview({ expectNoChanges: true });
      assert.deepEqual(changeSummary, { same: 14 });
    }
  });

  it("are those of after each change of 20, which take different times", async () => {
    const names = Array.from({ length: 20 }, (_, i) => `c${i}`);
    for (const name of names) service.project().addCluster({ name });
    const { stack } = await createInline(() => {
      new clouddb.ClusterConnectionStrings("first", { projectId, clusterName: "orders" });
      const strings = names.map((clusterName, i) => {
        const seconds = 0.5 + i * 0.05;
        const args = { cluster: clusterName, seconds, action: "moves", generation: 1 } as const;
        const dependsOn = changeCluster(clusterName, args);
        const lookup = { projectId, clusterName };
        return new clouddb.ClusterConnectionStrings(clusterName, lookup, { dependsOn }).recommended;
      });
      return Promise.resolve({ strings });
    });
    const { outputs } = await stack.up({ parallel: 20 });
    const found = outputs["strings"]?.value as string[];
    const old = found.filter((string, i) => !string.startsWith(`db+srv://c${i}-1.`));
    assert.deepEqual(old, []);
    assert.equal(found.length, 20);
  });

  it("are those of after a change that an alias of the lookup waits for", async () => {
    const { stack } = await createInline(() => {
      const lookup = { projectId, clusterName: "orders" };
      new clouddb.ClusterConnectionStrings("first", lookup);
      const args = { cluster: "orders", seconds: 3, action: "moves", generation: 1 } as const;
      const change = changeCluster("move", args);
      const { urn, cluster: name } = change;
      const transformation: pulumi.ResourceTransformation = ({ props, opts }) => {
        return { props, opts: { ...opts, aliases: [urn] } };
      };
      const options: Record<string, pulumi.CustomResourceOptions> = {
        urn: { aliases: [urn] },
        promise: { aliases: [new Promise<string>((resolve) => urn.apply(resolve))] },
        name: { aliases: [{ name }] },
        parent: { aliases: [{ parent: change }] },
        "URN of a parent": { aliases: [{ parent: urn }] },
        "output of a parent": { aliases: [pulumi.output({}).apply(() => ({ parent: change }))] },
        transformation: { transformations: [transformation] },
      };
      const found: Record<string, pulumi.Output<string | undefined>> = {};
      for (const [title, each] of Object.entries(options)) {
        found[title] = new clouddb.ClusterConnectionStrings(title, lookup, each).recommended;
      }
      return Promise.resolve(found);
    });
    const { outputs } = await stack.up();
    assertAllNew(outputs, 7);
  });

  it("let the guard allow to disable the mode after an upgrade", async () => {
    service.project().updateCluster("orders", { version: "6.0.5" });
    const { stack } = await createInline(() => {
      const args = { cluster: "orders", seconds: 1, action: "upgrades", generation: 1 } as const;
      new clouddb.ClusterConnectionStrings("first", { projectId, clusterName: "orders" });
      const dependsOn = changeCluster("upgrade", args);
      new clouddb.PrivateIpMode("mode", { projectId, enabled: false }, { dependsOn });
      return Promise.resolve({});
    });
    await stack.up();
    assert.equal(service.project().privateIpMode.enabled, false);
  });

  it("are an error if another resource deletes the cluster", async () => {
    const { stack, failure } = await createInline(() => {
      const args = { cluster: "orders", seconds: 1, action: "deletes", generation: 1 } as const;
      new clouddb.ClusterConnectionStrings("first", { projectId, clusterName: "orders" });
      const dependsOn = changeCluster("deletion", args);
      const lookup = { projectId, clusterName: "orders" };
      new clouddb.ClusterConnectionStrings("second", lookup, { dependsOn });
      return Promise.resolve({});
    });
    assert.match(await failure(stack.up()), /has no cluster orders/);
  });

  it("are those of after a change of three seconds in the plugin", async () => {
    const { stack } = await createInline(() => {
      const args = { cluster: "orders", seconds: 3, action: "moves", generation: 1 } as const;
      new PluginLookup("first", { projectId, clusterName: "billing" });
      const dependsOn = changeCluster("move", args);
      const lookup = { projectId, clusterName: "orders" };
      const { recommended } = new PluginLookup("second", lookup, { dependsOn });
      return Promise.resolve({ recommended });
    });
    const { outputs } = await stack.up();
    assert.match(String(outputs["recommended"]?.value), /^db\+srv:\/\/orders-1\./);
  });

  it("have a time that no state, plan or preview shows", async () => {
    const tested = await createStack(`
const args = { projectId: "${projectId}", clusterName: "orders" };
new clouddb.ClusterConnectionStrings("orders", args);
new clouddb.PrivateIpMode("mode", { projectId: "${projectId}", enabled: true });
clouddb.ClusterConnectionStrings.get("same", "${projectId}/orders");
exports.whole = new clouddb.ClusterConnectionStrings("billing", { ...args, clusterName: "billing" });`);
    const preview = ["preview", "--stack", "test", "--json", "--save-plan", "plan.json"];
    const { stdout } = await run(tested, "pulumi", preview).result;
    await tested.stack.up();
    const again = await run(tested, "pulumi", preview).result;
    const plan = readFileSync(join(tested.folder, "plan.json"), "utf8");
    const texts = [stdout, plan, stateFile(tested.stack)];
    for (const text of texts) assert.match(text, /::billing"/);
    // Pulumi's own times are ISO 8601.
    for (const text of [...texts, again.stdout]) {
      assert.doesNotMatch(text, /"__bound": [^[]|\b1[789]\d{11}\b/);
    }
  });
});
