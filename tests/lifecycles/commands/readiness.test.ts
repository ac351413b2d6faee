import assert from "node:assert/strict";
import { jsonText } from "../../../provider/src/messages/text";
import { readiness as command } from "../../../provider/src/commands/readiness";
import { key, missingProjectId, projectId, settingsFor, useService } from "../../support/service";
import { runCommand } from "./runCommand";

/** Control characters, and characters that hide or reorder text. */
const unsafe = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;

describe("pulumi-clouddb readiness", () => {
  const service = useService();
  const run = (args: readonly string[], settings: Record<string, string> = settingsFor(service)) =>
    runCommand(command, args, settings);
  const readiness = (...more: string[]) => run(["--project", projectId, ...more]);

  const legacySrv = "db+srv://billing-cmrd8.clusters.example";
  const host = (node: string) => `billing-shard-00-${node}-cmrd8.clusters.example:27017`;
  const hosts = ["00", "01", "02"].map(host).join(",");
  const legacyStrings = [
    legacySrv,
    `db://${hosts}/?ssl=true&authSource=admin&replicaSet=billing-shard-0`,
  ];

  it("exits 0 if disabling would be allowed, and names clusters with peering and legacy strings", async () => {
    const { code, stdout, stderr } = await readiness();
    assert.equal(code, 0);
    assert.match(stdout, /is enabled; 4 clusters\.\nReady: every cluster runs/);
    assert.match(stdout, /\nClusters with legacy strings, .*\n {2}billing {2}db\+srv:\S+-\S+\n/);
    assert.match(stdout, /peering-private strings:\n {2}orders\nNext/);
    assert.match(stdout, /\n {2}- Before you disable the mode, replace legacy strings .*\n$/);
    assert.equal(stderr, "");
  });

  it("exits 1 if disabling would be refused, names every blocking cluster, and says what to do", async () => {
    service.project().updateCluster("orders", { version: "6.0.5" });
    service.project().updateCluster("billing", { reported: { version: null } });
    const { code, stdout } = await readiness();
    assert.equal(code, 1);
    assert.match(stdout, /\nNot ready: /);
    assert.match(stdout, /below 7\.0:\n {2}orders {2}6\.0\.5\n/);
    assert.match(stdout, /without a usable version:\n {2}billing {2}\(no version given\)\n/);
    assert.match(
      stdout,
      /\nNext steps:\n {2}- Upgrade the clusters below 7\.0\.\n {2}- If no version .*CLOUDDB_FIELD_PREFIX.*\n {2}- Run this command again\.\n/,
    );
  });

  it("recommends no upgrade of a cluster whose version is pinned", async () => {
    service.project().updateCluster("orders", { reported: { majorVersion: "6.0" } });
    const { stdout } = await readiness();
    assert.match(stdout, /\n {2}orders {2}6\.0 \(major version; full version 7\.0\.12\)\n/);
    assert.match(
      stdout,
      /\nNext steps:\n {2}- If only the major version is below 7\.0, no upgrade/,
    );
    assert.doesNotMatch(stdout, /Upgrade/);
  });

  it("exits 0 and demands nothing if the mode is off and a cluster runs 6.0", async () => {
    service.project().setPrivateIpMode(false);
    service.project().updateCluster("orders", { version: "6.0.5" });
    const { code, stdout } = await readiness();
    assert.equal(code, 0);
    assert.match(stdout, /^.* is disabled; 4 clusters\.\nReady: there is nothing to disable\.\n$/);
  });

  it("prints the same information as JSON with --json", async () => {
    service.project().updateCluster("orders", { version: "6.0.5" });
    const { code, stdout } = await readiness("--json");
    assert.equal(code, 1);
    const result = JSON.parse(stdout) as { nextSteps: string[] };
    const legacySteps = result.nextSteps.filter((step) => step.includes("replace legacy strings"));
    assert.deepEqual(result, {
      projectId,
      mode: "enabled",
      ready: false,
      clusterCount: 4,
      clustersBelowMinimum: [{ name: "orders", version: "6.0.5" }],
      clustersWithoutVersion: [],
      clustersWithPeeringStrings: ["orders"],
      clustersWithLegacyStrings: [{ name: "billing", strings: legacyStrings }],
      nextSteps: ["Upgrade the clusters below 7.0.", "Run this command again.", ...legacySteps],
    });
  });

  it("reports an unknown mode if the service has no GET for the setting", async () => {
    const noGet = { method: "GET", path: /privateIpMode$/, status: 405, withCredentials: true };
    service.faults.push(noGet);
    const { code, stdout } = await readiness();
    assert.equal(code, 0);
    assert.match(stdout, /is unknown;/);
  });

  const project = `--project ${projectId}`;
  const failures: [args: string, expected: RegExp, settings?: Record<string, string>][] = [
    [
      "",
      /^pulumi-clouddb readiness: --project ID is missing; see pulumi-clouddb readiness --help\n$/,
    ],
    [
      "--project ..",
      /^pulumi-clouddb readiness: --project must be a project ID, not \. or \.\.; see /,
    ],
    ["--projekt=p", /: unknown option '--projekt'; see pulumi-clouddb readiness --help\n$/],
    ["--\u001b[2J \u009b", /: unknown option '--\\u\{1b\}\[2J/],
    ["wr0ng-token", /: unexpected argument; see/],
    ["orders", /: unexpected argument orders; see/],
    [`${project} -- ${projectId}`, /: unexpected argument 64a0c0ffee0000000000a001; see/],
    [`${project} --stack=`, /: --stack NAME is missing; see/],
    [
      project,
      /CLOUDDB_BASE_URL is not set\. Run:\n +(?:export |\$env:)[^]*\nTo use the settings of a stack, pass --stack NAME\. \[clouddb-settings\]/,
      { CLOUDDB_BASE_URL: "" },
    ],
    [project, /401/, { CLOUDDB_PRIVATE_KEY: "wr0ng" }],
    [
      `--project ${missingProjectId}`,
      /^Could not determine readiness: .*404.*Check the project ID/,
    ],
  ];
  for (const [args, expected, settings] of failures) {
    it(`fails with ${JSON.stringify(args)}, and says what to do: ${expected}`, async () => {
      const words = args.split(" ").filter(Boolean);
      const { code, stdout, stderr } = await run(words, { ...settingsFor(service), ...settings });
      // A mistake in the options names the help.
      const isUsage = stderr.includes("pulumi-clouddb readiness --help");
      assert.deepEqual([code, stdout], [isUsage ? 2 : 1, ""]);
      assert.match(stderr, expected);
      assert.doesNotMatch(stderr, /\n\s+at |wr0ng/);
      assert.doesNotMatch(stderr.replaceAll("\n", ""), unsafe);
      assert.ok(!stderr.includes(key.privateKey));
    });
  }

  it("warns about a misspelled variable, and reports readiness", async () => {
    const settings = { ...settingsFor(service), CLOUDDB_CAFILE: "/x" };
    const { code, stderr } = await run(["--project", projectId], settings);
    assert.equal(code, 0);
    assert.match(stderr, /^warning: CLOUDDB_CAFILE is not .*; did you mean CLOUDDB_CA_FILE\?\n$/);
  });

  it("counts a cluster once that changes while the list is read", async () => {
    for (const versions of [["6.0.5"], [], ["6.0.9"]]) {
      const results = versions.map((dbVersion) => ({ id: "1", name: "orders", dbVersion }));
      const body = { results, totalCount: 1 };
      service.faults.push({ path: /clusters$/, withCredentials: true, status: 200, body });
    }
    const { stdout } = await readiness();
    assert.match(stdout, /; 1 cluster\.\n.* because 1 of 1 cluster must be upgraded/);
    assert.match(stdout, /\n {2}orders {2}6\.0\.5\n {2}orders {2}6\.0\.9\n/);
  });

  it("prints names on one line each, and as JSON, without terminal control characters", async () => {
    // Clears the screen, and hides and reorders text.
    const name = "a\u001b[2J\u009b31m\u202eb\u2028c\nd\u{e0041}";
    const clusters = [{ name, dbVersion: "6.0.5", dbMajorVersion: "6.0" }];
    for (const [args, expected] of [
      [[], "\n  a\\u{1b}[2J\\u{9b}31m\\u{202e}b\\u{2028}c\\nd\\u{e0041}  6.0.5"],
      [["--json"], `"name": ${jsonText(name)}`],
    ] as const) {
      // The page after the last cluster is empty. Then the list is read without parameters.
      for (const results of [clusters, [], clusters]) {
        const body = { results, totalCount: 1 };
        service.faults.push({ path: /clusters$/, withCredentials: true, status: 200, body });
      }
      const { stdout } = await readiness(...args);
      assert.doesNotMatch(stdout.replaceAll("\n", ""), unsafe);
      assert.ok(stdout.includes(expected), stdout);
    }
  });
});
