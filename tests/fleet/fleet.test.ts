/** Runs examples/fleet with the real Pulumi CLI. */
import assert from "node:assert/strict";
import { cpSync, existsSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Client, type QueryResultRow } from "pg";
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
const seed = { organizations: [{ name: "acme", apiKeys }], projects };

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
  const service = useService(seed);
  const postgresql = usePostgresql(serverCleanup);
  let databases = 0;

  /** Copies the example with other stacks. */
  const createFleet = async (stacks: readonly object[], maxUpdateMinutes = 30) => {
    const { createDatabase, password } = postgresql();
    databases += 1;
    const folder = scratchFolder(cleanup);
    const example = join(__dirname, "..", "..", "examples", "fleet");
    const isLocal = /(^|\/)(node_modules|Pulumi\.[^/]+\.yaml)$/;
    cpSync(example, folder, { recursive: true, filter: (path) => !isLocal.test(path) });
    const modules = join(example, "node_modules");
    if (existsSync(modules)) symlinkSync(modules, join(folder, "node_modules"));
    writeFileSync(join(folder, "stacks.ts"), `export const stacks = ${JSON.stringify(stacks)};`);
    const queue = join(folder, "queue.ts");
    const limit = `maxUpdateMinutes = ${maxUpdateMinutes};`;
    writeFileSync(queue, readFileSync(queue, "utf8").replace(/maxUpdateMinutes = \d+;/, limit));
    const database = await createDatabase(`queue_${databases}`);
    const env = {
      ...process.env,
      ...settingsFor(service),
      PULUMI_CONFIG_PASSPHRASE: "",
      PULUMI_SKIP_UPDATE_CHECK: "1",
      PGPASSWORD: password,
      PULUMI_BACKEND_URL: await createDatabase(`state_${databases}`),
      FLEET_DATABASE: database,
    };
    const run = (command: string, args: readonly string[]): Command =>
      startCommand(cleanup, command, args, { cwd: folder, env, ownGroup: true });
    const script = ["--require", "ts-node/register/transpile-only", join(folder, "main.ts")];
    return {
      start: (...args: string[]) => run(process.execPath, [...script, ...args]),
      pulumi: (...args: string[]) => run("pulumi", args).result,
      /** Runs a query on the database of the queue. */
      query: async <Row extends QueryResultRow>(text: string): Promise<Row[]> => {
        const client = new Client(database.replace("@", `:${password}@`));
        await client.connect();
        try {
          return (await client.query<Row>(text)).rows;
        } finally {
          await client.end();
        }
      },
    };
  };
  const shared = ["up", "--run", "nightly", "--concurrency", "1"];

  it("shares 6 stacks between two runners, running each once and one per project at a time", async () => {
    const { start, query } = await createFleet(stacksOf(6));
    const runners = await Promise.all([start(...shared), start(...shared)].map((r) => r.result));
    const worked = runners.map(({ code, stdout, stderr }) => {
      assert.equal(code, 0, stderr);
      assert.equal(stdout, "6 of 6 stacks succeeded\n");
      return Array.from(stderr.matchAll(/^(stack-\d+) succeeded: 2 create$/gm), ([, name]) => name);
    });
    assert.ok(worked.every((stacks) => stacks.length > 0));
    const all = worked.flat();
    assert.deepEqual([all.length, new Set(all).size], [6, 6]);

    const jobs = await query<{ name: string; started_on: Date; completed_on: Date }>(
      "select name, started_on, completed_on from clouddb_fleet.job order by name, started_on",
    );
    for (const [index, { name, started_on }] of jobs.entries()) {
      const previous = jobs[index - 1];
      if (previous?.name === name) assert.ok(previous.completed_on <= started_on);
    }
  });

  it("runs the stack of a killed runner in another runner after its lock is deleted", async () => {
    const stacks = stacksOf(3);
    const { start, pulumi } = await createFleet(stacks, 0.5);
    // The first runner hangs in an update, with the stack locked.
    service.faults.push({ path: /\/clusters$/, withCredentials: true, delayMs: 120_000 });
    const killed = start(...shared);
    await waitWhileRunning(killed, () => service.faults.pending.length === 0);
    const other = start(...shared);
    killed.kill("SIGKILL");
    const { code, stderr } = await pulumi("cancel", "--yes", "--stack", "stack-1");
    assert.equal(code, 0, stderr);

    const result = await other.result;
    assert.equal(result.code, 0, result.stderr);
    assert.equal(result.stdout, "3 of 3 stacks succeeded\n");
    for (const { name } of stacks)
      assert.match(result.stderr, new RegExp(`^${name} succeeded: `, "m"));
  });

  it("reports failed and drifted stacks", async () => {
    const stacks = stacksOf(1, { privateIpMode: false });
    const broken = { name: "broken", projectId: projectIds[1], clusters: ["mian"] };
    const { start } = await createFleet([...stacks, broken]);
    const up = await start("up").result;
    assert.equal(up.code, 1);
    assert.match(up.stderr, /^stack-1 succeeded: 3 create$/m);
    assert.match(up.stdout, /^broken failed: .*mian[^]*main[^]*\n1 of 2 stacks succeeded\n$/);

    service.project(projectIds[0]).setPrivateIpMode(true);
    const drift = await start("drift").result;
    assert.equal(drift.code, 1);
    assert.match(drift.stdout, /^stack-1 drifted: .*update/m);
  });
});
