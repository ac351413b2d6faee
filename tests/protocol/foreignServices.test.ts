import assert from "node:assert/strict";
import { type ForeignService, foreignService, sendJson, withDigest } from "../foreignService";
import { settingsFor } from "../service";
import { type ProviderProcess, startProvider } from "./providerProcess";

const projectId = "p1";

/** A service that is not the simulator, with clusters and conventions of a test's own. */
interface Conventions {
  readonly clusters: readonly unknown[];
  readonly countField?: string;
  readonly nextRelation?: string;
  /** Fields of a link. */
  readonly link?: { readonly rel: string; readonly href: string };
  readonly numberParameter?: string;
  readonly sizeParameter?: string;
  readonly mostItems?: number;
  /** Whether a page starts behind pages of the size asked for, although it holds fewer items. */
  readonly skipsBySizeAsked?: boolean;
}

const asDocumented = {
  countField: "totalCount",
  nextRelation: "next",
  link: { rel: "rel", href: "href" },
  numberParameter: "pageNum",
  sizeParameter: "itemsPerPage",
  mostItems: 500,
  skipsBySizeAsked: false,
} satisfies Partial<Conventions>;

function listPage(given: Conventions, url: URL): Record<string, unknown> {
  const conventions = { ...asDocumented, ...given };
  const number = Number(url.searchParams.get(conventions.numberParameter) ?? 1);
  const asked = Number(url.searchParams.get(conventions.sizeParameter) ?? 100);
  const size = Math.min(asked, conventions.mostItems);
  const start = (number - 1) * (conventions.skipsBySizeAsked ? asked : size);
  const results = conventions.clusters.slice(start, start + size);
  const { rel, href } = conventions.link;
  const isLast = start + size >= conventions.clusters.length;
  const query = `${conventions.numberParameter}=${number + 1}&${conventions.sizeParameter}=${asked}`;
  const next = { [rel]: conventions.nextRelation, [href]: `${url.pathname}?${query}` };
  return {
    links: isLast ? [] : [next],
    results,
    [conventions.countField]: conventions.clusters.length,
  };
}

