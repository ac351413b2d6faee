import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { readiness as command } from "../../../provider/src/commands/readiness";
import { jsonText } from "../../../provider/src/messages/text";
import { useCleanup, temporaryFolder } from "../../support/cleanup";
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

  it("exits 0 if disabling would be allowed, and names peered clusters", async () => {
    const { code, stdout, stderr } = await readiness();
    assert.equal(code, 0);
    assert.match(stdout, /is enabled; 4 clusters\.\nReady: every cluster runs/);
    assert.match(stdout, /peering-private strings:\n {2}orders\nNext/);
    assert.equal(stderr, "");
  });

  it("exits 1 if disabling would be refused, names every blocking cluster, and says what to do", async () => {
    service.project().updateCluster("orders", { version: "6.0.5" });
    service.project().updateCluster("billing", { reported: { version: null } });
    const { code, stdout } = await readiness();
    assert.equal(code, 1);
    assert.match(stdout, /\nNot ready: /);
    assert.match(stdout, /below 7\.0\.0:\n {2}orders {2}6\.0\.5\n/);
    assert.match(stdout, /without a usable version:\n {2}billing {2}\(no version given\)\n/);
    assert.match(
      stdout,
      /\nNext steps:\n {2}- Upgrade the clusters below 7\.0\.0\.\n {2}- If no version .* fieldPrefix.*\n {2}- Run this command again\.\n/,
    );
  });

  it("names clusters with legacy strings, and clusters in B and C without peering-private ones", async () => {
    service.project().updateCluster("sessions", { provider: "B", regions: ["eastus"] });
    const { stdout } = await readiness();
    assert.match(stdout, /\nClusters with legacy strings, .*\n {2}billing {2}db\+srv:\S+-\S+\n/);
    assert.match(
      stdout,
      /\nClusters without peering-private strings .*\n {2}sessions {2}provider B\n/,
    );
    assert.match(
      stdout,
      /\n {2}- Replace legacy strings .*\n {2}- If applications in a peered .*\n$/,
    );
  });

  it("exits 0 if the mode is already off and a cluster runs 6.0", async () => {
    service.project().setPrivateIpMode(false);
    service.project().updateCluster("orders", { version: "6.0.5" });
    const { code, stdout } = await readiness();
    assert.equal(code, 0);
    assert.match(stdout, /is disabled;.*\nReady: there is nothing to disable\./);
    assert.doesNotMatch(stdout, /Next steps/);
  });

  it("prints the same information as JSON with --json", async () => {
    service.project().updateCluster("orders", { version: "6.0.5" });
    const { code, stdout } = await readiness("--json");
    assert.equal(code, 1);
    const result = JSON.parse(stdout) as { nextSteps: string[] };
    const legacySteps = result.nextSteps.filter((step) => step.startsWith("Replace legacy"));
    assert.deepEqual(result, {
      projectId,
      mode: "enabled",
      ready: false,
      clusterCount: 4,
      clustersBelowMinimum: [{ name: "orders", version: "6.0.5" }],
      clustersWithoutVersion: [],
      clustersWithPeeringStrings: ["orders"],
      clustersWithLegacyStrings: [{ name: "billing", strings: legacyStrings }],
      clustersWithoutPeeringStrings: [],
      stacks: [],
      nextSteps: ["Upgrade the clusters below 7.0.0.", "Run this command again.", ...legacySteps],
    });
  });

  it("reports an unknown mode if the service has no GET for the setting", async () => {
    const noGet = { method: "GET", path: /privateIpMode$/, status: 405, withCredentials: true };
    service.faults.push(noGet);
    const { code, stdout } = await readiness();
    assert.equal(code, 0);
    assert.match(stdout, /is unknown;/);
  });

  describe("with --stack-export", () => {
    const cleanup = useCleanup("test");
    const urnOf = (name: string, type: string) => `urn:pulumi:production::infra::${type}::${name}`;
    const lookup = (clusterName: string, recommendedKind: string, rest: object = {}) => ({
      urn: urnOf(`${clusterName}-${recommendedKind}`, "clouddb:index:ClusterConnectionStrings"),
      outputs: { projectId, clusterName, recommendedKind, ...rest },
    });
    const receiving = (name: string, from: { readonly urn: string }, inputs: object = {}) => ({
      urn: urnOf(name, "kubernetes:core/v1:Secret"),
      inputs,
      propertyDependencies: { stringData: [from.urn] },
    });
    const stackWith = (outputs: object) => ({
      urn: urnOf("infra-production", "pulumi:pulumi:Stack"),
      outputs,
    });
    const secret = { "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270" };
    const readinessWith = (resources: readonly object[], ...more: string[]) => {
      const file = join(temporaryFolder(cleanup), "state.json");
      writeFileSync(file, JSON.stringify({ deployment: { resources } }));
      return readiness("--stack-export", file, ...more);
    };

    it("names lookups that return other strings, and what depends on them", async () => {
      const [orders, billing] = [
        lookup("orders", "standardSrv", { recommended: "db+srv://orders" }),
        lookup("billing", "standard"),
      ];
      const first = receiving("orders-db", orders);
      const { code, stdout } = await readinessWith([
        stackWith({ url: "db+srv://user:s3cret@orders/app", password: secret }),
        ...[orders, billing, first, receiving("api", first), receiving("billing-db", billing)],
        // These lookups do not depend on the mode.
        lookup("orders", "privateSrv"),
        lookup("billing", "privateEndpointSrv"),
        lookup("sessions", "standardSrv"),
        lookup("orders", "standardSrv", { projectId: missingProjectId }),
      ]);
      assert.equal(code, 0);
      const [, section] = /(Stack infra[^]*)Next steps/.exec(stdout) ?? [];
      assert.match(stdout, /\n {2}- In the listed lookups .*network: \{ kind: "peering" \}\.\n$/);
      assert.equal(
        section,
        `Stack infra/production:
  Lookups that return neither peering-private nor private endpoint strings, and what depends on them:
    orders-standardSrv: standardSrv of cluster orders
      Secret orders-db
      Secret api
      output url
    billing-standard: standard of cluster billing
      Secret billing-db
  Secret outputs, which are encrypted in the export and cannot be read:
    output password
`,
      );
    });

    it("names resources and outputs with a legacy string from another source", async () => {
      const withUser = legacySrv.replace("//", "//user:s3cret@");
      const switched = lookup("billing", "privateEndpointSrv", { legacySrv });
      const { stdout } = await readinessWith([
        stackWith({ url: withUser, host: "db+srv://other" }),
        switched,
        receiving("app", switched, { env: [{ value: withUser }] }),
      ]);
      assert.match(
        stdout,
        /Stack infra\/production:\n {2}Resources and outputs with a legacy string:\n {4}Secret app\n {4}output url\nNext/,
      );
      assert.doesNotMatch(stdout, /s3cret/);
    });

    it("lists a lookup with an encrypted cluster name, which could be any name", async () => {
      const { stdout } = await readinessWith([
        lookup("hidden", "standardSrv", { clusterName: secret }),
      ]);
      assert.match(stdout, /hidden-standardSrv: standardSrv of cluster \[secret\]/);
    });

    it("prints the same information as JSON, for each stack", async () => {
      const orders = lookup("orders", "standardSrv");
      const file = join(temporaryFolder(cleanup), "empty.json");
      writeFileSync(file, JSON.stringify({ deployment: { resources: [] } }));
      const resources = [orders, receiving("db", orders), stackWith({ url: secret })];
      const { stdout } = await readinessWith(resources, "--stack-export", file, "--json");
      const none = { lookups: [], resourcesWithLegacyStrings: [], outputsWithLegacyStrings: [] };
      const named = (urn: string, type: string, name: string) => ({ urn, type, name });
      const affected = {
        ...named(orders.urn, "clouddb:index:ClusterConnectionStrings", "orders-standardSrv"),
        clusterName: "orders",
        recommendedKind: "standardSrv",
        direct: [named(receiving("db", orders).urn, "kubernetes:core/v1:Secret", "db")],
        further: [],
        outputs: [],
      };
      const { stacks } = JSON.parse(stdout) as { stacks: unknown };
      assert.deepEqual(stacks, [
        { stack: "infra/production", ...none, lookups: [affected], secretOutputs: ["url"] },
        { ...none, secretOutputs: [] },
      ]);
    });

    it("says that a stack has none of these strings", async () => {
      const { stdout } = await readinessWith([stackWith({ url: "db+srv://other" })]);
      assert.match(stdout, /\nStack infra\/production:\n {2}No such string was found\.\nNext/);
    });

    it("exits 2 if there are too many dependents to list", async () => {
      const urns = Array.from({ length: 448 }, (_, at) => urnOf(`app-${at}`, "a:b:C"));
      const lookups = urns.map((urn) => ({
        ...lookup("orders", "standardSrv"),
        urn: urn.replace("a:b:C", "clouddb:index:ClusterConnectionStrings"),
      }));
      const dependencies = lookups.map(({ urn }) => urn);
      const resources = urns.map((urn, at) => ({
        urn,
        dependencies: at === 0 ? dependencies : [urns[0]],
      }));
      const { code, stderr } = await readinessWith([...lookups, ...resources]);
      assert.equal(code, 2);
      assert.match(
        stderr,
        /^Could not .*: the lookups in .* have more than 200000 dependents\. Leave this export out\. \[clouddb-readiness\]\n$/,
      );
    });

    it("exits 2 if a file is not a stack export", async () => {
      const file = join(temporaryFolder(cleanup), "preview.json");
      for (const [content, message] of [
        [
          '{"steps":[]}',
          /^Could not .*preview\.json is not the output of pulumi stack export, but a preview\. \[clouddb-readiness\]\n$/,
        ],
        ["", /preview\.json is empty/],
      ] as const) {
        writeFileSync(file, content);
        const { code, stdout, stderr } = await readiness("--stack-export", file);
        assert.deepEqual([code, stdout], [2, ""]);
        assert.match(stderr, message);
      }
    });
  });

  const project = `--project ${projectId}`;
  const failures: [args: string, expected: RegExp, settings?: Record<string, string>][] = [
    [
      "",
      /^pulumi-clouddb readiness: --project ID is missing; see pulumi-clouddb readiness --help\n$/,
    ],
    ["--project ..", /^Could not determine readiness: invalid --project: must be a project ID/],
    [
      "--projekt=p",
      /: unknown option --projekt; did you mean --project\? See pulumi-clouddb readiness --help\n$/,
    ],
    ["-p x", /: unknown option -p; expected one of --project, --stack, .*, --help; see/],
    ["--\u001b[2J \u009b", /: unknown option --\\u\{1b\}\[2J/],
    ["\u009b2J", /: unexpected argument; see/],
    ["wr0ng-token", /: unexpected argument; see/],
    [`${project} --stack=`, /: --stack NAME is missing; see/],
    [project, /CLOUDDB_BASE_URL is not set\. Run:\n +export /, { CLOUDDB_BASE_URL: "" }],
    [project, /401/, { CLOUDDB_PRIVATE_KEY: "wr0ng" }],
    [
      `--project ${missingProjectId}`,
      /^Could not determine readiness: .*404.*Check the project ID/,
    ],
  ];
  for (const [args, expected, settings] of failures) {
    it(`exits 2 with ${JSON.stringify(args)}, and says what to do: ${expected}`, async () => {
      const words = args.split(" ").filter(Boolean);
      const { code, stdout, stderr } = await run(words, { ...settingsFor(service), ...settings });
      assert.deepEqual([code, stdout], [2, ""]);
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

  /** Clears the screen, and hides and reorders text. */
  const hostile = "a\u001b[2J\u009b31m\u202eb\u2028c\nd\u{e0041}";
  const escaped = "a\\u{1b}[2J\\u{9b}31m\\u{202e}b\\u{2028}c\\nd\\u{e0041}";

  /** Makes the service respond with a malformed or malicious list of clusters. */
  const respondWithClusters = (clusters: readonly object[]) => {
    // The page after the last cluster is empty.
    for (const results of [clusters, []]) {
      const body = JSON.stringify({ results, totalCount: clusters.length, links: [] });
      service.faults.push({ path: /clusters$/, withCredentials: true, status: 200, body });
    }
  };
  const version = { dbVersion: "6.0.5", dbMajorVersion: "6.0" };

  it("prints names and versions on one line each, without terminal control characters", async () => {
    respondWithClusters([
      { name: hostile, ...version },
      { name: "orders", dbVersion: hostile, dbMajorVersion: "6.0" },
    ]);
    const { code, stdout } = await readiness();
    assert.equal(code, 1);
    assert.doesNotMatch(stdout.replaceAll("\n", ""), unsafe);
    assert.ok(stdout.includes(`\n  ${escaped}  6.0.5`), stdout);
    assert.ok(stdout.includes(`"${escaped}" (not a version)`), stdout);
  });

  it("escapes control characters in JSON", async () => {
    respondWithClusters([{ name: hostile, ...version }]);
    const { stdout } = await readiness("--json");
    assert.doesNotMatch(stdout.replaceAll("\n", ""), unsafe);
    assert.ok(stdout.includes(`"name": ${jsonText(hostile)}`), stdout);
  });

  it("prints the exit codes with --help", async () => {
    const { code, stdout } = await run(["--help"]);
    assert.equal(code, 0);
    assert.match(stdout, /0 ready, 1 not ready, 2 could not be determined/);
  });
});
