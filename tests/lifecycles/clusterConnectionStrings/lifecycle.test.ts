import assert from "node:assert/strict";
import { missingProjectId, projectId } from "../../support/service";
import { unknown } from "../providerProcess";
import { useProvider } from "../useProvider";

describe("ClusterConnectionStrings", () => {
  const { service, provider, start } = useProvider("clusterConnectionStrings");

  it("returns the strings in check, so that a preview shows them", async () => {
    const { inputs, failures } = await provider.check({ projectId, clusterName: "orders" });
    assert.deepEqual(failures, []);
    assert.match(String(inputs["recommended"]), /^db\+srv:\/\/orders\./);
    assert.equal(inputs["recommendedKind"], "standardSrv");
    assert.equal(inputs["legacy"], null, "an absent output");
  });

  it("treats null like a missing argument, as the plugin does", async () => {
    const args = { projectId, clusterName: "orders" };
    const nulls = { network: null, form: null, optimized: null, waitSeconds: null };
    const { inputs, failures } = await provider.check({ ...args, ...nulls });
    assert.deepEqual(failures, []);
    assert.deepEqual(inputs, (await provider.check(args)).inputs);
    const required = await provider.check({ projectId, clusterName: null });
    assert.match(required.failures[0]?.reason ?? "", /clusterName is missing/);
  });

  it("reads a list that was requested after everything that it depends on had ended", async () => {
    const args = { projectId, clusterName: "orders" };
    await provider.check(args);
    service.project().updateCluster("orders", { hostName: "other" });
    const hidden = { __bound: { after: Date.now(), mustBeRecent: false } };
    const { inputs } = await provider.check({ ...args, ...hidden });
    assert.match(String(inputs["recommended"]), /^db\+srv:\/\/other\./);
    assert.equal(inputs["__bound"], undefined);
  });

  it("fails in check for an invalid argument, before any request", async () => {
    const news = { projectId, clusterName: "" };
    const { inputs, failures } = await provider.check(news);
    assert.deepEqual([inputs, failures.length], [news, 1]);
    assert.equal(failures[0]?.property, "clusterName");
    assert.equal(service.requests.length, 0);
  });

  it("makes no request while an argument is unknown in a preview", async () => {
    const news = { projectId: unknown, clusterName: "orders" };
    const { inputs, failures } = await provider.check(news);
    assert.deepEqual(failures, []);
    assert.deepEqual(inputs, news);
    assert.equal(service.requests.length, 0);
  });

  it("makes no request in create, diff and update after check found the strings", async () => {
    const { inputs } = await provider.check({ projectId, clusterName: "orders" });
    const before = service.requests.length;
    // Without the list that check read.
    const another = await start();
    const { id, outs } = await another.create(inputs);
    assert.deepEqual([id, outs], [`${projectId}/orders`, withoutHidden(inputs)]);
    assert.equal((await another.diff(id, outs, inputs)).changes, false);
    assert.deepEqual(await another.update(id, outs, inputs), outs);
    const other = { ...inputs, privateEndpoints: [{ endpointIds: [], others: { map: {} } }] };
    assert.deepEqual(await another.update(id, outs, other), withoutHidden(other));
    assert.equal(service.requests.length, before);
  });

  it("is unchanged, even after a refresh, whichever hidden values an earlier version recorded", async () => {
    const args = { projectId, clusterName: "orders" };
    const { inputs } = await provider.check(args);
    const { id, outs } = await provider.create(inputs);
    for (const hidden of [{ __cluster: id }, { __cluster: ["orders"], __earlier: true }, {}]) {
      const recorded = { ...outs, ...hidden };
      assert.deepEqual(await provider.check(args, recorded), { inputs, failures: [] });
      assert.equal((await provider.diff(id, recorded, inputs)).changes, false);
      assert.deepEqual(await provider.read(id, recorded), { id, props: outs, inputs: outs });
    }
  });

  it("records the string of the network that a policy sets after check, without a request or a later change", async () => {
    for (const [clusterName, network, kind] of [
      ["orders", { kind: "peering" }, "privateSrv"],
      [
        "analytics",
        { kind: "privateEndpoint", region: "us-east-1" },
        "privateEndpointOptimizedSrv",
      ],
    ] as const) {
      const args = { projectId, clusterName };
      const remediate = async () => ({ ...(await provider.check(args)).inputs, network });
      const expected = withoutHidden((await provider.check({ ...args, network })).inputs);
      assert.equal(expected["recommendedKind"], kind);
      const inputs = await remediate();
      const before = service.requests.length;
      const { id, outs } = await provider.create(inputs);
      assert.deepEqual(outs, expected);
      assert.deepEqual(await provider.update(id, outs, inputs), expected);
      assert.equal(service.requests.length, before);
      assert.equal((await provider.diff(id, outs, await remediate())).changes, false);
    }
  });

  it("looks up the cluster that a policy sets after check, in each update", async () => {
    const { inputs } = await provider.check({ projectId, clusterName: "orders" });
    const remediated = { ...inputs, clusterName: "billing" };
    const { id, outs } = await provider.create(remediated);
    const { inputs: found } = await provider.check({ projectId, clusterName: "billing" });
    const expected = withoutHidden(found);
    assert.deepEqual([id, outs], [`${projectId}/billing`, expected]);
    const diff = await provider.diff(id, outs, remediated);
    assert.deepEqual(diff, { changes: true, replaces: [] });
    assert.deepEqual(await provider.update(id, outs, remediated), expected);
  });

  it("takes null from a policy as the default of an argument, also for a cluster that the policy sets", async () => {
    const nulls = { network: null, form: null, optimized: null, waitSeconds: null };
    for (const clusterName of ["orders", "billing"]) {
      const { inputs } = await provider.check({ projectId, clusterName: "orders" });
      const remediated = { ...inputs, ...nulls, clusterName };
      const { id, outs } = await provider.create(remediated);
      const { inputs: found } = await provider.check({ projectId, clusterName });
      assert.equal(outs["recommended"], found["recommended"]);
      assert.deepEqual(await provider.update(id, outs, remediated), outs);
      const { props } = await provider.read(id, outs);
      assert.equal(props["recommended"], found["recommended"]);
    }
  });

  it("reports arguments that a policy made invalid after check, without a stack trace", async () => {
    const { inputs } = await provider.check({ projectId, clusterName: "orders" });
    const given = { ...inputs, network: "peering", waitSeconds: "1" };
    const problem =
      /a policy changed the arguments, which are now invalid: network: must be \{ kind/;
    for (const changing of [provider.create(given), provider.update("id", {}, given)])
      await assert.rejects(
        changing,
        ({ message }: Error) => problem.test(message) && !/ at |ZodError/.test(message),
      );
  });

  it("fails in the update if a policy sets a network without a string after check", async () => {
    const { inputs } = await provider.check({ projectId, clusterName: "sessions" });
    const remediated = { ...inputs, network: { kind: "peering" } };
    await assert.rejects(
      provider.create(remediated),
      /returned no peering-private string \(SRV\)(?!.*Timed out)/,
    );
  });

  it("is updated when a string changes, and replaced when the cluster or project changes", async () => {
    const { inputs } = await provider.check({ projectId, clusterName: "orders" });
    const id = `${projectId}/orders`;
    assert.deepEqual(await provider.diff(id, inputs, { ...inputs, clusterName: "billing" }), {
      changes: true,
      replaces: ["clusterName"],
    });
    const elsewhere = { ...inputs, projectId: missingProjectId };
    assert.deepEqual(await provider.diff(id, inputs, elsewhere), {
      changes: true,
      replaces: ["projectId"],
    });
    assert.deepEqual(await provider.diff(id, inputs, { ...inputs, standardSrv: "db+srv://x" }), {
      changes: true,
      replaces: [],
    });
  });

  it("is unchanged, also by a refresh, with a state without nulls, as the plugin records it", async () => {
    const network = { kind: "privateEndpoint", region: "us-east-1" };
    const { inputs } = await provider.check({ projectId, clusterName: "analytics", network });
    const id = `${projectId}/analytics`;
    const recorded = Object.fromEntries(
      Object.entries(withoutHidden(inputs)).filter(([, value]) => value !== null),
    );
    for (const others of [inputs, { ...inputs, form: null }]) {
      assert.equal((await provider.diff(id, recorded, others)).changes, false);
    }
    assert.deepEqual((await provider.read(id, recorded)).props, recorded);
    const endpoints = [{ srv: "db+srv://other.ab1cd.db.example" }];
    const changed = { ...recorded, privateEndpoints: endpoints };
    assert.equal((await provider.diff(id, changed, inputs)).changes, true);
  });

  it("reads the current strings on refresh, and drops unknown properties", async () => {
    const news = { projectId, clusterName: "orders", form: "hosts" };
    const recorded = {
      ...news,
      recommended: "db://old",
      databaseVersion: "6.0.1",
      legacy: "db://a",
      ofLaterVersion: "x",
    };
    const read = await provider.read(`${projectId}/orders`, recorded);
    assert.deepEqual(read.inputs, read.props);
    assert.deepEqual(read.props, withoutHidden((await provider.check(news)).inputs));
  });

  it("reads an existing cluster by its ID", async () => {
    const { id, props } = await provider.read(`${projectId}/orders`, {});
    assert.equal(id, `${projectId}/orders`);
    assert.match(String(props["recommended"]), /^db\+srv:\/\/orders\./);
  });

  it("can be deleted without settings, even if its state is damaged", async () => {
    const withoutSettings = await start({ environment: {} });
    await withoutSettings.delete(`${projectId}/orders`, { projectId, recommended: 7 });
  });

  it("reports an invalid ID without a stack trace", async () => {
    for (const id of ["orders", "/orders", "/a/orders", `${projectId}/`]) {
      await assert.rejects(
        provider.read(id, {}),
        /" is not the ID of a lookup: expected <projectId>\/<clusterName>/,
        id,
      );
    }
    await assert.rejects(
      provider.read("../orders", {}),
      /invalid ID "\.\.\/orders": projectId: must be a project ID/,
    );
    assert.doesNotMatch(provider.output(), /\n\s+at /);
  });
});

/** Returns inputs without those that Pulumi does not show, which the outputs lack. */
function withoutHidden(inputs: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(inputs).filter(([name]) => !name.startsWith("__")));
}
