import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { classify, parse } from "../../../connection-strings/src";
import { type Seed, type SeedCluster, startSimulator } from "../../../simulator/src";
import { capture } from "../../../simulator/src/capture";
import { captureOptions } from "../../../simulator/src/captureSource";
import { fixtures } from "../../../simulator/src/fixtures";
import { processFolder } from "../../support/cleanup";
import { type ClusterBody, type ListBody, call, clustersPath, json, projectId } from "./client";
import { useSimulator } from "./testService";

const owner = { roles: [{ role: "owner" as const }] };

/** Returns a seed whose names, IDs and hosts occur nowhere else. */
function sourceSeed(clusters: SeedCluster[]): Seed {
  return {
    organizations: [
      {
        name: "zz-organization",
        apiKeys: [{ publicKey: "demo", privateKey: "demo-secret", ...owner }],
        serviceAccounts: [{ clientId: "zz-client", clientSecret: "zz-client-secret", ...owner }],
      },
    ],
    projects: [
      {
        id: projectId,
        name: "zz-project",
        organization: "zz-organization",
        label: "zzlabel",
        createdAt: "2019-01-02T03:04:05Z",
        privateIpMode: { enabled: true },
        clusters,
      },
    ],
  };
}

/** Returns a cluster with a combination of fields that depends on its number. */
function variedCluster(at: number): SeedCluster {
  const type = (["REPLICASET", "SHARDED", "GEOSHARDED"] as const)[at % 3];
  const provider = (["A", "B", "C"] as const)[at % 7 === 0 ? 1 : at % 11 === 0 ? 2 : 0];
  const regions = at % 4 === 0 ? ["us-east-1", "eu-west-1"] : ["us-east-1"];
  const hasEndpoints = provider !== "C" && at % 2 === 0;
  return {
    name: at === 1 ? "captured-1" : `Zz-${at}-cluster`,
    type,
    provider,
    regions,
    tier: at % 13 === 0 ? "FLEX" : "DEDICATED",
    version: `${4 + (at % 5)}.0.${at}`,
    createdAt: at % 5 === 0 ? "2019-06-03T09:30:07Z" : "2024-05-01T01:02:03Z",
    peering: at % 3 === 1,
    nodes: 3 + (at % 4),
    additionalRegions: at % 9 === 0 ? [{ provider: "B", region: "eastus", readOnly: true }] : [],
    privateEndpoints: hasEndpoints
      ? regions.map((region, index) => ({ endpointId: `zz-endpoint-${at}-${index}`, region }))
      : [],
    regionalizedPrivateEndpoints: at % 8 === 0,
    diskSizeGB: 10 + at,
    paused: at % 17 === 0,
    state: at % 10 === 9 ? "CREATING" : "IDLE",
    ...(at % 20 === 9 ? { pendingStrings: ["privateEndpoint" as const] } : {}),
    ...(at % 19 === 0 ? { reported: { version: null } } : {}),
  };
}

/** Lists the kinds of all strings of a cluster, as the package for connection strings sees them. */
function kindsOf({ connectionStrings }: ClusterBody): unknown {
  const kindOf = (value: unknown) => {
    if (typeof value !== "string" || !value.includes("://")) return undefined;
    const { form, hosts } = parse(value);
    return [classify(value, { domain: "clusters.example" }).kind, form, hosts.length];
  };
  const { privateEndpoint = [], ...others } = connectionStrings;
  const entries = (record: object) =>
    Object.entries(record).map(([name, value]) => [name, kindOf(value)]);
  return [
    entries(others),
    privateEndpoint.map((entry) => [
      entries(entry),
      entry.shownByDefault,
      entry.endpoints.map(({ providerName, region }) => [providerName, region]),
    ]),
  ];
}

