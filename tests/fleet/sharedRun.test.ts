import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import type { ReceivedRequest } from "clouddb-simulator";
import { useCleanup } from "../cleanup";
import type { Command } from "../command";
import { skipIfMissing } from "../missing";
import { type Postgres, startPostgres } from "./postgres";
import { type FleetList, projectId, summaryOf, useFleet } from "./useFleet";

const crowded = projectId(1);

/** Two projects: five stacks of one of them, and three of the other. */
const fleet: FleetList = {
  requestsPerMinute: 100,
  requestsPerStack: 6,
  stacks: [1, 2, 3, 4, 5, 6, 7, 8].map((index) => ({
    name: `stack-${index}`,
    projectId: index <= 5 ? crowded : projectId(2),
    clusters: ["main"],
  })),
};
/** The interval between two stacks of a project that follows from these limits, in milliseconds. */
const interval = 60_000 / (Math.floor(100 / 6) - 2);

describe("a fleet that three drivers share", () => {
  const cleanup = useCleanup("file");
  const { service, createMachine } = useFleet();
  const servers: Postgres[] = [];

  before("start PostgreSQL", async function () {
    try {
      servers.push(await startPostgres(cleanup));
    } catch (error) {
      skipIfMissing(this, error);
    }
  });

  it("works on each stack once, takes over the stack of a killed driver, and keeps a project's limit over all drivers", async () => {
    const [postgres] = servers;
    assert.ok(postgres);
    const environment = {
      PGPASSWORD: postgres.password,
      PULUMI_BACKEND_URL: await postgres.createDatabase("state"),
      FLEET_DATABASE: await postgres.createDatabase("queue"),
    };
    const start = () =>
      createMachine(fleet, environment).fleet(
        "up",
        "--run",
        "nightly",
        "--concurrency",
        "2",
        "--json",
      );
    // The first driver hangs in an update, with the stack and the project's queue locked.
    service.faults.push({ path: /\/clusters$/, withCredentials: true, delayMs: 60_000 });
    const killed = start();
    await untilFaultIsUsed(killed);
    const others = [start(), start()];
    killed.kill("SIGKILL");

    const summaries = await Promise.all(others.map(summaryOf));
    for (const { code, succeeded, results, stderr } of summaries) {
      assert.equal(code, 0, stderr);
      assert.equal(succeeded, 8);
      assert.equal(new Set(results.map(({ stack }) => stack)).size, 8);
      assert.ok(results.every(({ changes }) => changes["create"] === 2));
    }
    const drivers = new Set(summaries[0]?.results.map(({ driver }) => driver));
    assert.ok(drivers.size >= 2, "several drivers take part");
    const hung = 1;
    const runs = service.challenges().length;
    assert.ok(runs <= 8 + 2 * hung, `the stacks were worked on ${runs} times`);

    assert.ok(service.requests.every(({ status }) => status !== 429));
    const starts = startsOf(service.requests);
    for (const [index, at] of starts.slice(1).entries()) {
      const apart = at - (starts[index] ?? 0);
      // The stack of the killed driver is the exception.
      if (index > 0) assert.ok(apart > interval - 2500, `two stacks start ${apart} ms apart`);
    }
  });

  /** Returns when the stacks of the crowded project sent their first requests. */
  function startsOf(requests: readonly ReceivedRequest[]): number[] {
    return requests
      .filter(({ path, challenged }) => challenged && path.includes(crowded))
      .map(({ at }) => Date.parse(at));
  }

  async function untilFaultIsUsed(driver: Command): Promise<void> {
    while (service.faults.pending.length > 0) {
      const ended = await Promise.race([driver.result, sleep(50)]);
      assert.equal(ended, undefined);
    }
  }
});
