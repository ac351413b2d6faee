import assert from "node:assert/strict";
import { projectId, quickstartSeed, settingsFor } from "../../support/service";
import { useProvider } from "../useProvider";

const disable = { projectId, enabled: false };

describe("the version check", () => {
  const { service, provider, start } = useProvider("privateIpMode");

  it("refuses disabling in create if a cluster that runs 6.0 appeared after check", async () => {
    const { inputs } = await provider.check(disable);
    service.project().addCluster({ name: "late", version: "6.0.5" });
    await assert.rejects(provider.create(inputs), /late +6\.0\.5/);
    assert.equal(service.patches().length, 0);
    assert.equal(service.project().privateIpMode.enabled, true);
  });

  it("names every cluster and the setting fieldPrefix if the prefix is wrong", async () => {
    const environment = { ...settingsFor(service), CLOUDDB_FIELD_PREFIX: "other" };
    const { failures } = await (await start({ environment })).check(disable);
    assert.match(failures[0]?.reason ?? "", /4 of its 4 clusters[^]*check the setting fieldPrefix/);
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

  it("reads all three pages and an empty one, and names the blocking cluster on the last one", async () => {
    const { failures } = await provider.check(disable);
    assert.equal(failures.length, 1);
    assert.equal(failures[0]?.property, "enabled");
    assert.match(
      failures[0].reason,
      /1 of its 1200 clusters does not [^]*\n +cluster-1199 +6\.0\.5\n/,
    );
    const pages = service.listings().map(({ query }) => query["pageNum"]);
    assert.deepEqual(pages, ["1", "2", "3", "4"]);
  });
});
