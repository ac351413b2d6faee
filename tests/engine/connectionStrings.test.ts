/** Lookups on the real engine, with pulumi-clouddb in this process and its own provider process. */
import assert from "node:assert/strict";
import * as pulumi from "@pulumi/pulumi";
import * as clouddb from "pulumi-clouddb";
import { projectId } from "../support/service";
import { ClusterConnectionStrings as PluginLookup } from "./attachedPlugin";
import { stateFile } from "./stack";
import { useStack } from "./useStack";

describe("connection strings in a stack", () => {
  const { service, createInline } = useStack();

  it("are known to other resources in a preview, which shows a change in one line", async () => {
    const { stack } = await createInline(() => {
      const network = { kind: "peering" } as const;
      const args = { projectId, clusterName: "orders", network };
      const orders = new clouddb.ClusterConnectionStrings("orders", args);
      new pulumi.Stash("app", { input: orders.recommended });
      const same = clouddb.ClusterConnectionStrings.get("same", `${projectId}/billing`);
      const { legacy, others, recommended } = new clouddb.ClusterConnectionStrings("sessions", {
        projectId,
        clusterName: "sessions",
      });
      const absent = legacy.apply((text) => (text === undefined ? "none" : "some"));
      const strings = { legacy, others, recommended };
      return Promise.resolve({ url: orders.recommended, again: same.legacySrv, strings, absent });
    });
    const { stdout: preview } = await stack.preview({ diff: true });
    assert.match(preview, /input *: "db\+srv:\/\/orders-pri\.[^"]+"/);
    assert.match(preview, /url *: "db\+srv:\/\/orders-pri\.[^"]+"/);
    assert.match(preview, /again *: "db\+srv:\/\/billing-[^"]+"/);
    assert.doesNotMatch(preview, /output<|\[unknown\]/);

    const { outputs } = await stack.up();
    assert.equal(outputs["absent"]?.value, "none");
    service.project().updateCluster("orders", { version: "8.0.4" });
    const changed = await stack.preview({ diff: true });
    const lines = changed.stdout.split("\n").filter((line) => /^ +[~+-] \w+ +:/.test(line));
    assert.deepEqual(
      lines.map((line) => line.trim().replace(/ +/g, " ")),
      ['~ databaseVersion : "7.0.12" => "8.0.4"'],
    );
    assert.doesNotMatch(changed.stdout, /\[unknown\]|output</);

    service.project().removeCluster("billing");
    service.project().removeCluster("sessions");
    const { stdout: refreshed } = await stack.refresh();
    assert.match(
      refreshed,
      /has no cluster sessions\. .*Refreshing removes the lookup from the state/,
    );
    assert.doesNotMatch(stateFile(stack), /::sessions"/);
  });

  it("are unknown in the preview that creates the project, and known after the update", async () => {
    /** A project that the update creates. */
    class Project extends pulumi.dynamic.Resource {
      declare readonly projectId: pulumi.Output<string>;

      constructor(name: string) {
        const create = () =>
          Promise.resolve({ id: "1", outs: { projectId: "64a0c0ffee0000000000a001" } });
        super({ create }, name, { projectId: undefined });
      }
    }
    const { stack } = await createInline(() => {
      const { projectId: created } = new Project("project");
      const args = { projectId: created, clusterName: "billing" };
      const orders = new PluginLookup("orders", { projectId: created, clusterName: "orders" });
      const url = new clouddb.ClusterConnectionStrings("billing", args).recommended;
      const found = clouddb.getConnectionStringsOutput(args).recommended;
      return Promise.resolve({ url, found, plugin: orders.recommended });
    });
    const { stdout } = await stack.preview({ diff: true });
    for (const name of ["url", "found", "plugin"]) {
      assert.match(stdout, new RegExp(`${name} *: (output<string>|\\[unknown\\])`));
    }
    assert.equal(service.requests.length, 0);

    const { outputs } = await stack.up();
    assert.match(String(outputs["url"]?.value), /^db\+srv:\/\/billing\./);
    assert.match(String(outputs["found"]?.value), /^db\+srv:\/\/billing\./);
    assert.match(String(outputs["plugin"]?.value), /^db\+srv:\/\/orders\./);
    assert.deepEqual((await stack.preview()).changeSummary, { same: 4 });
  });

  it("are unknown in a preview that waits for them, in both kinds of provider", async () => {
    service.project().updateCluster("sessions", { state: "CREATING" });
    const args = { projectId, clusterName: "sessions", waitSeconds: 600 };
    const { stack } = await createInline(() => {
      const npm = new clouddb.ClusterConnectionStrings("npm", args).recommended;
      const plugin = new PluginLookup("plugin", args).recommended;
      return Promise.resolve({ npm, plugin });
    });
    const { stdout } = await stack.preview();
    assert.equal(stdout.match(/\[unknown\]|output<string>/g)?.length, 2, stdout);
    const { outputs } = await stack.up({
      onEvent: ({ diagnosticEvent }) => {
        if (/waiting for /.test(diagnosticEvent?.message ?? ""))
          service.project().updateCluster("sessions", { state: "IDLE" });
      },
    });
    for (const name of ["npm", "plugin"])
      assert.match(String(outputs[name]?.value), /^db\+srv:\/\/sessions\./);
  });
});
