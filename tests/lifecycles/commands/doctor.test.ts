import assert from "node:assert/strict";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { doctor as command } from "../../../provider/src/commands/doctor";
import { readiness } from "../../../provider/src/commands/readiness";
import { strings } from "../../../provider/src/commands/strings";
import { loopbackCertificate } from "../../support/certificate";
import { processFolder, useCleanup } from "../../support/cleanup";
import {
  type Handler,
  foreignService,
  respondWith,
  sendJson,
  withDigest,
} from "../../support/foreignService";
import { freePort } from "../../support/freePort";
import {
  key,
  missingProjectId,
  projectId,
  quickstartSeed,
  settingsFor,
  useService,
} from "../../support/service";
import { runCommand } from "./runCommand";

interface Check {
  readonly check: string;
  readonly result: string;
  readonly finding: string;
  readonly change?: string;
}

interface Diagnosis {
  readonly settings: Record<string, string>[];
  readonly checks: Check[];
  readonly recommendation?: string[];
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
  const cleanup = useCleanup("test");
  const service = useService(seed, { versions: { dates: ["2024-08-05"] } });
  const mediaType = { CLOUDDB_MEDIA_TYPE: "application/vnd.clouddb.2024-08-05+json" };
  const doctor = async (change: Record<string, string> = {}, ...args: string[]) => {
    const environment = { ...settingsFor(service), ...mediaType, ...change };
    const { code, stdout, stderr } = await runCommand(command, ["--json", ...args], environment);
    assert.ok(
      !/demo-secret|guest-secret|app-secret|wr0ng/.test(stdout + stderr),
      "prints no secret",
    );
    assert.equal(stderr, "");
    const result = JSON.parse(stdout) as Diagnosis;
    const problems = result.checks.filter((each) => each.result === "problem");
    const changes = problems.map(({ check, change }) => [check, change]);
    const names = problems.map(({ check }) => check);
    return { code, ...result, problems, changes, names };
  };

  /** Starts a service whose responses the handler writes, and returns its settings. */
  const foreign = async (handler: Handler) => {
    const started = await foreignService(handler);
    cleanup(() => {
      started.stop();
    });
    return settingsFor(started);
  };

  it("finds no problem with correct settings, and reports its findings", async () => {
    const { code, checks, settings, problems, recommendation } = await doctor(
      {},
      "--project",
      projectId,
    );
    assert.deepEqual(problems, []);
    assert.equal(code, 0);
    assert.equal(recommendation, undefined);
    assert.deepEqual(
      Object.fromEntries(
        checks.map(({ check, result, finding }) => [check, result === "ok" ? finding : result]),
      ),
      {
        settings: "valid",
        address: `${service.url} responds`,
        proxy: "none is used",
        certificate: "trusted",
        clock: checks.find(({ check }) => check === "clock")?.finding,
        credentials: "the API key is accepted",
        apiPath: "the API responds at /api/service/v1.0",
        mediaType: "application/vnd.clouddb.2024-08-05+json is accepted",
        project: "found",
        role: "may read; only a change shows whether it may change the mode",
        mode: "readable: enabled",
        clusterPaths: "clusters (4)",
        paging: "totalCount",
        fieldPrefix: "dbVersion is present",
      },
    );
    const reported = (name: string) => settings.find(({ variable }) => variable === name);
    assert.deepEqual(reported("CLOUDDB_PRIVATE_KEY"), {
      key: "privateKey",
      variable: "CLOUDDB_PRIVATE_KEY",
      value: "set",
      source: "environment",
    });
    assert.equal(reported("CLOUDDB_PUBLIC_KEY")?.["value"], "demo");
    assert.equal(reported("CLOUDDB_API_PATH")?.["source"], "profile default");
    assert.equal(reported("CLOUDDB_CLIENT_ID")?.["source"], "not set");
    assert.ok(
      service.requests.every(({ method }) => method === "GET"),
      "changes nothing",
    );
  });

