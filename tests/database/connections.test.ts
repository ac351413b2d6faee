/** An official driver connects to a real server with the outputs of a stack. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import type { Seed, SeedCluster } from "clouddb-simulator";
import * as clouddb from "pulumi-clouddb";
import { withCredentials } from "pulumi-clouddb/connection-strings";
import { useStack } from "../engine/useStack";
import { temporaryFolder, useCleanup } from "../support/cleanup";
import { skipIfMissing } from "../support/missing";
import { projectId, quickstartSeed } from "../support/service";
import { type DriverNetwork, connect } from "./driver";
import { startFerretdb } from "./ferretdb";
import { startFront } from "./front";

const user = { username: "app:1/@", password: "p@ss:/?#[]% é" };

const privateEndpoints = [{ endpointId: "vpce-1", region: "us-east-1" }];
const clusters: SeedCluster[] = [
  { name: "orders", peering: true, privateEndpoints },
  { name: "billing", createdAt: "2019-06-03" },
  { name: "analytics", type: "SHARDED", peering: true, privateEndpoints },
  {
    name: "events",
    type: "SHARDED",
    regions: ["us-east-1", "eu-west-1"],
    privateEndpoints: [{ endpointId: "vpce-2", region: "eu-west-1" }],
    regionalizedPrivateEndpoints: true,
  },
];

/** The quickstart's project with other clusters. */
function seed(): Seed {
  const { projects = [], ...rest } = quickstartSeed();
  return {
    ...rest,
    projects: projects.map((project) => ({ ...project, clusters })),
  };
}

/** A string of a cluster, with and without credentials, and the output that contains it. */
interface ClusterString {
  readonly cluster: string;
  readonly output: string;
  readonly url: string;
  readonly urlWithCredentials: string;
}

/** Looks up every string of every cluster. */
function program() {
  const strings = clusters.map(({ name }) => {
    const lookup = new clouddb.ClusterConnectionStrings(name, { projectId, clusterName: name });
    const { standard, standardSrv, private: peering, privateSrv, legacy, legacySrv } = lookup;
    const own = { standard, standardSrv, private: peering, privateSrv, legacy, legacySrv };
    return pulumi.all([own, lookup.privateEndpoints]).apply(([named, endpoints]) => {
      const all = endpoints.flatMap(({ hosts, srv, optimizedSrv }) =>
        Object.entries({ hosts, srv, optimizedSrv }).map(
          ([field, url]) => [`privateEndpoints[].${field}`, url] as const,
        ),
      );
      return [...Object.entries(named), ...all]
        .flatMap(([output, url]) => (url === undefined ? [] : [{ output, url }]))
        .map(({ output, url }) => ({
          cluster: name,
          output,
          url,
          urlWithCredentials: withCredentials(url, user),
        }));
    });
  });
  return Promise.resolve({
    strings: pulumi.secret(pulumi.all(strings).apply((lists) => lists.flat())),
  });
}

describe("the official driver", () => {
  const cleanup = useCleanup("file");
  const settings = { scheme: "mongodb", dns: {} };
  const { service, createInline, createExample, run } = useStack({
    seed: seed(),
    settings,
    lifetime: "file",
  });
  let strings: readonly ClusterString[];
  let network: DriverNetwork;

  before("deploy a stack and start a database", async function () {
    try {
      const database = await startFerretdb(cleanup, user);
      const { stack } = await createInline(program);
      const { outputs } = await stack.up();
      strings = outputs["strings"]?.value as readonly ClusterString[];
      const urls = strings.map(({ url }) => url);
      const { address, ca } = await startFront(cleanup, urls, database);
      assert.ok(service.dns);
      const caFile = join(temporaryFolder(cleanup), "database-ca.pem");
      writeFileSync(caFile, ca);
      network = { dns: service.dns.peeredNetwork, address, caFile };
    } catch (error) {
      skipIfMissing(this, error);
    }
  });

  it("connects with every string of a stack, with and without credentials in it", async () => {
    const outputs = new Set<string>();
    for (const { cluster, output, url, urlWithCredentials } of strings) {
      outputs.add(output);
      const isSharded = clusters.some(({ name, type }) => name === cluster && type === "SHARDED");
      const ordinary = isSharded ? "Sharded" : "ReplicaSetWithPrimary";
      const topology = output.endsWith("optimizedSrv") ? "LoadBalanced" : ordinary;
      for (const connection of [{ url, user }, { url: urlWithCredentials }]) {
        const seen = await connect(connection, network);
        assert.deepEqual(seen, { topology, authSource: "admin" }, `${cluster}: ${output}`);
      }
    }
    assert.equal(outputs.size, 9, [...outputs].join());
  });

  it("connects examples/app-config with the output of its stack", async () => {
    const tested = await createExample("app-config");
    await tested.stack.setConfig("databaseUser", { value: user.username });
    await tested.stack.setConfig("databasePassword", { value: user.password, secret: true });
    const { stdout: log, outputs } = await tested.stack.up();
    assert.ok(!log.includes(user.password) && outputs["DATABASE_URL"]?.secret);
    const output = ["stack", "output", "DATABASE_URL", "--show-secrets"];
    const printed = await run(tested, "pulumi", output, { environment: { PULUMI_STACK: "test" } })
      .result;
    const { dns, address, caFile } = network;
    const preload = `
      const dns = require("node:dns");
      dns.setServers(["${dns}"]);
      dns.lookup = (host, options, done) => done(null, [{ address: "${address}", family: 4 }]);
    `;
    writeFileSync(join(tested.folder, "network.cjs"), preload);
    const environment = {
      DATABASE_URL: printed.stdout.trim(),
      NODE_EXTRA_CA_CERTS: caFile,
    };
    const app = (variables: NodeJS.ProcessEnv) => {
      const args = ["--require", "./network.cjs", "app.mjs"];
      return run(tested, process.execPath, args, { environment: variables }).result;
    };
    const { code, stdout, stderr } = await app(environment);
    assert.deepEqual([code, stderr], [0, ""]);
    assert.match(stdout, /^connected, wrote a document and read it/);

    const failed = await app({
      ...environment,
      DATABASE_URL: environment.DATABASE_URL.replace("orders", "order"),
    });
    assert.equal(failed.code, 1);
    assert.match(
      failed.stderr,
      /ENOTFOUND[^]* clouddb-connection-strings check --variable DATABASE_URL\n$/,
    );
    assert.doesNotMatch(failed.stderr, /p(@|%40)ss/);
  });
});
