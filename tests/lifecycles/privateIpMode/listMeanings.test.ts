/** The guard and refreshes with services whose parameters and counts of lists mean something else than the settings. */
import assert from "node:assert/strict";
import { useCleanup } from "../../support/cleanup";
import {
  type Handler,
  sendJson,
  useForeignService,
  withDigest,
} from "../../support/foreignService";
import { type ListMeanings, pageBody } from "../../support/listMeanings";
import { projectId, settingsFor } from "../../support/service";
import { defaultSettings } from "../../../provider/src/settings/settings";
import { type Lifecycle, startProvider } from "../providerProcess";

const documented: ListMeanings = {
  pageParameter: "page",
  pageSizeParameter: "size",
  countParameter: "count",
  countField: "list",
  unasked: "count",
  maxSize: 50,
  defaultSize: 100,
  plain: "same",
};

/** Returns this many clusters, with odd and even ones for filters. The second one is as old as given. */
const clustersOf = (length: number, second = "7.0.12") =>
  Array.from({ length }, (_, at) => ({
    id: `id${at}`,
    name: `c${at}`,
    dbVersion: at === 1 ? second : "7.0.12",
    connectionStrings: { standardSrv: `db+srv://c${at}.example.net` },
  }));

describe("a list of clusters in the lifecycles", () => {
  const startForeign = useForeignService();
  const cleanup = useCleanup("test");

  /** Starts such a service, and a process for it. Before the request `createdAt` for a list, it gets a cluster. */
  async function start(
    lifecycle: Lifecycle,
    service: ListMeanings,
    clusters: readonly ReturnType<typeof clustersOf>[number][],
    createdAt = Infinity,
  ) {
    let lists = 0;
    const patches: string[] = [];
    const created = clustersOf(clusters.length + 1);
    const handler: Handler = ({ method, path, body }, response) => {
      if (method === "PATCH") patches.push(body);
      if (path.endsWith("/privateIpMode")) {
        sendJson(response, 200, { enabled: method === "GET" });
        return;
      }
      lists += 1;
      const { searchParams } = new URL(path, "https://api.example");
      const all = lists < createdAt ? clusters : created;
      sendJson(response, 200, pageBody(all, service, defaultSettings, searchParams));
    };
    const foreign = await startForeign(withDigest(handler));
    const provider = await startProvider(lifecycle, settingsFor(foreign));
    cleanup(() => provider.stop());
    return { provider, patches };
  }

  const news = { projectId, enabled: false };
  const swapped = { ...documented, pageParameter: "size", pageSizeParameter: "page" } as const;
  const oneWrong = { ...swapped, pageParameter: "nothing" } as const;
  const filtered = { ...documented, countParameter: "filter" } as const;

  for (const [what, service, length, problem] of [
    [
      "the names of page and size are swapped, and the count is that of the page",
      { ...swapped, countField: "page" },
      3,
      "0 items were read, but the list without parameters has 3 others",
    ],
    [
      "the name of the size is that of the page, and the count is that of the page",
      { ...oneWrong, countField: "page" },
      300,
      "0 items were read, but the list without parameters has 100 others",
    ],
    [
      "the name of the count is a filter, and the count is that of the filtered list",
      filtered,
      3,
      "2 items were read, but the list without parameters has 1 other",
    ],
    [
      "the name of the count is a filter, in a project above the default page",
      { ...filtered, defaultSize: 1 },
      3,
      "2 items were read, but the list without parameters reports a total of 3",
    ],
  ] as const) {
    it(`refuses to disable, and changes nothing, if ${what}`, async () => {
      const clusters = clustersOf(length, "6.0.5");
      const { provider, patches } = await start("privateIpMode", service, clusters);
      const { failures } = await provider.check(news);
      const [failure] = failures;
      assert.ok(failure?.reason.includes(`may be incomplete. ${problem}.`), failure?.reason);
      await assert.rejects(provider.create(news), { message: new RegExp(problem) });
      assert.deepEqual(patches, []);
    });
  }

  for (const [what, service, length] of [
    ["a default page without a limit", { defaultSize: 1000 }, 120],
    ["a default page of 1", { defaultSize: 1 }, 120],
    ["a default page of 100", { defaultSize: 100 }, 120],
    ["another order by default", { plain: "reversed" }, 120],
    ["clusters that are hidden by default", { plain: "hides" }, 120],
    ["no count by default", { unasked: "none" }, 120],
    ["a count of 0 by default", { unasked: "zero" }, 120],
    ["no cluster", {}, 0],
  ] as const) {
    it(`disables with one change if the service has ${what}`, async () => {
      const clusters = clustersOf(length);
      const meanings = { ...documented, ...service };
      const { provider, patches } = await start("privateIpMode", meanings, clusters);
      const { inputs, failures } = await provider.check(news);
      assert.deepEqual(failures, []);
      await provider.create(inputs);
      assert.deepEqual(patches, ['{"enabled":false}']);
    });
  }

  for (const request of [2, 3, 4]) {
    it(`disables with one change if a cluster is created once, before request ${request} for the list`, async () => {
      const clusters = clustersOf(50);
      const { provider, patches } = await start("privateIpMode", documented, clusters, request);
      const { inputs, failures } = await provider.check(news);
      assert.deepEqual(failures, []);
      await provider.create(inputs);
      assert.equal(patches.length, 1);
    });
  }

  it("never lets a refresh remove the lookup of an existing cluster", async () => {
    const clusters = clustersOf(300);
    for (const service of [swapped, oneWrong, filtered]) {
      for (const countField of ["page", "list"] as const) {
        const meanings = { ...service, countField, maxSize: 500 };
        const { provider } = await start("clusterConnectionStrings", meanings, clusters);
        for (const clusterName of ["c1", "c299"]) {
          const recorded = { projectId, clusterName, recommended: "db+srv://recorded.example.net" };
          const read = provider.read(`${projectId}/${clusterName}`, recorded);
          const kept = read.then(
            ({ id }) => id !== "",
            (error: unknown) => String(error).includes("The state is unchanged"),
          );
          assert.ok(await kept, `${clusterName} with ${JSON.stringify(meanings)}`);
        }
      }
    }
  });
});