  it("skips the checks of a project without --project, and suggests one", async () => {
    const { code, checks } = await doctor();
    assert.equal(code, 0);
    const { result, finding } = checks.find(({ check }) => check === "fieldPrefix") ?? {};
    assert.deepEqual([result, finding], ["skipped", `pass --project ID, such as ${projectId}`]);
  });

  type Wrong = [
    change: string,
    environment: Record<string, string>,
    check: string,
    finding: RegExp,
  ];
  const wrong: Wrong[] = [
    ["CLOUDDB_BASE_URL", { CLOUDDB_BASE_URL: "" }, "settings", /is not set. Run:\s+export/],
    ["CLOUDDB_CA_FILE", { CLOUDDB_CA_FILE: "/missing.pem" }, "settings", /cannot be read/],
    ["https_proxy", { https_proxy: "http://u:5%@127.0.0.1" }, "settings", /is not a proxy URL/],
    ["CLOUDDB_API_PATH", { CLOUDDB_API_PATH: "/api/service/v9" }, "apiPath", /404/],
    [
      "CLOUDDB_MEDIA_TYPE=application/vnd.clouddb.2024-08-05+json",
      { CLOUDDB_MEDIA_TYPE: "application/xml" },
      ...(["mediaType", /406.*Set CLOUDDB_MEDIA_TYPE/] as const),
    ],
    [
      "CLOUDDB_PUBLIC_KEY, CLOUDDB_PRIVATE_KEY",
      { CLOUDDB_PRIVATE_KEY: "wr0ng" },
      ...(["credentials", /401.*Check the credentials/] as const),
    ],
    [
      "the roles of the API key",
      { CLOUDDB_PUBLIC_KEY: "guest", CLOUDDB_PRIVATE_KEY: "guest-secret" },
      ...(["role", /has no role in project/] as const),
    ],
    [
      "CLOUDDB_FIELD_PREFIX=db",
      { CLOUDDB_FIELD_PREFIX: "database" },
      ...(["fieldPrefix", /no cluster has a field databaseVersion/] as const),
    ],
    [
      "CLOUDDB_CLUSTER_PATHS",
      { CLOUDDB_CLUSTER_PATHS: "clusters,sharded" },
      ...(["clusterPaths", /404.*sharded/] as const),
    ],
  ];
  for (const [change, environment, check, finding] of wrong) {
    it(`names ${change} if it is the only problem`, async () => {
      const { code, changes, problems } = await doctor(environment, "--project", projectId);
      assert.equal(code, 1);
      assert.deepEqual(changes, [[check, change]]);
      assert.match(problems[0]?.finding ?? "", finding);
    });
  }

  it("names --project if the service has no such project", async () => {
    const { changes, problems } = await doctor({}, "--project", missingProjectId);
    assert.deepEqual(changes, [["project", "--project"]]);
    assert.match(problems[0]?.finding ?? "", /404.*Check the project ID/);
  });

  it("names a certificate file that is missing or from another CA, and the clock", async () => {
    const caFile = join(processFolder, "other-ca.pem");
    writeFileSync(caFile, (await loopbackCertificate()).cert);
    for (const CLOUDDB_CA_FILE of ["", caFile]) {
      const { problems, names } = await doctor({ CLOUDDB_CA_FILE });
      assert.deepEqual(names, ["certificate"]);
      assert.match(
        problems[0]?.finding ?? "",
        /is not trusted .* set CLOUDDB_CA_FILE .*certificate\]$/i,
      );
      assert.match(problems[0]?.change ?? "", /^CLOUDDB_CA_FILE.*this machine's clock$/);
    }
  });

  it("names mediaType even if only the list of clusters rejects it", async () => {
    service.faults.push({ path: /clusters$/, withCredentials: true, status: 406, body: {} });
    const { changes } = await doctor({}, "--project", projectId);
    assert.deepEqual(changes, [["mediaType", "CLOUDDB_MEDIA_TYPE"]]);
  });