describe("capture", () => {
  const service = useSimulator(
    { seed: sourceSeed(Array.from({ length: 200 }, (_, at) => variedCluster(at))) },
    "test",
  );
  const keys = { CLOUDDB_PUBLIC_KEY: "demo", CLOUDDB_PRIVATE_KEY: "demo-secret" };
  const account = { CLOUDDB_CLIENT_ID: "zz-client", CLOUDDB_CLIENT_SECRET: "zz-client-secret" };

  /** Captures the project of the running simulator. */
  function captured(credentials: NodeJS.ProcessEnv = keys, values: Record<string, string> = {}) {
    const { url, ca } = service.simulator;
    const caFile = join(processFolder, "capture-ca.pem");
    writeFileSync(caFile, ca);
    const environment = { CLOUDDB_BASE_URL: url, CLOUDDB_CA_FILE: caFile, ...credentials };
    return capture(captureOptions({ project: projectId, ...values }, environment));
  }

  const listOf = async (
    source: { url: string; ca: string },
    path: string,
    key?: { publicKey: string; privateKey: string },
  ) => {
    const response = await call(source, `${path}?itemsPerPage=500`, key ? { key } : {});
    return json<ListBody<ClusterBody>>(response).results;
  };

  it("writes a seed of 200 clusters with the same kinds of strings, and without any name, ID or host", async () => {
    const { url } = await service.start();
    const { seed, warnings } = await captured();
    assert.deepEqual(warnings, []);
    assert.ok(
      service.simulator.requests.every(({ method }) => method === "GET"),
      "only GET requests",
    );
    const [project] = seed.projects ?? [];
    const [apiKey] = seed.organizations?.[0]?.apiKeys ?? [];
    assert.ok(project && apiKey);

    const source = await listOf(service.simulator, clustersPath);
    const copy = await startSimulator({ seed });
    try {
      const clusters = await listOf(copy, `/groups/${project.id}/clusters`, apiKey);
      assert.equal(clusters.length, 200);
      const fieldsOf = ({ name, ...cluster }: ClusterBody) => [
        ...[cluster.clusterType, cluster.tier, cluster.stateName, cluster.providerSettings],
        ...[cluster.dbVersion, cluster.dbMajorVersion, cluster.numShards, cluster.diskSizeGB],
        ...[cluster.paused, cluster.networkPeering, cluster.additionalRegions],
        kindsOf({ name, ...cluster }),
      ];
      clusters.forEach((cluster, at) => {
        const original = source[at];
        assert.ok(original);
        assert.deepEqual(fieldsOf(cluster), fieldsOf(original), original.name);
      });
      assert.equal(copy.project(project.id).privateIpMode.enabled, true);
    } finally {
      await copy.stop();
    }

    const text = JSON.stringify(seed).toLowerCase();
    const hosts = source.flatMap(({ connectionStrings: { privateEndpoint = [], ...others } }) =>
      [others, ...privateEndpoint]
        .flatMap((strings) => Object.values(strings))
        .filter((value): value is string => typeof value === "string" && value.includes("://"))
        .flatMap((value) => parse(value).hosts),
    );
    const project0 = service.simulator.project(projectId);
    const found = [
      ...["zz", "demo", projectId, new URL(url).host, ...hosts.map(({ name }) => name)],
      ...project0.clusters.flatMap(({ name, id, hostName, shardId }) => [
        name,
        id,
        hostName,
        shardId,
      ]),
      ...source.flatMap(({ replicaSetNames }) => replicaSetNames as string[]),
    ].filter((each) => text.includes(each.toLowerCase()));
    assert.ok(hosts.length > 1000);
    assert.deepEqual(found, []);
  });

  it("reads all pages, with a service account or an access token", async () => {
    const clusters = fixtures.manyClusters.projects?.[0]?.clusters ?? [];
    await service.start({ seed: sourceSeed(clusters.slice(0, 501)) });
    assert.equal((await captured(account)).seed.projects?.[0]?.clusters?.length, 501);
    const [token] = service.simulator.requests;
    assert.equal(token?.operation, "issueToken");
    await assert.rejects(captured({ CLOUDDB_ACCESS_TOKEN: "wrong" }), /status 401 UNAUTHORIZED/);
  });

  it("reads every path of --cluster-paths, where a path that ends with ? may be missing", async () => {
    const flex: SeedCluster = { name: "zz-2", tier: "FLEX", listedAt: "flexClusters" };
    await service.start({ seed: sourceSeed([{ name: "zz-1" }, flex]) });
    const pathsOf = async (paths: string) => {
      const { seed } = await captured(keys, { "cluster-paths": paths });
      return seed.projects?.[0]?.clusters?.map(({ tier, listedAt }) => [tier, listedAt]);
    };
    const [dedicated, other] = [
      ["DEDICATED", "clusters"],
      ["FLEX", "flexClusters"],
    ];
    assert.deepEqual(await pathsOf("clusters,flexClusters"), [dedicated, other]);
    service.simulator.faults.push({
      path: `/api/service/v1.0/groups/${projectId}/flexClusters`,
      withCredentials: true,
      status: 404,
      times: 2,
    });
    assert.deepEqual(await pathsOf("clusters, flexClusters?"), [dedicated]);
    await assert.rejects(pathsOf("clusters,flexClusters"), /flexClusters.* failed with status 404/);
    assert.throws(
      () => captureOptions({ project: "p", "cluster-paths": "others" }, keys),
      /cluster-paths/,
    );
  });

  /** Makes the service return these clusters. */
  async function listing(clusters: unknown[], totalCount = clusters.length): Promise<void> {
    await service.start({ seed: sourceSeed([]) });
    service.simulator.faults.push({
      path: `/api/service/v1.0${clustersPath}`,
      withCredentials: true,
      status: 200,
      body: { results: clusters, totalCount },
      times: Infinity,
    });
  }

  const endpoints = [{ endpointId: "zz", region: "eastus" }];
  const entry = { connectionString: "db://a", srvConnectionString: "db+srv://a", endpoints };

  it("refuses unknown values, and names their fields without the values", async () => {
    await listing([
      { name: "zz-1", clusterType: "zz", providerSettings: { providerName: "zz" } },
      { name: "zz-2", stateName: "zz", dbVersion: "zz", connectionStrings: { private: null } },
      null,
    ]);
    await assert.rejects(captured(), ({ message }: Error) => {
      const [title, ...lines] = message.split("\n");
      assert.equal(title, "The list of clusters is not valid:");
      assert.deepEqual(
        lines.map((line) => line.trim().split(":")[0]),
        [
          ...["[0].clusterType", "[0].providerSettings.providerName"],
          ...["[1].version", "[1].stateName", "[1].connectionStrings.private", "[2]"],
        ],
      );
      return !message.includes("zz");
    });
  });

  it("uses the providers of --providers, and names the fields that the seed lacks", async () => {
    const providerSettings = { providerName: "zz", regionName: "US_EAST_1" };
    await listing([{ name: "zz-1", dbMajorVersion: "7.0", providerSettings, labels: ["zz"] }]);
    service.simulator.faults.push({
      path: `/api/service/v1.0/groups/${projectId}/privateIpMode`,
      withCredentials: true,
      status: 405,
    });
    const { seed, warnings } = await captured(keys, { providers: "zz=B" });
    assert.deepEqual(warnings, [
      "The service does not return private IP mode; the seed has it off.",
      "The seed lacks fields of the clusters: labels.",
    ]);
    const [cluster] = seed.projects?.[0]?.clusters ?? [];
    const { provider, regions, version, pendingStrings } = cluster ?? {};
    assert.deepEqual(
      [provider, regions, version, pendingStrings],
      ["B", ["us-east-1"], "7.0.0", ["standard"]],
    );
  });

  it("copies no unknown text, and says which regions it renamed", async () => {
    const unknown = { providerName: "B", regionNames: ["ZZ secret/1", "US_EAST_2", "zz-2"] };
    const additionalRegions = [{ provider: "C", region: "zz-2" }];
    await listing([
      { name: "zz-1", dbVersion: "7.0.0-zz.1", providerSettings: unknown, additionalRegions },
      { name: "zz-2", privateEndpoints: [{ region: "Zz_2" }, { region: "uswest2" }] },
    ]);
    service.simulator.faults.push({
      path: `/api/service/v1.0/groups/${projectId}`,
      withCredentials: true,
      status: 200,
      body: { name: "zz", created: "2019-01-02T03:04:05.678+01:00" },
    });
    const { seed, warnings } = await captured();
    assert.doesNotMatch(JSON.stringify(seed), /zz|secret\/1|04:05/i);
    const [project] = seed.projects ?? [];
    assert.equal(project?.createdAt, "2019-01-02");
    assert.deepEqual(
      project.clusters?.map(({ version, regions, additionalRegions: additional, ...others }) => [
        ...[version, regions, additional?.map(({ region }) => region)],
        others.privateEndpoints?.map(({ region }) => region),
      ]),
      [
        [
          "7.0.0-rc0",
          ["captured-region-1", "us-east-2", "captured-region-2"],
          ["captured-region-2"],
          [],
        ],
        [undefined, undefined, [], ["captured-region-2", "uswest2"]],
      ],
    );
    assert.deepEqual(warnings, [
      "The seed has new names for regions that are not known: captured-region-1, captured-region-2.",
    ]);
  });

  it("reads a record that is nested too deeply for recursion, and uses none of it", async () => {
    await listing([]);
    const record = `{"name":"zz","x":["\\u0063aptured"],"y":${"[".repeat(50_000)}${"]".repeat(50_000)}}`;
    const [fault] = service.simulator.faults.pending;
    service.simulator.faults.clear();
    const body = `{"results":[${record}],"totalCount":1}`;
    service.simulator.faults.push({ ...fault, body });
    assert.equal((await captured()).seed.projects?.[0]?.clusters?.[0]?.name, "captured1-1");
  });

  it("refuses strings that the simulator would not generate, and unknown kinds", async () => {
    const optimized = { ...entry, srvShardOptimizedConnectionString: "db+srv://a" };
    for (const [connectionStrings, kinds] of [
      [{ privateEndpoint: [optimized] }, "connectionString + srvConnectionString + srvShard.*"],
      [
        { privateEndpoint: [{ ...entry, newKind: "db://a" }] },
        "connectionString + newKind + srv.*",
      ],
      [{ standardSrv: "db+srv://a", newKind: "db://a" }, "newKind, standardSrv"],
    ] as const) {
      await listing([{ name: "zz", connectionStrings }]);
      const text = `\\[0\\]: "zz" has ${kinds.replaceAll(" + ", " \\+ ")}; the simulator: `;
      await assert.rejects(captured(), new RegExp(text));
    }
  });

  it("refuses a list that is incomplete or has a name twice", async () => {
    await listing([{ name: "zz" }], 0);
    await assert.rejects(captured(), /list of clusters is not complete/);
    await listing([{ name: "zz" }, { name: "zz" }]);
    await assert.rejects(captured(), /\[1\]\.name: exists twice/);
  });

  it("requires credentials and an address over HTTPS", async () => {
    await service.start({ seed: sourceSeed([]) });
    assert.throws(() => captureOptions({ project: "p" }, keys), /base-url: is required/);
    assert.throws(
      () => captureOptions({ project: "p", "base-url": "http://a.example" }, keys),
      /base-url: must be an address such as https:/,
    );
    assert.throws(
      () => captureOptions({ project: "p", "base-url": "https://a.example" }, {}),
      /There are no credentials\. Set CLOUDDB_CLIENT_ID/,
    );
  });
});
