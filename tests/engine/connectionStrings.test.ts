import assert from "node:assert/strict";
import { key, projectId } from "../service";
import { stateFile } from "./stack";
import { useStack } from "./useStack";

describe("connection strings in a stack", () => {
  const { service, createStack } = useStack();
  const create = (program: string) => createStack(`const projectId = "${projectId}";\n${program}`);

  it("are known to other resources and outputs in a preview, which shows a change in one line", async () => {
    const { stack } = await create(`
      const orders = new clouddb.ClusterConnectionStrings("orders", {
        projectId, clusterName: "orders", network: { kind: "peering" },
      });
      new pulumi.Stash("app", { input: orders.recommended });
      exports.url = orders.recommended;
      exports.again = clouddb.ClusterConnectionStrings.get("same", projectId + "/billing").legacySrv;
    `);
    const { stdout: preview } = await stack.preview({ diff: true });
    assert.match(preview, /input *: "db\+srv:\/\/orders-pri\.[^"]+"/);
    assert.match(preview, /url *: "db\+srv:\/\/orders-pri\.[^"]+"/);
    assert.match(preview, /again *: "db\+srv:\/\/billing-[^"]+"/);
    assert.doesNotMatch(preview, /output<string>|\[unknown\]/);

    await stack.up();
    service.project().updateCluster("orders", { version: "8.0.4" });
    const changed = await stack.preview({ diff: true });
    const lines = changed.stdout.split("\n").filter((line) => /^ +[~+-] \w+ +:/.test(line));
    assert.deepEqual(
      lines.map((line) => line.trim().replace(/ +/g, " ")),
      ['~ databaseVersion : "7.0.12" => "8.0.4"'],
    );
    assert.equal(changed.changeSummary.update, 1);
  });

  it("are unknown in the preview that creates the project, and known after the update", async () => {
    const { stack } = await create(`
      class Project extends pulumi.dynamic.Resource {
        constructor(name) {
          const outs = { projectId: "${projectId}", region: "eu-west-1" };
          const create = () => Promise.resolve({ id: "1", outs });
          super({ create }, name, { projectId: undefined, region: undefined });
        }
      }
      const project = new Project("project");
      const orders = new clouddb.ClusterConnectionStrings("orders", {
        projectId: project.projectId, clusterName: "orders",
      });
      const found = clouddb.getConnectionStringsOutput({
        projectId: project.projectId, clusterName: "billing",
      });
      const analytics = new clouddb.ClusterConnectionStrings("analytics", {
        projectId, clusterName: "analytics",
        network: { kind: "privateEndpoint", region: project.region },
      });
      exports.url = orders.recommended;
      exports.billing = found.recommended;
      exports.endpoint = analytics.recommended;
    `);
    const { stdout } = await stack.preview({ diff: true });
    assert.match(stdout, /url *: (output<string>|\[unknown\])/);
    assert.match(stdout, /billing *: (output<string>|\[unknown\])/);
    assert.equal(service.requests.length, 0);

    const { outputs } = await stack.up();
    assert.match(String(outputs["url"]?.value), /^db\+srv:\/\/orders\./);
    assert.match(String(outputs["billing"]?.value), /^db\+srv:\/\/billing\./);
    assert.match(String(outputs["endpoint"]?.value), /^db\+srv:\/\/analytics-pl-1-lb\./);
    assert.deepEqual((await stack.up()).summary.resourceChanges, { same: 4 });
  });

  it("are returned by functions, which share one list of clusters, and are secret once credentials are added", async () => {
    const { stack } = await create(`
      module.exports = (async () => {
        const provider = new clouddb.Provider("same", ${JSON.stringify(key)});
        const args = { projectId, clusterName: "billing" };
        const [one, other] = await Promise.all([
          clouddb.getConnectionStrings(args),
          clouddb.getConnectionStrings({ projectId, clusterName: "orders", network: { kind: "peering" } }),
        ]);
        const explicit = clouddb.getConnectionStringsOutput(args, { provider });
        const url = clouddb.withCredentials(explicit.recommended, {
          username: "app", password: pulumi.output("s3cret/!"), options: { retryWrites: true },
        });
        return { one: one.legacySrv, other: other.recommendedKind, url };
      })();
    `);
    const { stdout } = await stack.preview();
    assert.match(stdout, /url *: \[secret\]/);
    assert.equal(service.listings().length, 2, "one for each set of settings");

    const { outputs, stdout: upOutput } = await stack.up();
    assert.match(String(outputs["one"]?.value), /^db\+srv:\/\/billing-/);
    assert.equal(outputs["other"]?.value, "privateSrv");
    assert.match(
      String(outputs["url"]?.value),
      /^db\+srv:\/\/app:s3cret%2F%21@billing\.[^/]+\/\?retryWrites=true$/,
    );
    assert.equal(outputs["url"]?.secret, true);
    assert.equal(outputs["one"]?.secret, false);
    for (const text of [upOutput, stateFile(stack)]) assert.ok(!text.includes("s3cret"));
  });

  it("are known in the first preview, and unchanged in the next one, even if the cluster lacks some of them", async () => {
    const { stack } = await create(`
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

  const mistakes: [mistake: string, program: string, message: RegExp][] = [
    [
      "a function for a cluster that does not exist",
      'clouddb.getConnectionStrings({ projectId, clusterName: "order" });',
      /has no cluster order\. The nearest .*: orders, /,
    ],
    [
      "a function with an invalid argument",
      'clouddb.getConnectionStringsOutput({ projectId, clusterName: "orders", form: "uri" });',
      /invalid lookup arguments: form: must be "srv" or "hosts"/,
    ],
    [
      "credentials for a string that already contains credentials",
      'exports.url = clouddb.withCredentials("db://u:s3cret@a.b", { username: "u", password: "p" });',
      /withCredentials: the connection string already contains credentials/,
    ],
  ];
  for (const [mistake, program, message] of mistakes) {
    it(`cause one error without a stack trace for ${mistake}`, async () => {
      const { stack, failure } = await create(program);
      const output = await failure(stack.preview());
      assert.match(output, message);
      assert.doesNotMatch(output, /\n\s+at |s3cret/);
    });
  }
});
