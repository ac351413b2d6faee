/** Runs examples/fleet with the real Pulumi CLI. */
import assert from "node:assert/strict";
import { cpSync, existsSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { scratchFolder, useCleanup } from "../support/cleanup";
import { type Command, startCommand, waitWhileRunning } from "../support/command";
import { usePostgresql } from "../support/postgresql";
import { settingsFor, useService } from "../support/service";

/** The service's projects, each with the cluster main and private IP mode. */
const projectIds = [1, 2, 3].map((index) => `64a0c0ffee${String(index).padStart(14, "0")}`);
const projects = projectIds.map((id) => ({
  id,
  name: id,
  organization: "acme",
  privateIpMode: { enabled: true },
  clusters: [{ name: "main", version: "7.0.12" }],
}));
const roles = projectIds.map((projectId) => ({ projectId, role: "owner" as const }));
const apiKeys = [{ publicKey: "demo", privateKey: "demo-secret", roles }];
const account = { clientId: "svc_fleet", clientSecret: "fleet-secret" };
const serviceAccounts = [{ ...account, roles }];
const seed = { organizations: [{ name: "acme", apiKeys, serviceAccounts }], projects };

/** The fields of the output of `--json` that tests read. */
interface Summary {
  readonly succeeded: number;
  readonly remaining: number;
  readonly results: readonly {
    readonly stack: string;
    readonly status: string;
    readonly reason?: string;
    readonly changes: Record<string, number>;
    readonly startedAt: string;
    readonly seconds: number;
    readonly runner: string;
  }[];
}

/** Stacks that are spread over the projects. */
const stacksOf = (count: number, settings: object = {}) =>
  Array.from({ length: count }, (_, index) => ({
    name: `stack-${index + 1}`,
    projectId: projectIds[index % projectIds.length],
    clusters: ["main"],
    ...settings,
  }));

describe("a fleet", () => {
  const cleanup = useCleanup("test");
  const serverCleanup = useCleanup("file");
  // Fewer tokens than six stacks need if each process requests its own.
  const service = useService(seed, { tokenRequestsPerMinute: 2, tokensPerAccount: 4 });
  const postgresql = usePostgresql(serverCleanup);
  let databases = 0;

  /** Returns a function that starts runners of one fleet. */
  const createFleet = async (list: object, environment: Record<string, string> = {}) => {
    const { createDatabase, password } = postgresql();
    databases += 1;
    const folder = scratchFolder(cleanup);
    const example = join(__dirname, "..", "..", "examples", "fleet");
    const isLocal = /(^|\/)(node_modules|Pulumi\.[^/]+\.yaml)$/;
    cpSync(example, folder, { recursive: true, filter: (path) => !isLocal.test(path) });
    const modules = join(example, "node_modules");
    if (existsSync(modules)) symlinkSync(modules, join(folder, "node_modules"));
    writeFileSync(join(folder, "fleet.json"), JSON.stringify(list));
    const env = {
      ...process.env,
      ...settingsFor(service),
      PULUMI_CONFIG_PASSPHRASE: "",
      PGPASSWORD: password,
      PULUMI_BACKEND_URL: await createDatabase(`state_${databases}`),
      FLEET_DATABASE: await createDatabase(`queue_${databases}`),
      ...environment,
    };
    const script = ["--require", "ts-node/register/transpile-only", join(folder, "main.ts")];
    return (...args: string[]): Command =>
      startCommand(cleanup, process.execPath, [...script, ...args, "--json"], {
        cwd: folder,
        env,
        ownGroup: true,
      });
  };
  const summaryOf = async (runner: Command) => {
    const { code, stdout, stderr } = await runner.result;
    assert.match(stdout, /^\{/, stderr);
    return { code, stderr, ...(JSON.parse(stdout) as Summary) };
  };
  const shared = ["up", "--run", "nightly", "--concurrency", "1"];

  it("shares 12 stacks between two runners, each stack once, within the limit of each project", async () => {
    const limits = { requestsPerMinute: 100, requestsPerStack: 6 };
    const start = await createFleet({ ...limits, stacks: stacksOf(12) });
    const summaries = await Promise.all([start(...shared), start(...shared)].map(summaryOf));
    for (const { code, succeeded, results, stderr } of summaries) {
      assert.equal(code, 0, stderr);
      assert.equal(succeeded, 12);
      assert.equal(new Set(results.map(({ stack }) => stack)).size, 12);
    }
    const results = summaries[0]?.results ?? [];
    assert.equal(new Set(results.map(({ runner }) => runner)).size, 2);
    assert.deepEqual(
      results.map(({ changes }) => changes),
      Array(12).fill({ create: 2 }),
    );

    assert.ok(service.requests.every(({ status }) => status !== 429));
    // The interval of the two limits, with a tolerance for rounded times.
    const interval = 60_000 / (Math.floor(100 / 6) - 2) - 200;
    for (const index of projectIds.keys()) {
      const runs = results
        .filter(({ stack }) => (Number(stack.replace("stack-", "")) - 1) % 3 === index)
        .map(({ startedAt, seconds }) => ({ start: Date.parse(startedAt), seconds }))
        .sort((one, other) => one.start - other.start);
      for (const [position, { start: begun }] of runs.slice(1).entries()) {
        const previous = runs[position];
        assert.ok(previous);
        assert.ok(begun - previous.start >= Math.max(interval, previous.seconds * 1000 - 200));
      }
    }
  });

  it("deploys 6 stacks of a service account with one token, and revokes it", async () => {
    const start = await createFleet(
      { stacks: stacksOf(6) },
      {
        CLOUDDB_PUBLIC_KEY: "",
        CLOUDDB_PRIVATE_KEY: "",
        CLOUDDB_CLIENT_ID: account.clientId,
        CLOUDDB_CLIENT_SECRET: account.clientSecret,
      },
    );
    const { code, succeeded, stderr } = await summaryOf(start("up", "--concurrency", "2"));
    assert.equal(code, 0, stderr);
    assert.equal(succeeded, 6);
    const ofTokens = service.requests.filter(({ path }) => path.startsWith("/api/oauth/"));
    assert.deepEqual(
      ofTokens.map(({ operation, status }) => [operation, status]),
      [
        ["issueToken", 200],
        ["revokeToken", 200],
      ],
    );
    assert.equal(service.activeTokens(), 0);
  });

  it("finishes the stacks of a killed runner in the other runner", async () => {
    // The lock and the job of the killed runner expire after this time.
    const start = await createFleet({ maxUpdateMinutes: 0.75, stacks: stacksOf(3) });
    // The first runner hangs in an update, with the stack locked.
    service.faults.push({ path: /\/clusters$/, withCredentials: true, delayMs: 120_000 });
    const killed = start(...shared);
    await waitWhileRunning(killed, () => service.faults.pending.length === 0);
    const other = start(...shared);
    killed.kill("SIGKILL");

    const { code, results, stderr } = await summaryOf(other);
    assert.equal(code, 0, stderr);
    assert.equal(results.length, 3);
    assert.equal(new Set(results.map(({ runner }) => runner)).size, 1);
    assert.deepEqual(
      results.map(({ status }) => status),
      ["succeeded", "succeeded", "succeeded"],
    );
  });

  it("reports failed and drifted stacks", async () => {
    const [stack] = stacksOf(1, { privateIpMode: false });
    const broken = { name: "broken", projectId: projectIds[1], clusters: ["mian"] };
    const start = await createFleet({ stacks: [stack, broken] });
    const resultsOf = async (action: string) => {
      const { code, results, stderr } = await summaryOf(start(action));
      const of = (name: string) => results.find((result) => result.stack === name);
      assert.equal(code, action === "destroy" ? 0 : 1, stderr);
      return { stack: of("stack-1"), broken: of("broken") };
    };
    const up = await resultsOf("up");
    assert.deepEqual(up.stack?.changes, { create: 3 });
    assert.equal(up.broken?.status, "failed");
    assert.match(up.broken.reason ?? "", /mian.*main/);

    service.project(projectIds[0]).setPrivateIpMode(true);
    const drift = await resultsOf("drift");
    assert.equal(drift.stack?.status, "drifted");
    const destroy = await resultsOf("destroy");
    assert.deepEqual(destroy.stack?.changes, { delete: 3 });
  });
});