describe("a service that is not the simulator", () => {
  let service: ForeignService | undefined;
  let provider: ProviderProcess | undefined;
  let patches: number;

  beforeEach(() => {
    patches = 0;
  });
  afterEach(async () => {
    await provider?.stop();
    service?.stop();
    provider = service = undefined;
  });

  const start = async (
    lifecycle: "privateIpMode" | "clusterConnectionStrings",
    conventions: Conventions,
  ): Promise<ProviderProcess> => {
    service = await foreignService(
      withDigest(({ method, path }, response) => {
        const url = new URL(path, "https://foreign.example");
        if (method === "PATCH") patches += 1;
        const body = url.pathname.endsWith("/privateIpMode")
          ? { enabled: method !== "PATCH" }
          : listPage(conventions, url);
        sendJson(response, 200, body);
      }),
    );
    provider = await startProvider(lifecycle, {}, settingsFor(service));
    return provider;
  };
  /** A service whose first page links to the second by `href`. */
  const startLinked = async (href: string): Promise<ProviderProcess> => {
    service = await foreignService(
      withDigest(({ path }, response) => {
        const body = path.includes("cursor=2")
          ? { results: [cluster("second")] }
          : { results: [cluster("first")], links: [{ rel: "next", href }] };
        sendJson(response, 200, body);
      }),
    );
    provider = await startProvider("clusterConnectionStrings", {}, settingsFor(service));
    return provider;
  };
  const disable = { projectId, enabled: false };
  const cluster = (name: string, version: unknown = "7.0.12") => ({
    name,
    dbVersion: version,
    connectionStrings: { standardSrv: `db+srv://${name}.ab1cd.db.example` },
  });
  const clusters = (count: number, oldAt?: number) =>
    Array.from({ length: count }, (_, index) =>
      cluster(`c${String(index).padStart(4, "0")}`, index === oldAt ? "6.0.5" : "7.0.12"),
    );

  describe("refuses a disable over 600 clusters", () => {
    const unnamed = { countField: "count", nextRelation: "following" };
    const refusals: [what: string, conventions: Partial<Conventions>, says: RegExp][] = [
      [
        "with an offending one behind the first page, by other names of count and next",
        { ...unnamed, clusters: clusters(600, 550) },
        /c0550 +6\.0\.5/,
      ],
      [
        "with an offending one behind a short page, whatever the page starts behind",
        { ...unnamed, clusters: clusters(600, 550), mostItems: 100, skipsBySizeAsked: true },
        /c0550 +6\.0\.5/,
      ],
      [
        "when the service ignores the paging parameters",
        { ...unnamed, numberParameter: "page", sizeParameter: "per_page" },
        /may be incomplete\. 100 were read, and page 2 repeats earlier items/,
      ],
      [
        "when the service counts more than it lists",
        { nextRelation: "following", numberParameter: "page" },
        /may be incomplete\. 500 were read, and the service counts 600/,
      ],
    ];
    for (const [what, conventions, says] of refusals) {
      it(what, async () => {
        const { check, create } = await start("privateIpMode", {
          clusters: clusters(600),
          ...conventions,
        });
        const { failures } = await check(disable);
        assert.match(failures[0]?.reason ?? "", says);
        await assert.rejects(create(disable), says);
        assert.equal(patches, 0);
      });
    }
  });

  const passes: [what: string, conventions: Partial<Conventions>, listings: number][] = [
    ["by count and next", {}, 2],
    ["by a count under links of other names", { link: { rel: "type", href: "target" } }, 2],
    ["by next under a count of another name", { countField: "count" }, 2],
    ["by neither, with two requests more", { countField: "count", nextRelation: "following" }, 4],
  ];
  for (const [what, conventions, listings] of passes) {
    it(`allows a disable over 600 clusters that are read whole ${what}`, async () => {
      const { check, create } = await start("privateIpMode", {
        clusters: clusters(600),
        ...conventions,
      });
      const { inputs, failures } = await check(disable);
      assert.deepEqual(failures, []);
      await create(inputs);
      assert.equal(patches, 1);
      const read = service?.requests.filter(({ path }) => path.includes("/clusters")) ?? [];
      const signed = read.filter(({ headers }) => headers.authorization !== undefined);
      assert.equal(signed.length, 2 * listings, "once in check and once before the change");
      assert.ok(signed[0]?.path.includes("includeCount=true"));
    });
  }

  describe("with unsupported paging", () => {
    const unknown = { countField: "count", nextRelation: "following", numberParameter: "page" };

    it("still returns the strings of a cluster that was read", async () => {
      const { check } = await start("clusterConnectionStrings", {
        clusters: clusters(600),
        ...unknown,
      });
      const { inputs, failures } = await check({ projectId, clusterName: "c0042" });
      assert.deepEqual(failures, []);
      assert.equal(inputs["recommended"], "db+srv://c0042.ab1cd.db.example");
    });

    it("does not claim that a cluster does not exist", async () => {
      const { check } = await start("clusterConnectionStrings", {
        clusters: clusters(600),
        ...unknown,
      });
      const { failures } = await check({ projectId, clusterName: "c0550" });
      assert.match(
        failures[0]?.reason ?? "",
        /c0550 .* was not found, and the list of clusters is incomplete: 500 were read, and page 2/,
      );
    });
  });

  describe("with one malformed cluster", () => {
    const odd: [what: string, record: unknown, shown: RegExp][] = [
      ["a number as its version", cluster("odd", 7), /odd +\(not a cluster record: dbVersion/],
      ["null in place of a record", null, /\(a record without a name\) +\(not a cluster record/],
      ["text in place of a record", "odd", /\(a record without a name\)/],
      [
        "connection strings of another type",
        { ...cluster("odd"), connectionStrings: ["a"] },
        /odd +\(not a cluster record: connectionStrings/,
      ],
    ];
    for (const [what, record, shown] of odd) {
      it(`that has ${what}, refuses a disable and names it`, async () => {
        const { check } = await start("privateIpMode", { clusters: [cluster("fine"), record] });
        const { failures } = await check(disable);
        assert.match(failures[0]?.reason ?? "", /1 of its 2 clusters could not be read/);
        assert.match(failures[0]?.reason ?? "", shown);
      });

      it(`that has ${what}, gives the strings of the others`, async () => {
        const { check } = await start("clusterConnectionStrings", {
          clusters: [record, cluster("fine")],
        });
        assert.deepEqual((await check({ projectId, clusterName: "fine" })).failures, []);
      });
    }

    it("names the problem in a lookup of that cluster", async () => {
      const { check } = await start("clusterConnectionStrings", { clusters: [cluster("odd", 7)] });
      const { failures } = await check({ projectId, clusterName: "odd" });
      assert.match(failures[0]?.reason ?? "", /record of cluster odd .* is malformed: dbVersion/);
      assert.doesNotMatch(failures[0]?.reason ?? "", /waitSeconds/);
    });
  });

  describe("with malicious text", () => {
    const hostile = "orders\n  billing  7.0.12\u001b[2K\u202e\u009b";

    it("cannot forge a line of a refusal or control the terminal", async () => {
      const { check } = await start("privateIpMode", { clusters: [cluster(hostile, "6.0.5")] });
      const reason = (await check(disable)).failures[0]?.reason ?? "";
      assert.match(
        reason,
        /\n {2}orders\\n {2}billing {2}7\.0\.12\\u\{1b\}\[2K\\u\{202e\}\\u\{9b\} {2}6\.0\.5\n/,
      );
      assert.equal(reason.split("\n").length, 3);
    });

    it("cannot do so in the nearest names and the outputs of a lookup", async () => {
      const { check, output } = await start("clusterConnectionStrings", {
        clusters: [cluster(hostile)],
      });
      const { failures } = await check({ projectId, clusterName: "orders" });
      assert.doesNotMatch(failures[0]?.reason ?? "", /[\p{Cc}\p{Cf}]/u);
      assert.doesNotMatch(output().replaceAll("\n", ""), /[\p{Cc}\p{Cf}]/u);
    });
  });

  describe("with values that the engine would act on", () => {
    const signature = "4dabf18193072939515e22adb298388d";
    const asset = { [signature]: "c44067f5c5f8e5ae3b8bdd3b1a5f3d1a", path: "/etc/hostname" };
    const marker = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";
    const outputsOf = async (more: Record<string, unknown>) => {
      const standardSrv = "db+srv://odd.ab1cd.db.example";
      const record = { name: "odd", connectionStrings: { standardSrv, ...more } };
      const { check } = await start("clusterConnectionStrings", { clusters: [record] });
      return await check({ projectId, clusterName: "odd" });
    };

    it("removes them from the outputs, and keeps plain values", async () => {
      let deep: unknown = "x";
      for (let depth = 0; depth < 20; depth += 1) deep = [deep];
      const { inputs, failures } = await outputsOf({
        plain: { text: "a", list: [1, true, { b: "c" }] },
        asset,
        nested: { inner: [asset, "kept"] },
        unknownText: marker,
        surrogate: "\ud800",
        long: "x".repeat(20_000),
        deep: { deep },
        __defaults: ["standardSrv"],
        [signature]: "1b47061264138c4ac30d75fd1eb44270",
      });
      assert.deepEqual(failures, []);
      const others = inputs["others"];
      assert.ok(typeof others === "object" && others !== null && "deep" in others);
      const { deep: bounded, ...rest } = others;
      assert.deepEqual(rest, {
        plain: { text: "a", list: [1, true, { b: "c" }] },
        nested: { inner: ["kept"] },
      });
      assert.ok(JSON.stringify(bounded).length < 40);
    });

    for (const [what, standardSrv] of [
      ["the marker of an unknown value", marker],
      ["half of a surrogate pair", "db+srv://\ud800"],
      ["a megabyte", `db+srv://${"x".repeat(2 ** 20)}`],
    ] as const) {
      it(`refuses ${what} as a connection string`, async () => {
        const { failures } = await outputsOf({ standardSrv });
        assert.match(failures[0]?.reason ?? "", /malformed: connectionStrings\.standardSrv: /);
        assert.ok((failures[0]?.reason ?? "").length < 500);
      });
    }
  });

  describe("that puts an optimized string into the plain field", () => {
    const optimizedSrv = "db+srv://orders-pl-0-lb.ab1cd.db.example";
    const record = {
      name: "orders",
      connectionStrings: {
        privateEndpoint: [
          { srvConnectionString: optimizedSrv, endpoints: [{ endpointId: "vpce-1" }] },
        ],
      },
    };
    const wanted = { projectId, clusterName: "orders", network: { kind: "privateEndpoint" } };

    it("finds it with optimized: true, and never returns it with optimized: false", async () => {
      const { check } = await start("clusterConnectionStrings", { clusters: [record] });
      const { inputs } = await check({ ...wanted, optimized: true });
      assert.equal(inputs["recommended"], optimizedSrv);
      assert.equal(inputs["recommendedKind"], "privateEndpointOptimizedSrv");
      const { failures } = await check({ ...wanted, optimized: false });
      assert.equal(failures.length, 1);
    });

    it("warns that the kind of a recorded lookup changes, and says how to keep it", async () => {
      const { check, output } = await start("clusterConnectionStrings", { clusters: [record] });
      await check(wanted, { ...wanted, recommendedKind: "privateEndpointSrv" });
      assert.match(
        output(),
        /warning: .* of cluster orders changes from privateEndpointSrv to privateEndpointOptimizedSrv: .*rules 4 and 8.* set optimized: false/,
      );
    });
  });

  it("is distinguished from a cluster that is being deleted", async () => {
    const deleting = { name: "orders", stateName: "DELETING", connectionStrings: {} };
    const { check } = await start("clusterConnectionStrings", { clusters: [deleting] });
    const { failures } = await check({ projectId, clusterName: "orders" });
    assert.match(
      failures[0]?.reason ?? "",
      /orders \(state DELETING\) .* being deleted: wait until it is gone/,
    );
    assert.doesNotMatch(failures[0]?.reason ?? "", /waitSeconds/);
  });

  for (const [what, href] of [
    ["relative to the page", "?cursor=2"],
    ["relative to the origin", "/api/service/v1.0/groups/p1/clusters?cursor=2"],
    ["at another origin", "https://internal.example/api/service/v1.0/groups/p1/clusters?cursor=2"],
  ] as const) {
    it(`reads a next link ${what} at its own origin`, async () => {
      const served = await startLinked(href);
      const { failures } = await served.check({ projectId, clusterName: "second" });
      assert.deepEqual(failures, []);
    });
  }

  it("reports a malformed next link", async () => {
    const served = await startLinked("https://[::1");
    const { failures } = await served.check({ projectId, clusterName: "second" });
    assert.match(
      failures[0]?.reason ?? "",
      /the list of clusters is incomplete: .*next link of the list is not a URL/,
    );
  });

  for (const lifecycle of ["privateIpMode", "clusterConnectionStrings"] as const) {
    it(`keeps a recorded ${lifecycle} when it answers every path with 404`, async () => {
      service = await foreignService(
        withDigest(({ path }, response) => {
          const parameters = [path];
          const body = {
            errorCode: "RESOURCE_NOT_FOUND",
            error: 404,
            reason: "Not Found",
            parameters,
          };
          sendJson(response, 404, body);
        }),
      );
      provider = await startProvider(lifecycle, {}, settingsFor(service));
      const lookup = lifecycle === "clusterConnectionStrings";
      const id = lookup ? `${projectId}/orders` : projectId;
      const state = lookup
        ? { projectId, clusterName: "orders", recommended: "db+srv://orders.ab1cd.db.example" }
        : { ...disable, enabledAtAdoption: true };
      await assert.rejects(
        provider.read(id, state),
        /cannot be shown that it is gone: nothing at the root .*Check that baseUrl and apiPath .*\/api\/service\/v1\.0/,
      );
    });
  }

  it("allows a guarded disable promptly when it never asks for credentials", async () => {
    service = await foreignService(({ method, path }, response) => {
      if (method === "PATCH") patches += 1;
      const isMode = path.endsWith("/privateIpMode");
      const body = isMode ? { enabled: method !== "PATCH" } : { results: [], totalCount: 0 };
      sendJson(response, 200, body);
    });
    provider = await startProvider("privateIpMode", {}, settingsFor(service));
    const began = Date.now();
    await provider.create((await provider.check(disable)).inputs);
    assert.equal(patches, 1);
    assert.ok(Date.now() - began < 5000);
  });

  it("ends a wait on time although every response is slow", async () => {
    service = await foreignService(
      withDigest((_request, response) => {
        setTimeout(() => {
          sendJson(response, 200, { results: [], totalCount: 0 });
        }, 1500);
      }),
    );
    provider = await startProvider("clusterConnectionStrings", {}, settingsFor(service));
    const began = Date.now();
    const waiting = { projectId, clusterName: "orders", waitSeconds: 2 };
    await assert.rejects(provider.create(waiting), /Timed out after 2 s \(waitSeconds: 2\)/);
    assert.ok(Date.now() - began < 4000);
  });
}).timeout(120_000);
