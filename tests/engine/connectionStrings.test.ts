import assert from "node:assert/strict";
import type { Seed, Simulator } from "clouddb-simulator";
import { key, projectId, settingsFor, startService } from "../service";
import { type TestStack, stateFile, testStack } from "./stack";

describe("connection strings in a stack", () => {
  let service: Simulator;
  let tested: TestStack | undefined;

  before(async () => {
    service = await startService();
  });
  after(() => service.stop());
  beforeEach(() => {
    service.reset();
  });
  afterEach(() => {
    tested?.remove();
  });

  const stackOf = async (program: string) =>
    (tested = await testStack(
      `const projectId = "${projectId}";\n${program}`,
      settingsFor(service),
    ));

  it("reach another resource and the stack outputs in preview; a change shows as one line", async () => {
    const { stack } = await stackOf(`
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
    service.project(projectId).updateCluster("orders", { version: "8.0.4" });
    const changed = await stack.preview({ diff: true });
    const lines = changed.stdout.split("\n").filter((line) => /^ +[~+-] \w+ +:/.test(line));
    assert.deepEqual(
      lines.map((line) => line.trim().replace(/ +/g, " ")),
      ['~ databaseVersion : "7.0.12" => "8.0.4"'],
    );
    assert.equal(changed.changeSummary.update, 1);
  });

  it("of a project that does not exist yet are unknown in preview and resolved in the same up", async () => {
    const { stack } = await stackOf(`
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

  it("are returned by functions, which share one list of clusters, and become secret with credentials", async () => {
    const { stack } = await stackOf(`
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
    const listings = service.requests.filter(
      ({ operation, challenged }) => operation === "listClusters" && !challenged,
    );
    assert.equal(listings.length, 2, "one for each of the two sets of settings");

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

  const mistakes: [what: string, program: string, says: RegExp][] = [
    [
      "a function for a cluster that is not there",
      'clouddb.getConnectionStrings({ projectId, clusterName: "order" });',
      /has no cluster order\. The nearest .*: orders, /,
    ],
    [
      "a function with a wrong argument",
      'clouddb.getConnectionStringsOutput({ projectId, clusterName: "orders", form: "uri" });',
      /invalid arguments of a lookup: form: must be "srv" or "hosts"/,
    ],
    [
      "credentials for a string that has some",
      'exports.url = clouddb.withCredentials("db://u:s3cret@a.b", { username: "u", password: "p" });',
      /withCredentials: the connection string already contains credentials/,
    ],
  ];
  for (const [what, program, says] of mistakes) {
    it(`give one clear error for ${what}`, async () => {
      const { stack, failure } = await stackOf(program);
      const output = await failure(stack.preview());
      assert.match(output, says);
      assert.doesNotMatch(output, /\n\s+at |s3cret/);
    });
  }
});

describe("500 lookups over 5 projects", () => {
  const ids = [1, 2, 3, 4, 5].map((number) => `64a0c0ffee000000000000b${number}`);
  const clusters = Array.from({ length: 100 }, (_, at) => ({ name: `c${at}` }));
  const seed: Seed = {
    organizations: [{ name: "acme", apiKeys: [{ ...key, roles: [{ role: "owner" }] }] }],
    projects: ids.map((id) => ({ id, name: id, organization: "acme", clusters })),
  };

  it("need five list requests and one challenge in each phase of an up", async () => {
    const service = await startService(seed);
    const program = `
      for (const projectId of ${JSON.stringify(ids)}) {
        for (let at = 0; at < 100; at += 1) {
          const clusterName = "c" + at;
          new clouddb.ClusterConnectionStrings(projectId + "-" + at, { projectId, clusterName });
        }
      }`;
    // Without it the CLI writes the whole state after each of 500 steps: most of the time of the test.
    const noCheckpoints = { PULUMI_EXPERIMENTAL: "true", PULUMI_SKIP_CHECKPOINTS: "true" };
    const tested = await testStack(program, { ...settingsFor(service), ...noCheckpoints });
    const phaseCosts = async (phase: Promise<unknown>) => {
      const before = service.requests.length;
      await phase;
      const made = service.requests.slice(before);
      const challenges = made.filter(({ challenged }) => challenged).length;
      return { challenges, listings: made.length - challenges };
    };
    try {
      const costs = { challenges: 1, listings: 5 };
      assert.deepEqual(await phaseCosts(tested.stack.preview()), costs);
      assert.deepEqual(await phaseCosts(tested.stack.up()), costs);
    } finally {
      tested.remove();
      await service.stop();
    }
  });
});
