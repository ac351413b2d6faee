import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import type { Simulator } from "clouddb-simulator";
import { key, projectId, settingsFor, startService } from "../service";

/** Control characters, and characters that hide or reorder text. */
const unsafe = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;

const cli = join(__dirname, "..", "..", "provider", "dist", "cli.js");

describe("pulumi-clouddb readiness", () => {
  let service: Simulator;

  before(async () => {
    service = await startService();
  });
  after(() => service.stop());
  beforeEach(() => {
    service.reset();
  });

  const run = async (args: string[], settings: Record<string, string> = settingsFor(service)) => {
    const { PATH } = process.env;
    const env = { PATH, ...settings };
    const child = spawn(process.execPath, [cli, ...args], {
      env,
      stdio: ["ignore", "pipe", "pipe"],
    });
    const [stdout, stderr] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, "exit"),
    ]);
    return { code: child.exitCode, stdout, stderr };
  };
  const ask = (...more: string[]) => run(["readiness", "--project", projectId, ...more]);
  const project = () => service.project(projectId);

  it("exits 0 if a disable would be allowed, and names peered clusters", async () => {
    const { code, stdout, stderr } = await ask();
    assert.equal(code, 0);
    assert.match(stdout, /is enabled\. Its clusters: 4\.\nReady: every cluster runs/);
    assert.match(stdout, /peering-private strings:\n {2}orders\n$/);
    assert.equal(stderr, "");
  });

  it("exits 1 if a disable would be refused, and names every offending cluster", async () => {
    project().updateCluster("orders", { version: "6.0.5" });
    project().updateCluster("billing", { reported: { version: null } });
    const { code, stdout } = await ask();
    assert.equal(code, 1);
    assert.match(stdout, /\nNot ready: /);
    assert.match(stdout, /below 7\.0\.0:\n {2}orders {2}6\.0\.5\n/);
    assert.match(stdout, /without a usable version:\n {2}billing {2}\(no version given\)\n/);
    assert.ok(!stdout.includes("\u001b"), "no colours but on a terminal");
  });

  it("exits 0 if the mode is already off, regardless of the versions", async () => {
    project().setPrivateIpMode(false);
    project().updateCluster("orders", { version: "6.0.5" });
    const { code, stdout } = await ask();
    assert.equal(code, 0);
    assert.match(stdout, /is disabled\..*\nReady: there is nothing to disable\./);
  });

  it("prints the same information as JSON", async () => {
    project().updateCluster("orders", { version: "6.0.5" });
    const { code, stdout } = await ask("--json");
    assert.equal(code, 1);
    assert.deepEqual(JSON.parse(stdout), {
      projectId,
      mode: "enabled",
      ready: false,
      clusterCount: 4,
      offenders: [{ name: "orders", version: "6.0.5" }],
      clustersWithoutVersion: [],
      clustersWithPeeringStrings: ["orders"],
    });
  });

  it("reports an unknown mode if the service does not expose it", async () => {
    const noGet = { method: "GET", path: /privateIpMode$/, status: 405, withCredentials: true };
    service.faults.push(noGet);
    const { code, stdout } = await ask();
    assert.equal(code, 0);
    assert.match(stdout, /is unknown\./);
  });

  const failures: {
    what: string;
    args?: string[];
    settings?: Record<string, string>;
    says: RegExp;
  }[] = [
    { what: "no project", args: ["readiness"], says: /--project ID is missing[^]*Usage:/ },
    {
      what: "an unknown option",
      args: ["readiness", "--projekt=p"],
      says: /Unknown option --projekt; did you mean --project\?[^]*Usage:/,
    },
    {
      what: "an option that is like no other",
      args: ["readiness", "-p", "x"],
      says: /Unknown option -p; expected one of --project, --json, --help\n[^]*Usage:/,
    },
    {
      what: "an unknown command",
      args: ["readyness"],
      says: /Unknown command readyness; did you mean readiness\?[^]*Usage:/,
    },
    {
      what: "a command line that would steer the terminal",
      args: ["readiness", "--\u001b[2J", "\u009b"],
      says: /Unknown option --\\u\{1b\}\[2J/,
    },
    {
      what: "an argument that would steer the terminal",
      args: ["readiness", "\u009b2J"],
      says: /\\u\{9b\}2J/,
    },
    { what: "no command", args: [], says: /Usage:/ },
    { what: "no settings", settings: { CLOUDDB_BASE_URL: "" }, says: /CLOUDDB_BASE_URL/ },
    {
      what: "a misspelled setting",
      settings: { CLOUDDB_BASE_URL: "", CLOUDDB_BASEURL: "https://a.b" },
      says: /CLOUDDB_BASEURL is not a setting; did you mean CLOUDDB_BASE_URL\?/,
    },
    { what: "a wrong key", settings: { CLOUDDB_PRIVATE_KEY: "wr0ng" }, says: /401/ },
    {
      what: "an unknown project",
      args: ["readiness", "--project", "64a0c0ffee00000000009999"],
      says: /404.*Check the project ID/,
    },
  ];
  for (const { what, args = ["readiness", "--project", projectId], settings, says } of failures) {
    it(`exits 2 with ${what}, and says what to do`, async () => {
      const { code, stdout, stderr } = await run(args, { ...settingsFor(service), ...settings });
      assert.equal(code, 2);
      assert.equal(stdout, "");
      assert.match(stderr, says);
      assert.doesNotMatch(stderr, /\n\s+at |wr0ng/);
      assert.doesNotMatch(stderr.replaceAll("\n", ""), unsafe);
      assert.ok(!stderr.includes(key.privateKey));
    });
  }

  it("recommends only environment variables, because it reads nothing else", async () => {
    const { stderr } = await run(["readiness", "--project", projectId], {});
    assert.match(stderr, /\n {2}CLOUDDB_BASE_URL is not set: export CLOUDDB_BASE_URL=https:/);
    assert.match(stderr, /\n {2}CLOUDDB_PRIVATE_KEY is not set: export CLOUDDB_PRIVATE_KEY=/);
    assert.doesNotMatch(stderr, /pulumi config|clouddb:/);
  });

  it("warns of a misspelled variable, and still reports readiness", async () => {
    const settings = { ...settingsFor(service), CLOUDDB_CAFILE: "/x" };
    const { code, stderr } = await run(["readiness", "--project", projectId], settings);
    assert.equal(code, 0);
    assert.match(stderr, /^warning: CLOUDDB_CAFILE is not .*; did you mean CLOUDDB_CA_FILE\?\n$/);
  });

  /** As the service might give it: it clears the screen, hides text and reorders it. */
  const hostile = "a\u001b[2J\u009b31m\u202eb\u2028c\nd\u{e0041}";

  /** The list of clusters as a broken or hostile service would answer. */
  const answerClusters = (clusters: readonly object[]) => {
    const body = JSON.stringify({ results: clusters, totalCount: clusters.length, links: [] });
    service.faults.push({ path: /clusters$/, withCredentials: true, status: 200, body });
  };
  const version = { dbVersion: "6.0.5", dbMajorVersion: "6.0" };

  it("prints names and versions on one line each, without terminal control characters", async () => {
    const connectionStrings = { private: "db://a" };
    answerClusters([
      { name: hostile, ...version, connectionStrings },
      { name: "orders", dbVersion: hostile, dbMajorVersion: "6.0" },
    ]);
    const { code, stdout } = await ask();
    assert.equal(code, 1);
    assert.doesNotMatch(stdout.replaceAll("\n", ""), unsafe);
    const shown = "a\\u{1b}[2J\\u{9b}31m\\u{202e}b\\u{2028}c\\nd\\u{e0041}";
    assert.ok(stdout.includes(`\n  ${shown}  6.0.5\n`));
    assert.ok(stdout.includes(`\n  ${shown}\n`), "as a peered cluster");
    assert.match(stdout, /\n {2}orders .*31m\\u\{202e\}b.*not a version/, "as a version");
  });

  it("prints JSON that is safe for a terminal and keeps every character", async () => {
    answerClusters([{ name: hostile, ...version }]);
    const { stdout } = await ask("--json");
    assert.doesNotMatch(stdout.replaceAll("\n", ""), unsafe);
    const { offenders } = JSON.parse(stdout) as { offenders: unknown };
    assert.deepEqual(offenders, [{ name: hostile, version: "6.0.5" }]);
  });

  it("exits 2 on a bug, which must not look like a result", async () => {
    const breaking =
      'data:text/javascript,import crypto from "node:crypto";crypto.createHash=null;';
    const NODE_OPTIONS = `--import ${JSON.stringify(breaking)}`;
    const { code, stdout, stderr } = await run(["readiness", "--project", projectId], {
      ...settingsFor(service),
      NODE_OPTIONS,
    });
    assert.equal(code, 2);
    assert.equal(stdout, "");
    assert.match(stderr, /createHash/);
  });

  it("prints its version", async () => {
    const { code, stdout } = await run(["--version"]);
    assert.equal(code, 0);
    assert.match(stdout, /^\d+\.\d+\.\d+\n$/);
  });

  it("prints a help text that names the exit codes", async () => {
    const { code, stdout } = await run(["readiness", "--help"]);
    assert.equal(code, 0);
    assert.match(stdout, /0 ready, 1 not ready, 2 could not be determined/);
  });
});
