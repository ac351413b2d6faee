import assert from "node:assert/strict";
import { Client } from "pg";
import { useCleanup } from "../cleanup";
import { waitWhileRunning } from "../command";
import { skipIfMissing } from "../missing";
import { usePostgresql } from "../postgresql";
import { startS3 } from "./s3";
import { summaryOf } from "./machine";
import { projectId } from "./seed";
import { useFleet } from "./useFleet";

const stack = { name: "shared", projectId: projectId(1), privateIpMode: false, clusters: ["main"] };

describe("state in PostgreSQL", () => {
  const cleanup = useCleanup("file");
  const { service, createMachine } = useFleet();
  const postgresql = usePostgresql(cleanup);

  it("refuses the second of two machines that update one stack, and keeps the state of the first", async () => {
    const postgres = postgresql();
    const environment = {
      PULUMI_BACKEND_URL: await postgres.createDatabase("state"),
      PGPASSWORD: postgres.password,
    };
    const machines = [0, 1].map(() => createMachine({ stacks: [stack] }, environment));
    const [first, second] = machines;
    assert.ok(first && second);

    // The first update waits until the service accepts requests, with the stack locked.
    const headers = { "Retry-After": "1" };
    service.faults.push({ withCredentials: true, status: 429, headers, times: Infinity });
    const update = first.fleet("up", "--json");
    await waitWhileRunning(update, () => service.requests.some(({ status }) => status === 429));
    const refused = await summaryOf(second.fleet("up", "--json"));
    assert.equal(refused.code, 1);
    assert.match(refused.results[0]?.reason ?? "", /^locked by process \d+ on .*pulumi cancel/);

    service.faults.clear();
    const updated = await summaryOf(update);
    assert.deepEqual(updated.results[0]?.changes, { create: 3 }, updated.stderr);
    const again = await summaryOf(second.fleet("up", "--json"));
    assert.deepEqual(again.results[0]?.changes, { same: 3 });
    assert.equal(service.patches().length, 1);
  });

  it("is created if two stacks of a fleet find an empty database at the same time", async () => {
    const { password, createDatabase } = postgresql();
    const database = new URL(await createDatabase("empty"));
    const environment = { PULUMI_BACKEND_URL: database.href, PGPASSWORD: password };
    const stacks = [1, 2].map((number) => ({
      name: `stack-${number}`,
      projectId: projectId(number),
      clusters: ["main"],
    }));
    const { fleet } = createMachine({ stacks }, environment);

    // Both stacks wait for this table, and then both create it.
    database.password = password;
    const [client, observer] = [1, 2].map(() => new Client({ connectionString: database.href }));
    assert.ok(client && observer);
    for (const each of [client, observer]) {
      await each.connect();
      cleanup(() => each.end());
    }
    await client.query("begin; create table pulumi_state (key text)");
    const update = fleet("up", "--json", "--concurrency", "2");
    const waiting = "select count(*)::int from pg_stat_activity where wait_event_type = 'Lock'";
    await waitWhileRunning(update, async () => {
      const { rows } = await observer.query<{ count: number }>(waiting);
      return rows[0]?.count === 2;
    });
    await client.query("rollback");

    const { code, stderr, results } = await summaryOf(update);
    assert.equal(code, 0, stderr);
    assert.deepEqual(
      results.map(({ status }) => status),
      ["succeeded", "succeeded"],
    );
  });
});

describe("state in S3", () => {
  const cleanup = useCleanup("file");
  const { createMachine } = useFleet();
  const environments: Record<string, string>[] = [];

  before("start the S3 server", async function () {
    this.timeout(300_000);
    try {
      environments.push(await startS3(cleanup));
    } catch (error) {
      skipIfMissing(this, error);
    }
  });

  it("supports an update, a drift report and a destroy", async () => {
    const { fleet } = createMachine({ stacks: [stack] }, environments[0] ?? {});
    const expected = [
      { action: "up", changes: { create: 3 } },
      { action: "drift", changes: { same: 3 } },
      { action: "destroy", changes: { delete: 3 } },
    ];
    for (const { action, changes } of expected) {
      const { code, results, stderr } = await summaryOf(fleet(action, "--json"));
      assert.equal(code, 0, stderr);
      assert.deepEqual(results[0]?.changes, changes);
    }
  });
});
