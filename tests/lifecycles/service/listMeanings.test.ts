import assert from "node:assert/strict";
import { type ListNames, defaultListNames } from "../../../provider/src/service/paging";
import { environmentVariable } from "../../../provider/src/settings/settings";
import { sendJson, useForeignService, withDigest } from "../../support/foreignService";
import { type ListMeanings, documentedList, pageBody } from "../../support/listMeanings";
import { settingsFor } from "../../support/service";
import { startProvider } from "../providerProcess";

const projectId = "p1";
const old = { id: "a1", name: "old", dbVersion: "6.0.9" };
const current = { id: "b2", name: "current", dbVersion: "7.0.12" };

describe("a list of clusters", () => {
  const startForeign = useForeignService();

  /** Starts a service with this list, and a provider with the names of the list. */
  const start = async (
    type: "privateIpMode" | "clusterConnectionStrings",
    clusters: readonly { readonly id: string }[],
    meanings: Partial<ListMeanings>,
  ) => {
    const list = { ...documentedList, ...meanings };
    let enabled = true;
    const service = await startForeign(
      withDigest(({ method, path, body }, response) => {
        if (path.endsWith("/privateIpMode")) {
          if (method === "PATCH") ({ enabled } = JSON.parse(body) as { enabled: boolean });
          sendJson(response, 200, { enabled });
        } else {
          const query = new URL(path, "https://api.example").searchParams;
          sendJson(response, 200, pageBody(clusters, list, query));
        }
      }),
    );
    const names = Object.fromEntries(
      (["pageParameter", "pageSizeParameter", "countParameter", "countField"] as const).map(
        (key) => [environmentVariable(key), list.names[key]],
      ),
    );
    const provider = await startProvider(type, { ...settingsFor(service), ...names });
    const isPatched = () => service.requests.some(({ method }) => method === "PATCH");
    return { provider, isPatched };
  };
  const disable = { projectId, enabled: false };

  for (const [countField, count] of [
    ["totalPages", "pages"],
    ["last", "last item"],
  ] as const) {
    const names: ListNames = { ...defaultListNames, pageParameter: "offset", countField };
    const wrong: Partial<ListMeanings> = { page: "offset", count, size: 100, names };

    it(`does not allow disabling without its first cluster, with offset and ${countField}`, async () => {
      const { provider, isPatched } = await start("privateIpMode", [old, current], wrong);
      const refusal =
        /^private IP mode of project p1 cannot be disabled: its list of clusters may be incomplete\. 2 items were read, but page 1 differs from the list without a page number\.\n/;
      assert.match((await provider.check(disable)).failures[0]?.reason ?? "", refusal);
      await assert.rejects(provider.create(disable), /page 1 differs/);
      assert.ok(!isPatched());
    });

    it(`does not remove the lookup of its first cluster, with offset and ${countField}`, async () => {
      const { provider } = await start("clusterConnectionStrings", [old, current], wrong);
      const recommended = "db+srv://old.ab1cd.db.example";
      const state = { projectId, clusterName: "old", recommended };
      assert.equal((await provider.read(`${projectId}/old`, state)).id, `${projectId}/old`);
    });
  }

  for (const [what, names] of [
    ["the default names", {}],
    ["another name for the page", { pageParameter: "page" }],
    ["another name for the count", { countField: "total" }],
    [
      "other names",
      { pageParameter: "p", pageSizeParameter: "n", countParameter: "count", countField: "total" },
    ],
  ] as const) {
    for (const clusters of [[], [current]]) {
      it(`allows disabling with ${what} and ${clusters.length === 0 ? "no cluster" : "a cluster"}`, async () => {
        const meanings = { names: { ...defaultListNames, ...names } };
        const { provider, isPatched } = await start("privateIpMode", clusters, meanings);
        const { inputs, failures } = await provider.check(disable);
        assert.deepEqual(failures, []);
        assert.deepEqual((await provider.create(inputs)).outs, disable);
        assert.ok(isPatched());
      });
    }
  }

  it("does not allow disabling with a major version that is a number", async () => {
    const cluster = { ...current, dbMajorVersion: 6 };
    const { provider, isPatched } = await start("privateIpMode", [cluster], {});
    const refusal = /current {2}"a number" \(not a major version\)/;
    assert.match((await provider.check(disable)).failures[0]?.reason ?? "", refusal);
    await assert.rejects(provider.create(disable), refusal);
    assert.ok(!isPatched());
  });
});
