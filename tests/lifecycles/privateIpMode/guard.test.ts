import assert from "node:assert/strict";
import { projectId, quickstartSeed, settingsFor } from "../../service";
import { useProvider } from "../useProvider";

describe("the version check", () => {
  const { service, provider, start } = useProvider("privateIpMode");
  const disable = { projectId, enabled: false };
  const reasons = async ({ check } = provider) =>
    (await check(disable)).failures.map(({ reason }) => reason);

  it("refuses disabling in check, and names every cluster below 7.0.0 with its version", async () => {
    service.project().updateCluster("orders", { version: "6.0.5" });
    service.project().updateCluster("billing", { version: "5.0.1" });
    const { failures } = await provider.check(disable);
    assert.equal(failures.length, 1);
    assert.equal(failures[0]?.property, "enabled");
    assert.match(failures[0].reason, /2 of its 4 clusters/);
    assert.match(failures[0].reason, /billing +5\.0\.1\n +orders +6\.0\.5\n/);
  });

  it("refuses disabling in create if a cluster that runs 6.0 appeared after check", async () => {
    const { inputs } = await provider.check(disable);
    service.project().addCluster({ name: "late", version: "6.0.5" });
    await assert.rejects(provider.create(inputs), /late +6\.0\.5/);
    assert.equal(service.patches().length, 0);
    assert.equal(service.project().privateIpMode.enabled, true);
  });

  it("reads the clusters again before it retries the change after a 429", async () => {
    const { inputs } = await provider.check(disable);
    service.faults.push({ method: "PATCH", status: 429, headers: { "retry-after": "1" } });
    const creating = provider.create(inputs);
    while (service.patches().length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    service.project().addCluster({ name: "late", version: "6.0.5" });
    await assert.rejects(creating, /late +6\.0\.5/);
    assert.equal(service.patches().length, 1);
    assert.equal(service.project().privateIpMode.enabled, true);
  });

  it("allows disabling in a project without clusters", async () => {
    for (const { name } of [...service.project().clusters]) service.project().removeCluster(name);
    const { inputs, failures } = await provider.check(disable);
    assert.deepEqual(failures, []);
    await provider.create(inputs);
    assert.equal(service.project().privateIpMode.enabled, false);
  });

  const edges: { what: string; reported: Record<string, string | null>; expected: RegExp }[] = [
    {
      what: "no version",
      reported: { version: null },
      expected: /orders +\(no version given\)\n.*\n.*fieldPrefix/,
    },
    {
      what: "a major version that is lower than the full one",
      reported: { version: "7.0.12", majorVersion: "6.0" },
      expected: /orders +6\.0 \(major version; full version 7\.0\.12\)/,
    },
  ];
  for (const { what, reported, expected } of edges) {
    it(`refuses disabling while a cluster has ${what}`, async () => {
      service.project().updateCluster("orders", { reported });
      const [reason, ...more] = await reasons();
      assert.match(reason ?? "", expected);
      assert.deepEqual(more, []);
    });
  }

  it("allows disabling if a cluster lacks the major version field", async () => {
    service.project().updateCluster("orders", { reported: { majorVersion: null } });
    assert.deepEqual(await reasons(), []);
  });

  it("names every cluster and the setting fieldPrefix if the prefix is wrong", async () => {
    const environment = { ...settingsFor(service), CLOUDDB_FIELD_PREFIX: "other" };
    const [reason] = await reasons(await start({ environment }));
    assert.match(reason ?? "", /4 of its 4 clusters[^]*check the setting fieldPrefix/);
  });

  it("refuses disabling in the check of an update if the cluster appeared after the preview", async () => {
    assert.deepEqual(await reasons(), []);
    service.project().addCluster({ name: "late", version: "6.0.5" });
    const [reason] = await reasons(await start());
    assert.match(reason ?? "", /late +6\.0\.5/);
    assert.equal(service.patches().length, 0);
  });

  it("reads no clusters if the mode is already off", async () => {
    service.project().setPrivateIpMode(false);
    await provider.check(disable);
    assert.deepEqual(service.listings(), []);
  });
});

describe("the version check in a project with 1,200 clusters", () => {
  const seed = quickstartSeed();
  const clusters = Array.from({ length: 1200 }, (_, index) => ({
    name: `cluster-${String(index).padStart(4, "0")}`,
    version: index === 1199 ? "6.0.5" : "7.0.12",
  }));
  const projects = (seed.projects ?? []).map((project) => ({ ...project, clusters }));
  const { service, provider } = useProvider("privateIpMode", { seed: { ...seed, projects } });

  it("reads all three pages, and names the blocking cluster on the last one", async () => {
    const { failures } = await provider.check({ projectId, enabled: false });
    assert.match(
      failures[0]?.reason ?? "",
      /1 of its 1200 clusters does not [^]*\n +cluster-1199 +6\.0\.5\n/,
    );
    const pages = service.listings().map(({ query }) => query["pageNum"]);
    assert.deepEqual(pages, ["1", "2", "3"]);
  });
});
