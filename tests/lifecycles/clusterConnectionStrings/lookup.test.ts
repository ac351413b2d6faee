import assert from "node:assert/strict";
import { mock } from "node:test";
import { missingProjectId, projectId } from "../../support/service";
import { useProvider } from "../useProvider";

describe("a lookup of a connection string", () => {
  const { service, provider, start } = useProvider("clusterConnectionStrings");

  it("reads a recent list if a transform may add dependencies, or if none are known", async () => {
    const args = { projectId, clusterName: "orders" };
    const after = Date.now() - 1000;
    mock.timers.enable({ apis: ["Date"], now: Date.now() });
    try {
      await provider.check({ ...args, __bound: { after, mustBeRecent: true } });
      mock.timers.tick(10_000);
      await provider.check({ ...args, __bound: { after, mustBeRecent: false } });
      assert.equal(service.listings().length, 1);
      await provider.check({ ...args, __bound: { after, mustBeRecent: true } });
      assert.equal(service.listings().length, 2);
      mock.timers.tick(10_000);
      await provider.check(args);
      assert.equal(service.listings().length, 3);
      // A refresh, and an update for which a policy changed the cluster.
      await provider.read(`${projectId}/orders`, args);
      await provider.create({ ...args, clusterName: "billing" });
      assert.equal(service.listings().length, 3);
    } finally {
      mock.timers.reset();
    }
  });

  it("begins with what the last update found and the service no longer returns", async () => {
    service.project().removeCluster("orders");
    service.project().addCluster({ name: "orders2" });
    const recommended = "db+srv://orders.ab1cd.db.example";
    const endpoint = { kind: "privateEndpoint" };
    for (const [args, pattern] of [
      [
        { projectId, clusterName: "orders" },
        /^the last update found this cluster, but the service no longer returns it\.\nproject .* Did you mean orders2\?.* If it was deleted, remove the lookup\./,
      ],
      [
        { projectId, clusterName: "billing", network: endpoint },
        /^the last update found this string, but the service no longer returns it\.\nthe service returned no .* To wait for it, set waitSeconds\./,
      ],
      [
        { projectId: missingProjectId, clusterName: "orders" },
        /^the last update found this project, but the service no longer returns it\.\nthe service responded with 404 .*\[clouddb-not-found\]$/,
      ],
    ] as const) {
      const { failures } = await provider.check(args, { ...args, recommended });
      assert.match(failures[0]?.reason ?? "", pattern);
    }
  });

  it("warns if the cluster is being deleted, but not if it is paused", async () => {
    service.project().updateCluster("orders", { state: "DELETING" });
    service.project().updateCluster("billing", { paused: true });
    for (const clusterName of ["orders", "billing"]) {
      assert.deepEqual((await provider.check({ projectId, clusterName })).failures, []);
    }
    const [warning = "", ...others] = provider.output().match(/warning: .*/g) ?? [];
    assert.match(
      warning,
      /cluster orders of project \w+ is being deleted, so its connection strings/,
    );
    assert.deepEqual(others, []);
  });

  it("says so only about what was recorded", async () => {
    const recommended = "db+srv://orders.ab1cd.db.example";
    const endpoint = { kind: "privateEndpoint" };
    for (const [args, recorded] of [
      [{ clusterName: "new" }, { clusterName: "other", recommended }],
      [{ clusterName: "new" }, { projectId: "other", clusterName: "new", recommended }],
      [{ clusterName: "new" }, { clusterName: "new" }],
      [
        { clusterName: "billing", network: endpoint },
        { clusterName: "billing", recommended },
      ],
      [
        { clusterName: "analytics", network: endpoint },
        { clusterName: "analytics", network: endpoint, recommended },
      ],
    ] as const) {
      const { failures } = await provider.check({ projectId, ...args }, { projectId, ...recorded });
      assert.doesNotMatch(failures[0]?.reason ?? "the last update found", /the last update found/);
    }
    const missing = { projectId: missingProjectId, clusterName: "orders" };
    const { failures } = await provider.check(missing, { ...missing, projectId, recommended });
    assert.match(failures[0]?.reason ?? "", /^the service responded with 404 /);
    const args = { projectId, clusterName: "orders" };
    // A missing path can also be that of a wrong profile.
    const missingPath = JSON.stringify({ errorCode: "RESOURCE_NOT_FOUND" });
    for (const [status, body] of [
      [403, "{}"],
      [404, missingPath],
    ] as const) {
      const fault = { path: /\/clusters$/, withCredentials: true, times: 1 };
      service.faults.push({ ...fault, status, body });
      const refused = await (await start()).check(args, { ...args, recommended });
      assert.ok(refused.failures[0]?.reason.startsWith(`the service responded with ${status}`));
    }
  });

  it("mentions waitSeconds only if the cluster or string may appear", async () => {
    const reasonOf = async (news: object) => {
      const { failures } = await provider.check({ projectId, ...news });
      return failures[0]?.reason ?? "";
    };
    const hint = / To wait for it, set waitSeconds\.(?: \[clouddb-\S+\])?$/;
    assert.match(
      await reasonOf({ clusterName: "new" }),
      /\. If it was deleted, remove the lookup\. To wait for it, set waitSeconds\./,
    );
    service.project().addCluster({ name: "creating", state: "CREATING" });
    assert.match(await reasonOf({ clusterName: "creating" }), hint);
    const withoutStrings = { pendingStrings: ["standard" as const] };
    service.project().addCluster({ name: "paused", paused: true, ...withoutStrings });
    service.project().addCluster({ name: "leaving", state: "DELETING", ...withoutStrings });
    for (const clusterName of ["paused", "leaving"]) {
      const reason = await reasonOf({ clusterName });
      const end =
        /returned no standard .* The cluster is (?:paused|being deleted).*\.(?: \[clouddb-\S+\])?$/;
      assert.match(reason, end);
      assert.doesNotMatch(reason, /waitSeconds/);
    }
    const anyEndpoint = { kind: "privateEndpoint" };
    const several = await reasonOf({ clusterName: "analytics", network: anyEndpoint });
    assert.match(
      several,
      /several private endpoints match: .*\. Select one with network\.endpointId or network\.region\.(?: \[clouddb-\S+\])?$/,
    );
    assert.doesNotMatch(several, /waitSeconds/);
    const wait = { network: anyEndpoint, waitSeconds: 60 };
    assert.equal(await reasonOf({ clusterName: "analytics", ...wait }), several);
    const misspelled = await reasonOf({ clusterName: "order" });
    assert.match(misspelled, / Did you mean orders\?(?: \[clouddb-\S+\])?$/);
  });

  it("names the default network instead of a property without a value", async () => {
    service.project().addCluster({ name: "creating", state: "CREATING" });
    const lookup = { projectId, clusterName: "creating" };
    const [failure] = (await provider.check(lookup)).failures;
    assert.equal(failure?.property, "");
    assert.match(
      failure.reason,
      / The default network is internet\. To wait for it, set waitSeconds\./,
    );
    const given = await provider.check({ ...lookup, network: { kind: "internet" } });
    assert.equal(given.failures[0]?.property, "network");
    assert.doesNotMatch(given.failures[0].reason, /default/);
  });

  it("keeps the recorded strings on refresh, with a warning, if the string is missing", async () => {
    service.project().updateCluster("orders", { peering: false });
    const news = { projectId, clusterName: "orders", network: { kind: "peering" } };
    const recorded = { ...news, recommended: "db+srv://orders-pri.ab1cd.db.example" };
    const { id, props, inputs } = await provider.read(`${projectId}/orders`, recorded);
    assert.equal(id, `${projectId}/orders`);
    assert.deepEqual(props, recorded);
    assert.deepEqual(inputs, recorded);
    assert.match(
      provider.output(),
      /warning: .*returned no peering-private string .* The recorded strings are kept\./,
    );
    const { failures } = await provider.check(news, recorded);
    assert.match(failures[0]?.reason ?? "", /no peering-private/);
  });
});

