import assert from "node:assert/strict";
import { strings as command } from "../../../provider/src/commands/strings";
import { key, missingProjectId, projectId, settingsFor, useService } from "../../support/service";
import { runCommand } from "./runCommand";

describe("pulumi-clouddb strings", () => {
  const service = useService();
  const strings = (...args: string[]) =>
    runCommand(command, ["--project", projectId, ...args], settingsFor(service));

  it("prints a table of all clusters, with the string of each for the network", async () => {
    service
      .project()
      .updateCluster("sessions", { state: "CREATING", pendingStrings: ["standard"] });
    const { code, stdout, stderr } = await strings("--network", "peering");
    assert.equal(code, 0);
    assert.match(
      stderr,
      /^warning: no string .* for 3 of the 4 .*: analytics, billing, sessions\. /,
    );
    const rows = stdout
      .trimEnd()
      .split("\n")
      .map((line) => line.split(/ {2,}/));
    assert.deepEqual(rows[0], ["CLUSTER", "VERSION", "STATE", "NETWORKS", "STRING (peering)"]);
    assert.deepEqual(rows[1], ["analytics", "8.0.4", "IDLE", "internet, privateEndpoint (2)", "-"]);
    assert.deepEqual(rows[3]?.slice(0, 4), ["orders", "7.0.12", "IDLE", "internet, peering"]);
    assert.match(rows[3][4] ?? "", /^db\+srv:\/\/orders-pri\./);
    assert.deepEqual(rows[4], ["sessions", "8.0.4", "CREATING", "-", "-"]);
  });

  it("prints the string of one cluster and nothing else", async () => {
    const { code, stdout, stderr } = await strings("--cluster", "orders", "--network", "peering");
    assert.deepEqual([code, stderr], [0, ""]);
    assert.match(stdout, /^db\+srv:\/\/orders-pri\.[\w.]+\n$/);
  });

  it("says that a cluster is paused or being deleted", async () => {
    service.project().updateCluster("orders", { paused: true });
    service.project().updateCluster("billing", { state: "DELETING" });
    const paused = await strings("--cluster", "orders");
    assert.match(paused.stdout, /^db\+srv:/);
    assert.equal(
      paused.stderr,
      "warning: cluster orders is paused, so nothing can connect to it.\n",
    );
    const { stderr } = await strings("--cluster", "billing");
    assert.match(stderr, /^warning: cluster billing .* is being deleted, so .* \[clouddb-cluster-/);
    const { stdout } = await strings();
    assert.match(stdout, /\norders +7\.0\.12 +IDLE, paused +internet, peering +db/);
    const failed = await strings("--cluster", "orders", "--network", "privateEndpoint");
    assert.match(failed.stderr, /of cluster orders \(state IDLE, paused\) of project/);
  });

  it("selects a private endpoint by region or ID, in the requested form", async () => {
    const endpoint = ["--cluster", "analytics", "--network", "privateEndpoint"];
    const byRegion = await strings(...endpoint, "--region", "eu-west-1");
    assert.match(byRegion.stdout, /^db\+srv:\/\/analytics-pl-1-lb\./);
    const byId = await strings(...endpoint, "--endpoint-id", "vpce-0a1b2c3d", "--form", "hosts");
    assert.match(byId.stdout, /^db:\/\/pl-0-us-east-1\..*:\d+\/\?ssl=true&authSource=admin\n$/);
  });

  it("says in the table's warning which options select one of several endpoints", async () => {
    const { stderr } = await strings("--network", "privateEndpoint");
    assert.match(stderr, /: several private endpoints match: .* with --endpoint-id or --region\. /);
  });

  it("prints the results of the functions for the network and form with --json", async () => {
    const args = ["--json", "--network", "peering", "--form", "hosts"];
    const all: unknown = JSON.parse((await strings(...args)).stdout);
    assert.ok(typeof all === "object" && all !== null && "clusters" in all);
    assert.ok(Array.isArray(all.clusters) && all.clusters.length === 4);
    assert.equal((all.clusters[2] as { recommendedKind?: unknown }).recommendedKind, "private");
    const one: unknown = JSON.parse((await strings("--json", "--cluster", "billing")).stdout);
    assert.ok(typeof one === "object" && one !== null && "recommendedKind" in one);
    assert.equal(one.recommendedKind, "standardSrv");
  });

  for (const [expectedCode, args, expected] of [
    [1, "--cluster order", /^project .* has no cluster order\. .*orders/],
    [1, "--cluster billing --network peering", /returned no peering-private string/],
    [
      1,
      "--cluster analytics --network privateEndpoint",
      /several private endpoints match: .*\. Select one with --endpoint-id or --region\. /,
    ],
    [2, "--network peerin", /: --network must be internet, peering or privateEndpoint; see/],
    [2, "--form address", /: --form must be "srv" or "hosts"; see /],
    [
      2,
      "--region us-east-1",
      /--endpoint-id and --region require --network privateEndpoint; see pulumi-clouddb strings --help\n$/,
    ],
    [2, "--cluster=", /: --cluster must be the name of a cluster, not empty; see/],
    [1, `--project ${missingProjectId}`, /^Could not read .*404.*Check the project ID/],
  ] as const) {
    it(`exits ${expectedCode} with ${args}, and prints nothing to standard output`, async () => {
      const { code, stdout, stderr } = await strings(...args.split(" "));
      assert.deepEqual([code, stdout], [expectedCode, ""]);
      assert.match(stderr, expected);
      assert.ok(!stderr.includes(key.privateKey));
    });
  }
});
