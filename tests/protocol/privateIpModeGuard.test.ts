import assert from "node:assert/strict";
import type { Simulator } from "clouddb-simulator";
import { projectId, quickstartSeed, settingsFor, startService } from "../service";
import { type ProviderProcess, startProvider } from "./providerProcess";

describe("the guard of a disable, in the provider process", () => {
  const disable = { projectId, enabled: false };
  let service: Simulator;
  let provider: ProviderProcess;

  before(async () => {
    service = await startService();
  });
  after(() => service.stop());

  beforeEach(async () => {
    service.reset();
    provider = await startProvider("privateIpMode", {}, settingsFor(service));
  });
  afterEach(() => provider.stop());

  const project = () => service.project(projectId);
  const reasons = async () => (await provider.check(disable)).failures.map(({ reason }) => reason);
  const patches = () => service.requests.filter(({ method }) => method === "PATCH");

  it("allows a project without clusters", async () => {
    for (const { name } of [...project().clusters]) project().removeCluster(name);
    const { inputs, failures } = await provider.check(disable);
    assert.deepEqual(failures, []);
    await provider.create(inputs);
    assert.equal(project().privateIpMode.enabled, false);
  });

  const edges: { what: string; reported: Record<string, string | null>; says: RegExp }[] = [
    {
      what: "no version",
      reported: { version: null },
      says: /orders +\(no version given\)\n.*\n.*fieldPrefix/,
    },
    { what: "an empty version", reported: { version: "" }, says: /orders +\(no version given\)/ },
    {
      what: "a malformed version",
      reported: { version: "latest" },
      says: /orders +"latest" \(not a version\)/,
    },
    {
      what: "a version of two parts",
      reported: { version: "7.0" },
      says: /orders +"7\.0" \(not a version\)/,
    },
    {
      what: "a release candidate of 7.0.0",
      reported: { version: "7.0.0-rc1" },
      says: /orders +7\.0\.0-rc1/,
    },
    {
      what: "a major version that is lower than the full one",
      reported: { version: "7.0.12", majorVersion: "6.0" },
      says: /orders +6\.0 \(major version; full version 7\.0\.12\)/,
    },
  ];
  for (const { what, reported, says } of edges) {
    it(`refuses a cluster that has ${what}`, async () => {
      project().updateCluster("orders", { reported });
      const [reason, ...more] = await reasons();
      assert.match(reason ?? "", says);
      assert.deepEqual(more, []);
    });
  }

  it("allows a cluster without the major version field", async () => {
    project().updateCluster("orders", { reported: { majorVersion: null } });
    assert.deepEqual(await reasons(), []);
  });

  it("names every cluster of a project whose version fields have another prefix", async () => {
    await provider.stop();
    const settings = { ...settingsFor(service), CLOUDDB_FIELD_PREFIX: "other" };
    provider = await startProvider("privateIpMode", {}, settings);
    const [reason] = await reasons();
    assert.match(reason ?? "", /4 of its 4 clusters[^]*check the setting fieldPrefix/);
  });

  it("detects a cluster that appears between preview and update", async () => {
    assert.deepEqual(await reasons(), []);
    project().addCluster({ name: "late", version: "6.0.5" });
    await provider.stop();
    provider = await startProvider("privateIpMode", {}, settingsFor(service));
    assert.match((await reasons())[0] ?? "", /late +6\.0\.5/);
    assert.equal(patches().length, 0);
  });

  it("does not read clusters if the mode is already off", async () => {
    project().setPrivateIpMode(false);
    await provider.check(disable);
    assert.ok(!service.requests.some(({ operation }) => operation === "listClusters"));
  });
});

describe("the guard of a project with 1,200 clusters", () => {
  it("reads all three pages and finds the one offender on the last", async () => {
    const seed = quickstartSeed();
    const [project] = seed.projects ?? [];
    assert.ok(project !== undefined);
    const clusters = Array.from({ length: 1200 }, (_, index) => ({
      name: `cluster-${String(index).padStart(4, "0")}`,
      version: index === 1199 ? "6.0.5" : "7.0.12",
    }));
    const service = await startService({ ...seed, projects: [{ ...project, clusters }] });
    const provider = await startProvider("privateIpMode", {}, settingsFor(service));
    try {
      const { failures } = await provider.check({ projectId, enabled: false });
      assert.match(
        failures[0]?.reason ?? "",
        /1 of its 1200 clusters does not [^]*\n +cluster-1199 +6\.0\.5\n/,
      );
      const pages = service.requests.filter(({ operation }) => operation === "listClusters");
      assert.deepEqual(
        pages.map(({ query }) => query["pageNum"]),
        ["1", "2", "3"],
      );
    } finally {
      await provider.stop();
      await service.stop();
    }
  });
}).timeout(60_000);