  it("names each kind of credentials, the token path, and the API access list", async () => {
    const account = { CLOUDDB_PUBLIC_KEY: "", CLOUDDB_PRIVATE_KEY: "", CLOUDDB_CLIENT_ID: "app" };
    const pair = { ...account, CLOUDDB_CLIENT_SECRET: "app-secret" };
    const right = await doctor(pair, "--project", projectId);
    assert.deepEqual(right.problems, []);
    const wrongPath = await doctor({ ...pair, CLOUDDB_TOKEN_PATH: "/api/token" });
    assert.equal(wrongPath.problems[0]?.change, "CLOUDDB_TOKEN_PATH");
    const elsewhere = await foreign((_, response) => {
      response.writeHead(307, { location: "https://cloud.example" }).end();
    });
    const redirected = await doctor({ ...elsewhere, ...pair });
    assert.equal(redirected.problems[0]?.change, "CLOUDDB_BASE_URL");
    const wrongSecret = await doctor({ ...account, CLOUDDB_CLIENT_SECRET: "wr0ng" });
    assert.equal(wrongSecret.problems[0]?.change, "CLOUDDB_CLIENT_ID, CLOUDDB_CLIENT_SECRET");
    const token = await doctor({
      ...account,
      CLOUDDB_CLIENT_ID: "",
      CLOUDDB_ACCESS_TOKEN: "wr0ng",
    });
    assert.equal(token.problems[0]?.change, "CLOUDDB_ACCESS_TOKEN");
    const body = { errorCode: "IP_ADDRESS_NOT_ON_ACCESS_LIST" };
    service.faults.push({ withCredentials: true, status: 403, body, times: Infinity });
    const { changes } = await doctor();
    assert.deepEqual(changes, [["credentials", "the API access list of the API key"]]);
  });

