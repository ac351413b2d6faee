/** Lookups on the real engine, with pulumi-clouddb in this process and its own provider process. */
import assert from "node:assert/strict";
import * as pulumi from "@pulumi/pulumi";
import * as clouddb from "pulumi-clouddb";
import { key, projectId } from "../support/service";
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

  it("are returned by functions, which share one list", async () => {
    const { stack } = await createInline(async () => {
      const provider = new clouddb.Provider("same", key);
      const args = { projectId, clusterName: "billing" };
      const network = { kind: "peering" } as const;
      const [one, other] = await Promise.all([
        clouddb.getConnectionStrings(args),
        clouddb.getConnectionStrings({ projectId, clusterName: "orders", network }),
      ]);
      const { recommended } = clouddb.getConnectionStringsOutput(args, { provider });
      return { one: one.legacySrv, other: other.recommendedKind, explicit: recommended };
    });
    const { outputs } = await stack.up();
    assert.equal(service.listings().length, 2, "one for each set of settings");
    assert.match(String(outputs["one"]?.value), /^db\+srv:\/\/billing-/);
    assert.deepEqual(outputs["other"], { value: "privateSrv", secret: false });
    assert.match(String(outputs["explicit"]?.value), /^db\+srv:\/\/billing\./);
  });

  it("are those of the application's cloud, in both kinds of provider", async () => {
    const azureId = "/subscriptions/0/resourceGroups/rg-app/privateEndpoints/pe-app";
    const endpoint = (host: string, endpointId: string, providerName: string, region: string) => ({
      srvConnectionString: `db+srv://shop-pl-0-${host}.ab1cd.db.example`,
      endpoints: [{ endpointId, providerName, region }],
    });
    const aws = endpoint("us-east-1", "vpce-0a", "AWS", "US_EAST_1");
    const gcp = endpoint("us-east1-gcp", "gcp-ep", "GCP", "EASTERN_US");
    const azure = endpoint("eastus2-azure", azureId, "AZURE", "US_EAST_2");
    const respondWith = (...privateEndpoint: object[]) => {
      const cluster = { id: "1", name: "shop", stateName: "IDLE", dbVersion: "8.0.4" };
      const results = [{ ...cluster, connectionStrings: { privateEndpoint } }];
      service.faults.clear();
      const list = { path: /\/clusters$/, withCredentials: true, times: Infinity, status: 200 };
      service.faults.push({ ...list, body: { results, totalCount: 1 } });
    };
    const kinds = [clouddb.ClusterConnectionStrings, PluginLookup];
    const lookUp = (
      Lookup: (typeof kinds)[number],
      name: string,
      criteria: object,
      wait?: number,
    ) => {
      const network = { kind: "privateEndpoint" as const, ...criteria };
      const args = { projectId, clusterName: "shop", network, waitSeconds: wait };
      return new Lookup(`${name}-${kinds.indexOf(Lookup)}`, args).recommended;
    };
    respondWith(aws, azure);
    const { stack, failure, program } = await createInline(() => {
      const endpointId = azureId.toUpperCase();
      const byRegion = kinds.map((each) => lookUp(each, "aws", { region: "us-east-1" }));
      const byId = kinds.map((each) => lookUp(each, "azure", { endpointId }));
      const waiting = kinds.map((each) => lookUp(each, "gcp", { region: "us-east1" }, 600));
      return Promise.resolve({ byRegion, byId, waiting });
    });
    const { stdout: preview } = await stack.preview();
    assert.equal(preview.match(/"db\+srv:\/\/shop-pl-0-us-east-1\./g)?.length, 2, preview);
    assert.equal(preview.match(/\[unknown\]|output<string>/g)?.length, 2, preview);
    const { outputs } = await stack.up({
      onEvent: ({ diagnosticEvent }) => {
        if (/waiting for .* region us-east1 /.test(diagnosticEvent?.message ?? ""))
          respondWith(aws, azure, gcp);
      },
    });
    const both = (string: string) => [string, string];
    assert.deepEqual(
      Object.fromEntries(Object.entries(outputs).map(([name, { value }]) => [name, value])),
      {
        byRegion: both(aws.srvConnectionString),
        byId: both(azure.srvConnectionString),
        waiting: both(gcp.srvConnectionString),
      },
    );

    respondWith(aws, azure);
    for (const kind of kinds) {
      const missing = () => lookUp(kind, "gcp", { region: "us-east1-gcp" });
      program(() => Promise.resolve({ missing: missing() }));
      assert.match(await failure(stack.preview()), /vpce-0a in US_EAST_1 \(AWS, us-east-1\)/);
    }
  });
});
