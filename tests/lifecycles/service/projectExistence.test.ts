import assert from "node:assert/strict";
import { missingProjectId, projectId } from "../../support/service";
import { useProvider } from "../useProvider";

/** The state of a resource, for each type. */
const recorded = {
  privateIpMode: (id: string) => ({ projectId: id, enabled: false }),
  clusterConnectionStrings: (id: string) => ({
    projectId: id.split("/")[0],
    clusterName: id.split("/")[1],
    recommended: "db+srv://orders.ab1cd.db.example",
  }),
};

for (const [lifecycle, id] of [
  ["privateIpMode", projectId],
  ["clusterConnectionStrings", `${projectId}/orders`],
] as const) {
  describe(`a refresh of ${lifecycle}`, () => {
    const { service, provider } = useProvider(lifecycle);
    const state = recorded[lifecycle](id);
    const missing = id.replace(projectId, missingProjectId);

    it("removes the resource from the state, with a warning, if the project does not exist", async () => {
      assert.equal((await provider.read(missing, recorded[lifecycle](missing))).id, "");
      assert.match(
        provider.output(),
        /warning: .*does not exist.*efreshing removes the .* from the state/,
      );
    });

    it("fails if a proxy responds to every request with 404", async () => {
      service.faults.push({ withCredentials: true, status: 404, body: "<html>", times: Infinity });
      await assert.rejects(provider.read(id, state), /\[clouddb-deletion-unproven\]/);
    });

    it("fails without a recorded state if the project does not exist", async () => {
      await assert.rejects(provider.read(missing, {}), /\[clouddb-project-not-found\]/);
    });
  });
}

describe("a refresh of a lookup", () => {
  const { service, provider } = useProvider("clusterConnectionStrings");

  it("removes the lookup from the state, with a warning, if the cluster does not exist", async () => {
    const id = `${projectId}/deleted`;
    assert.equal((await provider.read(id, recorded.clusterConnectionStrings(id))).id, "");
    assert.match(
      provider.output(),
      /warning: .*has no cluster.* Refreshing removes the lookup from the state/,
    );
  });

  it("fails if the cluster is missing from a list that only looks complete", async () => {
    // Every page has this cluster and the count of the page, so a lookup accepts the first page as complete.
    const body = { results: [{ name: "billing" }], totalCount: 1 };
    const listing = { path: /\/clusters$/, withCredentials: true, times: Infinity };
    service.faults.push({ ...listing, status: 200, body });
    const id = `${projectId}/orders`;
    await assert.rejects(
      provider.read(id, recorded.clusterConnectionStrings(id)),
      /orders .* was not found, and the list of clusters may be incomplete \(1 item was read, but .*\)\..* The state is unchanged\. .*clouddb:baseUrl and clouddb:apiPath/,
    );
  });
});