  it("names the address if nothing listens there, and skips later checks", async () => {
    const { code, checks, changes, problems } = await doctor({
      CLOUDDB_BASE_URL: `https://127.0.0.1:${await freePort()}`,
    });
    assert.equal(code, 1);
    assert.deepEqual(changes, [["address", "CLOUDDB_BASE_URL"]]);
    assert.match(
      problems[0]?.finding ?? "",
      /ECONNREFUSED.*Check CLOUDDB_BASE_URL .*connection\]$/,
    );
    const { result, finding } = checks.at(-1) ?? {};
    assert.deepEqual([result, finding], ["skipped", "because of the problem with address"]);
  });

  it("names the proxy if it does not respond", async () => {
    const { code, changes, problems } = await doctor({
      HTTPS_PROXY: `http://127.0.0.1:${await freePort()}`,
    });
    assert.equal(code, 1);
    assert.deepEqual(changes, [["proxy", "HTTPS_PROXY, NO_PROXY"]]);
    assert.match(
      problems[0]?.finding ?? "",
      /could not connect to the proxy http:\/\/127\.0\.0\.1:\d+: connection refused/,
    );
  });

  it("names this machine's clock if it differs from the service's, and continues", async () => {
    const root = { results: [], totalCount: 0, links: [{ rel: "self", href: "" }] };
    const respond = withDigest(respondWith(200, root));
    const environment = await foreign((request, response) => {
      response.setHeader("date", new Date(Date.now() + 7200_000).toUTCString());
      return respond(request, response);
    });
    const { code, checks, changes, problems } = await doctor(environment);
    assert.equal(code, 1);
    assert.deepEqual(changes, [["clock", "this machine's clock"]]);
    assert.match(problems[0]?.finding ?? "", /7\d\d\d s behind the service's clock/);
    assert.equal(checks.find(({ check }) => check === "apiPath")?.result, "ok");
  });

  /** Starts a service of the profile v2, and returns its settings. */
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
          const results = path.includes("pageNum=1&") ? [cluster] : [];
          sendJson(response, 200, { results, totalCount: 1 });
        }
      }),
    );

  it("recommends the profile of the service, and which settings to unset", async () => {
    const environment = await foreignV2();
    const args = ["--project", "p1"];
    const first = await doctor(environment, ...args);
    assert.deepEqual(first.names, ["apiPath"]);
    const recommended = ["export CLOUDDB_PROFILE=v2", "unset CLOUDDB_MEDIA_TYPE"];
    assert.deepEqual(first.recommendation, recommended);
    const { stdout } = await runCommand(command, args, { ...environment, ...mediaType });
    assert.match(stdout, /\nRecommended settings:\n +export CLOUDDB_PROFILE=v2\n/);
    assert.ok(!stdout.includes("Change:"), stdout);
    const profiled = { ...environment, CLOUDDB_PROFILE: "v2", CLOUDDB_MEDIA_TYPE: "" };
    const second = await doctor(profiled, ...args);
    assert.deepEqual([second.code, second.problems], [0, []]);
    const missed = await doctor({ ...profiled, CLOUDDB_CLUSTER_PATHS: "clusters,old?" }, ...args);
    assert.deepEqual(missed.changes, [
      ["clusterPaths", "CLOUDDB_CLUSTER_PATHS=clusters,old?,flexClusters"],
    ]);
    assert.deepEqual(missed.recommendation, ["unset CLOUDDB_CLUSTER_PATHS"]);
  });

  it("says that the mode cannot be disabled if the service reports no total count", async () => {
    const environment = await foreign(
      withDigest(({ path }, response) => {
        const results = path.includes("pageNum=1&") ? [{ name: "a", dbVersion: "7.0.1" }] : [];
        const body = { results, links: [{ rel: "self", href: "" }] };
        sendJson(response, 200, path.endsWith("/privateIpMode") ? { enabled: true } : body);
      }),
    );
    const { names, problems } = await doctor(environment, "--project", "p1");
    assert.deepEqual(names, ["paging"]);
    assert.equal(
      problems[0]?.finding,
      "1 item was read, but the service reports no totalCount, so others may exist. Lookups of listed clusters work, but private IP mode cannot be disabled. [clouddb-incomplete-list]",
    );
  });

  it("proposes the profile whose API the service names", async () => {
    const detail = "Use the API at /api/atlas/v2.";
    const environment = await foreign(withDigest(respondWith(404, { errorCode: "GONE", detail })));
    assert.deepEqual((await doctor(environment)).changes, [["apiPath", "CLOUDDB_PROFILE=v2"]]);
    const apiPath = { CLOUDDB_API_PATH: "/gateway/api/atlas/v2" };
    const echo = { detail: "Cannot find resource /gateway/api/atlas/v2." };
    const gateway = await foreign(withDigest(respondWith(404, echo)));
    assert.deepEqual((await doctor({ ...gateway, ...apiPath })).changes, [
      ["apiPath", "CLOUDDB_API_PATH"],
    ]);
  });

  it("proposes the media type in use with the version that the service names", async () => {
    for (const [detail, proposed] of [
      ["Versions: 2023-01-01, 2024-08-05.", "=application/vnd.x.2024-08-05+json"],
      ["Version 2020-01-01 was removed on 2025-06-01.", ""],
    ] as const) {
      service.faults.push({ withCredentials: true, status: 406, body: { detail }, times: 2 });
      const { changes } = await doctor({ CLOUDDB_MEDIA_TYPE: "application/vnd.x.2020-01-01+json" });
      assert.deepEqual(changes, [["mediaType", `CLOUDDB_MEDIA_TYPE${proposed}`]]);
    }
  });

  describe("with --stack", () => {
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
      const { checks, settings } = JSON.parse(stdout) as Diagnosis;
      assert.deepEqual(
        checks.filter(({ result }) => result === "problem"),
        [],
      );
      assert.equal(code, 0);
      const { value, source } = settings.find((each) => each["key"] === "privateKey") ?? {};
      assert.deepEqual([value, source], ["set", "stack"]);
      assert.ok(!stdout.includes(key.privateKey));
    });

    it("is an option of other commands, too", async () => {
      const mediaType = "application/vnd.clouddb.2024-08-05+json";
      const environment = configured({ mediaType });
      const args = ["--stack", "dev", "--project", projectId];
      const url = await runCommand(strings, [...args, "--cluster", "orders"], environment);
      assert.match(url.stdout, /^db\+srv:\/\/orders\./);
      assert.match((await runCommand(readiness, args, environment)).stdout, /^Ready/m);
    });

    it("names the settings as the configuration does", async () => {
      const environment = {
        ...configured({ caFile: "", mediaType: "application/xml" }),
        CLOUDDB_PRIVATE_KEY: "wr0ng",
      };
      const { code, stdout } = await runCommand(command, ["--stack", "dev"], environment);
      assert.equal(code, 1);
      assert.match(stdout, /^Settings of the stack dev and of the environment:\n/);
      assert.match(
        stdout,
        /\n {2}clouddb:privateKey +set +stack; CLOUDDB_PRIVATE_KEY is ignored\n/,
      );
      assert.match(stdout, /is not trusted .* set clouddb:caFile to/);
      assert.match(stdout, /\n +Change: clouddb:caFile, clouddb:baseUrl, or this/);
      const args = ["--project", projectId, "--stack", "dev"];
      const failed = await runCommand(readiness, args, configured({ apiPath: "/other" }));
      assert.match(failed.stderr, /404 [^]* that clouddb:baseUrl and clouddb:apiPath are those/);
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
        "pulumi config set --stack dev clouddb:profile v2",
        "pulumi config rm --stack dev clouddb:mediaType",
        "unset CLOUDDB_MEDIA_TYPE",
      ]);
    });

    for (const [title, script, reason] of [
      [
        "there is no such stack",
        "echo 'error: no stack named dev found' >&2; exit 255",
        " cannot be read: error: no stack named dev found. Run the command in a folder in which pulumi config works.",
      ],
      [
        "there is no Pulumi CLI",
        undefined,
        " cannot be read: the Pulumi CLI could not be started (ENOENT). Install it: https://www.pulumi.com/docs/install/",
      ],
      ["the output is not JSON, which it does not quote", "echo 'demo-secret'", " is not JSON."],
    ] as const) {
      it(`exits 2 if ${title}`, async () => {
        const environment = script === undefined ? { PATH: "/nowhere" } : pulumi(script);
        const { code, stderr } = await runCommand(command, ["--stack", "dev"], environment);
        assert.equal(code, 2);
        const expected = `Could not check the settings: the configuration of stack dev${reason} [clouddb-doctor]\n`;
        assert.equal(stderr, expected);
      });
    }
  });

  it("prints a report", async () => {
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
      /\n {2}problem +credentials +the service responded with 401 .*\n +Change: CLOUDDB_PUBLIC_KEY, CLOUDDB_PRIVATE_KEY\n/,
    );
    assert.match(stdout, /\n {2}skipped +apiPath +because of the problem with credentials\n/);
    assert.match(stdout, /\nProblems found: 1\.\n$/);
    assert.ok(!stdout.includes("wr0ng") && !stdout.includes(key.privateKey));
  });

  it("reports a misspelled variable as a problem, and still checks the rest", async () => {
    const { code, checks, problems, names } = await doctor({ CLOUDDB_APIPATH: "/api" });
    assert.equal(code, 1);
    assert.deepEqual(names, ["settings"]);
    assert.match(problems[0]?.finding ?? "", /did you mean CLOUDDB_API_PATH\?/);
    assert.equal(checks.find(({ check }) => check === "credentials")?.result, "ok");
  });
});
