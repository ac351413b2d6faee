import assert from "node:assert/strict";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { mock } from "node:test";
import { commandSettings } from "../../../provider/src/commands/command";
import { doctor as command } from "../../../provider/src/commands/doctor";
import { findClusters } from "../../../provider/src/clusterConnectionStrings/findClusters";
import type { ListedCluster } from "../../../provider/src/clusterConnectionStrings/outputs";
import { setVariable, unsetVariable } from "../../../provider/src/messages/recommendations";
import { jsonText, unsafeCharacters } from "../../../provider/src/messages/text";
import { Client } from "../../../provider/src/service/client";
import { openSession } from "../../../provider/src/service/session";
import { readSettings } from "../../../provider/src/settings/readSettings";
import { environmentOnly } from "../../../provider/src/settings/settings";
import { processFolder, useCleanup } from "../../support/cleanup";
import { skipOnWindows } from "../../support/command";
import {
  type Handler,
  isFirstPage,
  sendJson,
  useForeignService,
  withDigest,
} from "../../support/foreignService";
import { freePort } from "../../support/freePort";
import { startProxy } from "../../support/proxy";
import {
  key,
  missingProjectId,
  projectId,
  quickstartSeed,
  settingsFor,
  useService,
} from "../../support/service";
import { runCommand } from "./runCommand";

interface Finding {
  readonly check: string;
  readonly finding: string;
}

interface Diagnosis {
  readonly settings: Record<string, string>[];
  readonly ok: Finding[];
  readonly notes: Finding[];
  readonly problems: Finding[];
  readonly recommendation?: string[];
  readonly mode?: string;
  readonly disable?: string;
  readonly clusters?: ListedCluster[];
}

/** The quickstart's organization with a service account, and a key without a role in the project. */
const seed = quickstartSeed();
const owner = [{ projectId, role: "owner" as const }];
const app = { clientId: "app", clientSecret: "app-secret", roles: owner };
const guest = { publicKey: "guest", privateKey: "guest-secret", roles: [] };
seed.organizations = (seed.organizations ?? []).map((organization) => ({
  ...organization,
  apiKeys: [...(organization.apiKeys ?? []), guest],
  serviceAccounts: [app],
}));

