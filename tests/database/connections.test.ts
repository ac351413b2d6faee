/** Official drivers connect to a real server with the outputs of a stack. */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { inspect } from "node:util";
import * as pulumi from "@pulumi/pulumi";
import type { Seed, SeedCluster } from "clouddb-simulator";
import * as clouddb from "pulumi-clouddb";
import { parse } from "../../connection-strings/src";
import { useStack } from "../engine/useStack";
import { useCleanup } from "../support/cleanup";
import { skipIfMissing } from "../support/missing";
import { projectId, quickstartSeed } from "../support/service";
import { type DriverNetwork, drivers, networkIn } from "./drivers";
import { startFerretdb } from "./ferretdb";
import { startFront } from "./front";

const page = join(__dirname, "../..", "docs", "guides", "connection-strings.md");
const guide = readFileSync(page, "utf8");

/** `npm run test:all` connects with one driver, `--full` with all of them. */
const isSample = process.env["TEST_SAMPLE"] === "1";

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
  const password = pulumi.secret(user.password);
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
          urlWithCredentials: clouddb.withCredentials(url, { ...user, password }),
        }));
    });
  });
  return Promise.resolve({ strings: pulumi.all(strings).apply((lists) => lists.flat()) });
}

describe("official drivers", () => {
  const cleanup = useCleanup("file");
  const settings = { scheme: "mongodb", dns: {} };
  const { service, createInline, createExample, run } = useStack({
    seed: seed(),
    settings,
    lifetime: "file",
  });
  let strings: readonly ClusterString[];
  let networks: Readonly<Record<"Internet" | "peered", DriverNetwork>>;

  before("deploy a stack and start a database", async function () {
    try {
      const database = await startFerretdb(cleanup, user);
      const { stack } = await createInline(program);
      const { outputs } = await stack.up();
      strings = outputs["strings"]?.value as readonly ClusterString[];
      const front = await startFront(
        cleanup,
        strings.map(({ url }) => url),
        database,
      );
      assert.ok(service.dns);
      networks = {
        Internet: networkIn(front, service.dns.internet),
        peered: networkIn(front, service.dns.peeredNetwork),
      };
    } catch (error) {
      skipIfMissing(this, error);
    }
  });

  for (const driver of isSample ? [drivers.node] : [drivers.node, drivers.python]) {
    it(`connect with every string of a stack: ${driver.name}`, async function () {
      try {
        driver.install();
      } catch (error) {
        skipIfMissing(this, error);
      }
      const outputs = new Map<string, Set<string>>();
      for (const [name, network] of Object.entries(networks)) {
        const reachable = strings.filter(
          ({ output }) => name === "peered" || /^(standard|legacy)/.test(output),
        );
        const connections = reachable.flatMap(({ url, urlWithCredentials }) => [
          { url, user },
          { url: urlWithCredentials },
        ]);
        const seen = await driver.connect(cleanup, connections, network);
        for (const [at, { topology, authSource, addresses }] of seen.entries()) {
          const { cluster = "", output = "" } = reachable[Math.floor(at / 2)] ?? {};
          const kinds = new Set(
            addresses.map((each) => (each.startsWith("10.") ? "private" : "public")),
          );
          const row = [cluster, name, [...kinds].join(), topology, authSource].join(" | ");
          outputs.set(row, (outputs.get(row) ?? new Set()).add(`\`${output}\``));
        }
      }
      const rows = [...outputs].map(([row, names]) => `| ${row} | ${[...names].join(", ")} |\n`);
      const table = rows.sort().join("");
      console.log(`${driver.name}\n${table}`);
      const [, expected] = /^\| cluster .*\n\|[-|]+\|\n((?:\|.*\n)+)/m.exec(guide) ?? [];
      assert.equal(table, expected);
    });
  }

  it("are refused if the string does not match the host", async () => {
    const hostOf = (output: string) => {
      const found = strings.find((each) => each.cluster === "analytics" && each.output === output);
      return parse(found?.url ?? "").hosts[0]?.name ?? "";
    };
    const failure = async (host: string, options: string) => {
      const url = `mongodb://${host}:1024/?authSource=admin&${options}`;
      const network = { ...networks.peered, timeoutMs: 1000 };
      const connection = drivers.node.connect(cleanup, [{ url, user }], network);
      return inspect(
        await connection.then(
          () => undefined,
          (reason: unknown) => reason,
        ),
      );
    };
    const balancer = hostOf("privateEndpoints[].optimizedSrv");
    const router = hostOf("privateEndpoints[].hosts");
    assert.match(await failure(balancer, "tls=true"), /code: 354/);
    assert.match(await failure(router, "tls=true&loadBalanced=true"), /does not support this mode/);
    assert.match(await failure(router, "tls=true&replicaSet=rs"), /ReplicaSetNoPrimary/);
    assert.match(await failure(router, "tls=false"), /closed/);
  });

  it("connect examples/app-config with the output of its stack", async () => {
    const tested = await createExample("app-config");
    await tested.stack.setConfig("databaseUser", { value: user.username });
    await tested.stack.setConfig("databasePassword", { value: user.password, secret: true });
    const { stdout: log, outputs } = await tested.stack.up();
    assert.ok(!log.includes(user.password) && outputs["DATABASE_URL"]?.secret);
    const output = ["stack", "output", "DATABASE_URL", "--show-secrets"];
    const printed = await run(tested, "pulumi", output, { environment: { PULUMI_STACK: "test" } })
      .result;
    const { dns, front, caFile } = networks.peered;
    const network = `
      const dns = require("node:dns");
      dns.setServers(["${dns}"]);
      dns.lookup = (host, options, done) => done(null, [{ address: "${front.address}", family: 4 }]);
    `;
    writeFileSync(join(tested.folder, "network.cjs"), network);
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
    assert.match(failed.stderr, /ENOTFOUND[^]* strings --check --variable DATABASE_URL\n$/);
    assert.doesNotMatch(failed.stderr, /p(@|%40)ss/);
  });
});