describe("a lookup with waitSeconds", () => {
  const { service, provider } = useProvider("clusterConnectionStrings");

  it("returns no strings in check, and waits for them in create", async () => {
    service.project().updateCluster("sessions", { pendingStrings: ["standard"] });
    const { inputs, failures } = await provider.check({
      projectId,
      clusterName: "sessions",
      waitSeconds: 8,
    });
    assert.deepEqual(failures, []);
    assert.equal("recommended" in inputs, false);
    const creating = provider.create(inputs);
    service.project().updateCluster("sessions", { pendingStrings: [] });
    const { outs } = await creating;
    assert.match(String(outs["recommended"]), /sessions/);
  });

  it("warns in check about a missing cluster only if its name looks misspelled", async () => {
    for (const clusterName of ["order", "new-cluster"]) {
      const { failures } = await provider.check({ projectId, clusterName, waitSeconds: 60 });
      assert.deepEqual(failures, []);
    }
    const warnings = provider.output().match(/warning: .*/g);
    assert.equal(warnings?.length, 1);
    assert.match(
      String(warnings),
      /cluster order of project \w+ was not found\. .*orders.* The update waits for it for up to 60 s\.$/,
    );
  });

  it("logs its progress, and fails with the cluster's state and the missing string after the timeout", async () => {
    service.project().updateCluster("sessions", { state: "CREATING" });
    await assert.rejects(
      provider.create({ projectId, clusterName: "sessions", waitSeconds: 4 }),
      /no standard string \(SRV\) of cluster sessions \(state CREATING\) .* Timed out after \d s \(waitSeconds: 4\)/,
    );
    const lines = provider
      .output()
      .match(/progress: waiting for the .* of cluster sessions .* for up to \d s/g);
    assert.ok((lines ?? []).length >= 2);
  });
});