describe("pulumi-clouddb doctor", () => {
  const names = { apiPath: "/api/service/v1.0", fieldPrefix: "db", scheme: "db" };
  const service = useService(seed, { profile: "atlas", ...names });
  const mediaType = { CLOUDDB_MEDIA_TYPE: "application/vnd.clouddb.2024-08-05+json" };
  const doctor = async (settings: NodeJS.ProcessEnv = {}, ...args: string[]) => {
    const environment = { ...settingsFor(service), ...mediaType, ...settings };
    const { code, stdout, stderr } = await runCommand(command, ["--json", ...args], environment);
    assert.ok(
      !/demo-secret|guest-secret|app-secret|wr0ng/.test(stdout + stderr),
      "prints no secret",
    );
    assert.equal(stderr, "");
    const result = JSON.parse(stdout) as Diagnosis;
    const [problem] = result.problems;
    const { check, finding = "" } = problem ?? {};
    return { code, ...result, problem, check, finding };
  };

  const cleanup = useCleanup("test");
  const startForeign = useForeignService();
  /** Starts a service whose responses the handler writes, and returns its settings. */
  const foreign = async (handler: Handler) => settingsFor(await startForeign(handler));

  it("says nothing about the mode of a project that does not exist", async () => {
    const { check, ok, mode } = await doctor({}, "--project", missingProjectId);
    assert.equal(mode, undefined);
    assert.deepEqual(
      [check, ok.map((row) => row.check)],
      ["clusters", ["settings", "address", "access"]],
    );
  });

  it("finds no problem with correct settings, and shows those that are set", async () => {
    const { code, ok, settings, problem, recommendation } = await doctor(
      {},
      "--project",
      projectId,
    );
    assert.deepEqual([code, problem, recommendation], [0, undefined, undefined]);
    assert.deepEqual(Object.fromEntries(ok.map(({ check, finding }) => [check, finding])), {
      settings: "valid",
      address: `${service.url} responds`,
      access: "the credentials are accepted at /api/service/v1.0",
      clusters: "4 at clusters",
      list: "complete",
      paths: "no other path lists more clusters",
      versions: "dbVersion is present",
      mode: "private IP mode is on",
    });
    assert.deepEqual(
      settings.map(({ key: name, value, source }) => [name, value, source]),
      [
        ["baseUrl", service.url, "environment"],
        ["publicKey", "demo", "environment"],
        ["privateKey", "set", "environment"],
        ["mediaType", "application/vnd.clouddb.2024-08-05+json", "environment"],
        ["caFile", settings.at(-1)?.["value"], "environment"],
      ],
    );
    assert.ok(
      service.requests.every(({ method }) => method === "GET"),
      "changes nothing",
    );
  });

  it("does not check a project without --project, and suggests one", async () => {
    const { code, ok, ...others } = await doctor();
    assert.equal(code, 0);
    assert.deepEqual(
      [others.mode, others.disable, others.clusters],
      [undefined, undefined, undefined],
    );
    assert.match(ok.at(-1)?.finding ?? "", new RegExp(`pass --project ID, such as ${projectId}$`));
  });

  type Wrong = [change: string, environment: Record<string, string>, check: string, is: RegExp];
  const wrong: Wrong[] = [
    [
      "CLOUDDB_BASE_URL",
      { CLOUDDB_BASE_URL: "" },
      "settings",
      /is empty\. Run:\s+(?:export |\$env:)/,
    ],
    ["CLOUDDB_MEDIA_TYPE", { CLOUDDB_MEDIA_TYPE: "application/xml" }, "access", /406/],
    [
      "roles",
      { CLOUDDB_PUBLIC_KEY: "guest", CLOUDDB_PRIVATE_KEY: "guest-secret" },
      "clusters",
      /has no role in project/,
    ],
    [
      "CLOUDDB_FIELD_PREFIX",
      { CLOUDDB_FIELD_PREFIX: "database" },
      "versions",
      /no cluster has a field databaseVersion/,
    ],
  ];
  for (const [change, environment, check, is] of wrong) {
    it(`names ${change} if it is the only problem`, async () => {
      const result = await doctor(environment, "--project", projectId);
      assert.deepEqual([result.code, result.check], [1, check]);
      assert.match(result.finding, is);
      assert.ok(result.finding.includes(change), result.finding);
    });
  }

  it("says that Atlas needs the profile atlas, without a request", async () => {
    const { problems, check, finding } = await doctor({
      CLOUDDB_BASE_URL: "https://cloud.mongodb.com",
    });
    assert.deepEqual([problems.length, check], [1, "settings"]);
    assert.ok(
      finding.includes(`Run this:\n      ${setVariable("CLOUDDB_PROFILE", "atlas")}`),
      finding,
    );
  });

  it("asks no other host than the service with each profile that it tries", async () => {
    const environment = await foreign((_request, response) => {
      sendJson(response, 404, { errorCode: "RESOURCE_NOT_FOUND" });
    });
    const proxy = await startProxy();
    cleanup(() => {
      proxy.stop();
    });
    const tried = { ...environment, HTTPS_PROXY: proxy.url, NO_PROXY: "", no_proxy: "" };
    for (const CLOUDDB_PROFILE of ["", "default", "atlas"]) {
      const { problem, recommendation } = await doctor({ ...tried, CLOUDDB_PROFILE });
      assert.match(problem?.finding ?? "", /404/);
      assert.equal(recommendation, undefined);
    }
    const { host } = new URL(environment["CLOUDDB_BASE_URL"] ?? "");
    assert.deepEqual([...new Set(proxy.tunnels)], [host]);
  });

  it("asks Atlas with its profile and no address, and no other host", async () => {
    const proxy = await startProxy(new URL(service.url).host);
    cleanup(() => {
      proxy.stop();
    });
    const { check, finding } = await doctor({
      CLOUDDB_BASE_URL: undefined,
      CLOUDDB_PROFILE: "atlas",
      HTTPS_PROXY: proxy.url,
    });
    assert.equal(check, "address");
    assert.match(finding, /certificate.*cloud\.mongodb\.com/);
    assert.deepEqual([...new Set(proxy.tunnels)], ["cloud.mongodb.com:443"]);
  });

  it("checks a service account", async () => {
    const account = {
      CLOUDDB_PUBLIC_KEY: "",
      CLOUDDB_PRIVATE_KEY: "",
      CLOUDDB_CLIENT_ID: "app",
      CLOUDDB_CLIENT_SECRET: "app-secret",
    };
    assert.equal((await doctor(account, "--project", projectId)).problem, undefined);
    const { check, finding } = await doctor({ ...account, CLOUDDB_TOKEN_PATH: "/api/token" });
    assert.equal(check, "access");
    assert.match(finding, /Check CLOUDDB_TOKEN_PATH/);
    const missing = await doctor(account, "--project", missingProjectId);
    assert.equal(missing.check, "clusters");
    assert.match(missing.finding, /404.*Check the project ID/);
    const elsewhere = await doctor({ ...account, CLOUDDB_API_PATH: "/api" }, "--project", "p");
    assert.match(elsewhere.finding, /Check the project ID, CLOUDDB_PROFILE,(?!.*doctor)/);
    assert.equal(service.activeTokens(), 0, "tokens are revoked after a problem, too");
  });

  it("names the address if nothing listens there, and stops", async () => {
    const { code, ok, check, finding } = await doctor({
      CLOUDDB_BASE_URL: `https://127.0.0.1:${await freePort()}`,
    });
    assert.deepEqual([code, check], [1, "address"]);
    assert.match(finding, /ECONNREFUSED.*Check CLOUDDB_BASE_URL .*connection\]$/);
    assert.deepEqual(
      ok.map((each) => each.check),
      ["settings"],
    );
  });

  /** Starts a service of the profile atlas, and returns its settings. */
  const foreignV2 = () =>
    foreign(
      withDigest(({ path, headers }, response) => {
        if (!path.startsWith("/api/atlas/v2"))
          sendJson(response, 404, { errorCode: "RESOURCE_NOT_FOUND" });
        else if (!/^application\/vnd\.atlas\./.test(headers.accept ?? ""))
          sendJson(response, 406, {});
        else if (path.endsWith("/privateIpMode")) sendJson(response, 200, { enabled: true });
        else {
          const name = path.includes("flexClusters") ? "flexible" : "dedicated";
          const cluster = { name, mongoDBVersion: "7.0.1", mongoDBMajorVersion: "7.0" };
          const results = isFirstPage(path) ? [cluster] : [];
          sendJson(response, 200, { results, totalCount: 1 });
        }
      }),
    );

  it("recommends the profile of the service, and which settings to unset", async () => {
    const environment = await foreignV2();
    const args = ["--project", "p1"];
    const first = await doctor(environment, ...args);
    assert.equal(first.check, "access");
    const recommended = [
      setVariable("CLOUDDB_PROFILE", "atlas"),
      unsetVariable("CLOUDDB_MEDIA_TYPE"),
    ];
    assert.deepEqual(first.recommendation, recommended);
    const { stdout } = await runCommand(command, args, { ...environment, ...mediaType });
    assert.match(
      stdout,
      /found\. The settings of other services: https:.*\/service-differences\.md\n$/,
    );
    assert.match(stdout, /\nRecommended settings:\n +(?:export |\$env:)CLOUDDB_PROFILE="?atlas/);
    const profiled = { ...environment, CLOUDDB_PROFILE: "atlas", CLOUDDB_MEDIA_TYPE: "" };
    const second = await doctor(profiled, ...args);
    assert.deepEqual([second.code, second.problem], [0, undefined]);
    const missed = await doctor({ ...profiled, CLOUDDB_CLUSTER_PATHS: "clusters" }, ...args);
    assert.equal(missed.check, "paths");
    assert.match(missed.finding, /Add flexClusters to CLOUDDB_CLUSTER_PATHS\./);
    assert.deepEqual(missed.recommendation, [unsetVariable("CLOUDDB_CLUSTER_PATHS")]);
  });

  it("sends the client secret to no other path than the one that is set, while it tries profiles", async () => {
    const requested: string[] = [];
    const environment = await foreign(({ path, headers }, response) => {
      if (headers.authorization?.startsWith("Basic ") === true) requested.push(path);
      const isToken = path === "/own/token";
      sendJson(
        response,
        isToken ? 200 : 404,
        isToken ? { access_token: "t0k", expires_in: 60 } : {},
      );
    });
    const account = { CLOUDDB_CLIENT_ID: "app", CLOUDDB_CLIENT_SECRET: "app-secret" };
    const none = { CLOUDDB_PUBLIC_KEY: "", CLOUDDB_PRIVATE_KEY: "" };
    const settings = { ...environment, ...none, ...account, CLOUDDB_TOKEN_PATH: "/own/token" };
    const { check, recommendation } = await doctor(settings, "--project", "p1");
    assert.deepEqual([check, recommendation], ["access", undefined]);
    assert.deepEqual(new Set(requested), new Set(["/own/token", "/own/revoke"]));
  });

  it("shows a programming error, even if the root of the API responds", async () => {
    const bug = () => Promise.reject(new TypeError("x is not a function"));
    const listing = mock.method(Client.prototype, "listProjects", bug);
    const { code, stderr } = await runCommand(command, [], {
      ...settingsFor(service),
      ...mediaType,
    });
    listing.mock.restore();
    assert.equal(code, 1);
    assert.match(stderr, /^TypeError: x is not a function\n +at /);
  });

  it("does not call a path of clusters missing that cannot be read", async () => {
    const environment = await foreign(
      withDigest(({ path }, response) => {
        if (path.includes("flexClusters")) sendJson(response, 403, { errorCode: "NOT_YET" });
        else if (path.endsWith("/privateIpMode")) sendJson(response, 200, { enabled: true });
        else {
          const results = isFirstPage(path) ? [{ name: "a", dbVersion: "7.0.1" }] : [];
          sendJson(response, 200, { results, totalCount: 1 });
        }
      }),
    );
    const { problem } = await doctor(environment, "--project", "p1");
    assert.equal(problem?.check, "paths");
    assert.match(problem.finding, /403 NOT_YET.*flexClusters/);
  });

  it("names the settings of lists if the list has no count, and goes on", async () => {
    const environment = await foreign(
      withDigest(({ path }, response) => {
        const results = isFirstPage(path) ? [{ name: "a", version: "7.0.1" }] : [];
        sendJson(response, 200, path.endsWith("/privateIpMode") ? { enabled: true } : { results });
      }),
    );
    const { ok, problems, recommendation, ...project } = await doctor(
      environment,
      "--project",
      "p1",
    );
    const { disable, notes } = project;
    assert.deepEqual(
      problems.map(({ check }) => check),
      ["list", "versions"],
    );
    assert.equal(ok.at(-1)?.finding, "private IP mode is on");
    assert.equal(disable, "refused");
    assert.match(notes[0]?.finding ?? "", /p1 cannot be disabled: its list of clusters may be/);
    assert.equal(recommendation, undefined);
    assert.equal(
      problems[0]?.finding.replace(/https:.*\.md/, "<page>"),
      "1 item was read, but the service reports no totalCount, so others may exist. Lookups of listed clusters work, but getClusters fails. Without a count, the list cannot be shown to be complete. To find its name, compare CLOUDDB_PAGE_PARAMETER, CLOUDDB_PAGE_SIZE_PARAMETER, CLOUDDB_COUNT_PARAMETER and CLOUDDB_COUNT_FIELD with the service's documentation: <page> [clouddb-incomplete-list]",
    );
  });

  describe("with --project", () => {
    const ofProject = (...args: string[]) => doctor({}, "--project", projectId, ...args);
    const printed = async () => {
      const environment = { ...settingsFor(service), ...mediaType };
      return await runCommand(command, ["--project", projectId], environment);
    };

    it("says that the mode can be disabled, and which strings matter then, as in the guide", async () => {
      const { code, mode, disable } = await ofProject();
      assert.deepEqual([code, mode, disable], [0, "on", "allowed"]);
      const { stdout } = await printed();
      const notes = /(?:\n {2}note .*)+\n/.exec(stdout)?.[0] ?? "no note";
      const guide = join(__dirname, "../../../docs/guides/disabling-private-ip-mode.md");
      assert.ok(readFileSync(guide, "utf8").includes(`\n\`\`\`${notes}\`\`\`\n`), notes);
    });

    it("names every cluster that prevents disabling, without failing", async () => {
      service.project().updateCluster("orders", { version: "6.0.5" });
      service.project().updateCluster("billing", { reported: { version: null } });
      const { code, disable, notes } = await ofProject();
      const checks = notes.map(({ check }) => check);
      assert.deepEqual([code, disable, checks], [0, "refused", ["disable", "strings"]]);
      const { stdout } = await printed();
      assert.match(
        stdout,
        /\n {2}note +disable +private IP mode .*:\n {20,}billing {2}\(no version given\)\n {20,}orders {3}6\.0\.5\n/,
      );
      assert.match(stdout, /If no version is given, check the setting CLOUDDB_FIELD_PREFIX/);
    });

    it("says nothing about disabling a mode that is off", async () => {
      service.project().setPrivateIpMode(false);
      service.project().updateCluster("orders", { version: "6.0.5" });
      const { code, mode, notes, ...others } = await ofProject();
      assert.deepEqual([code, mode, notes, "disable" in others], [0, "off", [], false]);
    });

    for (const [what, status, code] of [
      ["the service has no GET for the setting", 405, 0],
      ["the setting cannot be read", 403, 1],
    ] as const) {
      it(`says whether the mode could be disabled if ${what}`, async () => {
        const path = /privateIpMode$/;
        service.faults.push({ method: "GET", path, status, withCredentials: true });
        const { mode, disable, ...others } = await ofProject();
        assert.deepEqual([others.code, mode, disable], [code, "unknown", "allowed"]);
      });
    }

    it("prints the clusters as getClusters returns them, except for what depends on the network", async () => {
      const { clusters = [] } = await ofProject();
      const settings = readSettings(environmentOnly, { ...settingsFor(service), ...mediaType });
      const session = openSession(settings, () => Promise.resolve());
      const expected = await findClusters(session, { projectId }, "recent");
      assert.deepEqual(
        clusters,
        expected.clusters.map(({ recommended, recommendedKind, ...cluster }) => cluster),
      );
    });

    it("lists the kinds of strings and the private endpoints of each cluster", async () => {
      const { stdout } = await printed();
      assert.match(
        stdout,
        /\n {2}billing {4}7\.0\.12 {2}standard, standardSrv, legacy, legacySrv\n/,
      );
      assert.match(
        stdout,
        /\n {2}analytics {2}8\.0\.4 {3}standard, standardSrv\n {21}private endpoint vpce-0a1b2c3d \(US_EAST_1\): hosts, srv, optimizedSrv\n/,
      );
    });

    it("escapes names for the terminal and in JSON", async () => {
      // Clears the screen, and hides and reorders text.
      const name = "a\u001b[2J\u009b31m\u202eb\u2028c\nd\u{e0041}";
      const clusters = [{ name, dbVersion: "6.0.5" }];
      const startPages = () => {
        // The page after the last cluster is empty. Then the list is read without parameters.
        for (const results of [clusters, [], clusters]) {
          const body = { results, totalCount: 1 };
          service.faults.push({ path: /clusters$/, withCredentials: true, status: 200, body });
        }
      };
      startPages();
      const { stdout } = await printed();
      const escaped = "a\\u{1b}[2J\\u{9b}31m\\u{202e}b\\u{2028}c\\nd\\u{e0041}  6.0.5";
      assert.equal(stdout.split(escaped).length, 3, "among the clusters and in the refusal");
      assert.doesNotMatch(stdout.replaceAll("\n", ""), unsafeCharacters);
      startPages();
      const environment = { ...settingsFor(service), ...mediaType };
      const json = await runCommand(command, ["--json", "--project", projectId], environment);
      assert.ok(json.stdout.includes(`"name": ${jsonText(name)}`), json.stdout);
    });
  });

  describe("with --stack", () => {
    skipOnWindows();
    const folder = join(processFolder, "doctor");
    /** Replaces Pulumi by a shell script. */
    const pulumi = (script: string) => {
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, "pulumi"), `#!/bin/sh\n${script}\n`);
      chmodSync(join(folder, "pulumi"), 0o755);
      return { PATH: `${folder}:/usr/bin:/bin` };
    };
    const configured = (change: Record<string, string>) => {
      const { CLOUDDB_BASE_URL: baseUrl = "", CLOUDDB_CA_FILE: caFile = "" } = settingsFor(service);
      const values = { baseUrl, caFile, ...key, ...change };
      const entries = Object.entries(values).map(([name, value]) => [`clouddb:${name}`, { value }]);
      const config = JSON.stringify({
        ...Object.fromEntries(entries),
        "demo:o": { objectValue: {} },
      });
      return pulumi(`[ "$1 $2 $6" = "config --json dev" ] && echo '${config}'`);
    };

    it("reads the configuration of the stack before the environment", async () => {
      const mediaType = "application/vnd.clouddb.2024-08-05+json";
      const environment = { ...configured({ mediaType }), CLOUDDB_PUBLIC_KEY: "wr0ng" };
      const args = ["--json", "--stack", "dev", "--project", projectId];
      const { code, stdout } = await runCommand(command, args, environment);
      const { problems, settings } = JSON.parse(stdout) as Diagnosis;
      assert.deepEqual([code, problems], [0, []]);
      const { value, source } = settings.find((each) => each["key"] === "privateKey") ?? {};
      assert.deepEqual([value, source], ["set", "stack"]);
      assert.ok(!stdout.includes(key.privateKey));
    });

    it("refuses a secret of the configuration as --project", async () => {
      const environment = configured({});
      const args = ["--stack", "dev", "--project", key.privateKey];
      const { code, stdout, stderr } = await runCommand(command, args, environment);
      assert.deepEqual([code, stdout], [2, ""]);
      assert.match(
        stderr,
        /: --project contains the value of clouddb:privateKey, which is a secret/,
      );
      assert.deepEqual(service.requests, []);
    });

    it("names the settings as the configuration does", async () => {
      const environment = {
        ...configured({ caFile: "", mediaType: "application/xml" }),
        CLOUDDB_PRIVATE_KEY: "wr0ng",
      };
      const { code, stdout } = await runCommand(command, ["--stack", "dev"], environment);
      assert.equal(code, 1);
      assert.match(
        stdout,
        /^Settings of the stack dev and of the environment, but not of a clouddb\.Provider in the program:\n/,
      );
      assert.match(
        stdout,
        /\n {2}clouddb:privateKey +set +stack; CLOUDDB_PRIVATE_KEY is ignored\n/,
      );
      assert.match(stdout, /is not trusted .* set clouddb:caFile to/);
      const wrong = configured({ apiPath: "/other", caFil: "x" });
      const failed = await runCommand(command, ["--stack", "dev"], wrong);
      assert.match(failed.stdout, /404 [^]* clouddb:baseUrl and clouddb:apiPath\./);
      assert.match(failed.stdout, /clouddb:caFil is not a setting; .* clouddb:caFile\?/);
    });

    it("recommends commands for this stack and the environment", async () => {
      const { CLOUDDB_BASE_URL: baseUrl = "", CLOUDDB_CA_FILE: caFile = "" } = await foreignV2();
      const mediaType = "application/json";
      const environment = {
        ...configured({ baseUrl, caFile, mediaType }),
        CLOUDDB_MEDIA_TYPE: mediaType,
      };
      const args = ["--json", "--stack", "dev", "--project", "p1"];
      const { stdout } = await runCommand(command, args, environment);
      assert.deepEqual((JSON.parse(stdout) as Diagnosis).recommendation, [
        "pulumi config set --stack dev clouddb:profile atlas",
        "pulumi config rm --stack dev clouddb:mediaType",
        unsetVariable("CLOUDDB_MEDIA_TYPE"),
      ]);
    });

    for (const [title, script, reason] of [
      [
        "there is no such stack",
        "echo 'error: no stack named dev found' >&2; exit 255",
        " cannot be read: error: no stack named dev found. If the stack's project is in another folder, run the command there.",
      ],
      [
        "the passphrase is wrong",
        "echo 'error: getting stack configuration: incorrect passphrase' >&2; exit 255",
        " cannot be read: error: getting stack configuration: incorrect passphrase.",
      ],
      [
        "no passphrase is set",
        "echo 'error: passphrase must be set with PULUMI_CONFIG_PASSPHRASE or PULUMI_CONFIG_PASSPHRASE_FILE' >&2; exit 255",
        " cannot be read: error: passphrase must be set with PULUMI_CONFIG_PASSPHRASE or PULUMI_CONFIG_PASSPHRASE_FILE.",
      ],
      [
        "a key service denies the key of the secrets",
        "echo 'error: AccessDenied: no permission for kms:Decrypt' >&2; exit 255",
        " cannot be read: error: AccessDenied: no permission for kms:Decrypt.",
      ],
      [
        "there is no Pulumi CLI",
        undefined,
        " cannot be read: the Pulumi CLI could not be started (ENOENT). Install it: https://www.pulumi.com/docs/install/",
      ],
      ["the output is not JSON, which it does not quote", "echo 'demo-secret'", " is not JSON."],
    ] as const) {
      it(`exits 1 if ${title}`, async () => {
        const environment = script === undefined ? { PATH: "/nowhere" } : pulumi(script);
        const { code, stderr } = await runCommand(command, ["--stack", "dev"], environment);
        assert.equal(code, 1);
        const expected = `Could not check the settings: the configuration of stack dev${reason} [clouddb-doctor]\n`;
        assert.equal(stderr, expected);
      });
    }

    it("ends a Pulumi CLI that does not end, and says what it may wait for", async () => {
      const { PATH } = process.env;
      process.env["PATH"] = pulumi("trap '' TERM; exec sleep 600").PATH;
      try {
        await assert.rejects(
          commandSettings("dev", 500),
          /^ProviderError: the configuration of stack dev cannot be read: pulumi config did not end within 0\.5 s\. Check /,
        );
      } finally {
        process.env["PATH"] = PATH;
      }
    });
  });

  it("prints a report, and tries no other profile if the credentials are wrong", async () => {
    const environment = { ...settingsFor(service), ...mediaType, CLOUDDB_PRIVATE_KEY: "wr0ng" };
    const { code, stdout } = await runCommand(command, [], environment);
    assert.equal(code, 1);
    assert.match(
      stdout,
      /^Settings of the environment .*:\n {2}CLOUDDB_BASE_URL +https:.* +environment\n/,
    );
    assert.match(stdout, /\n {2}CLOUDDB_PRIVATE_KEY +set +environment\n/);
    assert.match(stdout, /\nChecks:\n {2}ok +settings +valid\n/);
    assert.match(
      stdout,
      /\n {2}problem +access +the service responded with 401 .*\n1 problem found\. What the codes mean: https:.*\/errors\.md#codes\n$/,
    );
    assert.ok(!stdout.includes("wr0ng") && !stdout.includes(key.privateKey));
    const logins = service.requests.filter(({ path }) => path.endsWith("/groups"));
    assert.equal(logins.length, 2, "the challenge of HTTP digest and its answer");
  });

  it("reports a misspelled variable as a problem, and still recommends a profile", async () => {
    const environment = { ...(await foreignV2()), CLOUDDB_MEDIA_TYPE: "", CLOUDDB_APIPATH: "/api" };
    const { problems, finding, recommendation } = await doctor(environment, "--project", "p1");
    assert.deepEqual(
      problems.map(({ check }) => check),
      ["names", "access"],
    );
    assert.match(finding, /did you mean CLOUDDB_API_PATH\?/);
    assert.deepEqual(recommendation, [setVariable("CLOUDDB_PROFILE", "atlas")]);
  });
});
