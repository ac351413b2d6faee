import assert from "node:assert/strict";
import { useCleanup } from "../cleanup";
import { waitWhileRunning } from "../command";
import { usePostgresql } from "../postgresql";
import { type FleetList, summaryOf } from "./machine";
import { projectId } from "./seed";
import { useFleet } from "./useFleet";

/** Four stacks of one project, and two each of two others. */
const fleet: FleetList = {
  requestsPerMinute: 100,
  requestsPerStack: 6,
  // All drivers run on this host.
  uniqueHostNames: true,
  stacks: [1, 2, 3, 4, 5, 6, 7, 8].map((index) => ({
    name: `stack-${index}`,
    projectId: projectId(index <= 4 ? 1 : index <= 6 ? 2 : 3),
    clusters: ["main"],
  })),
};
const crowded = new Set(fleet.stacks.slice(0, 4).map(({ name }) => name));
/** The interval between two stacks of a project that follows from these limits, in milliseconds. */
const interval = 60_000 / (Math.floor(100 / 6) - 2);
/** Tolerance for rounded times, in milliseconds. */
const clockTolerance = 200;

describe("a fleet that three drivers share", () => {
  const cleanup = useCleanup("file");
  const { service, createMachine } = useFleet();
  const postgresql = usePostgresql(cleanup);

  it("works on each stack once, takes over the stack of a killed driver, and keeps a project's limit over all drivers", async () => {
    const postgres = postgresql();
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
        "1",
        "--json",
      );
    // The first driver hangs in an update, with the stack and the project's queue locked.
    service.faults.push({ path: /\/clusters$/, withCredentials: true, delayMs: 60_000 });
    const killed = start();
    await waitWhileRunning(killed, () => service.faults.pending.length === 0);
    const others = [start(), start()];
    killed.kill("SIGKILL");

    const summaries = await Promise.all(others.map(summaryOf));
    for (const { code, succeeded, results, stderr } of summaries) {
      assert.equal(code, 0, stderr);
      assert.equal(succeeded, 8);
      assert.equal(new Set(results.map(({ stack }) => stack)).size, 8);
    }
    const results = summaries[0]?.results ?? [];
    assert.equal(new Set(results.map(({ driver }) => driver)).size, 2);
    // Another driver started the stack of the killed one again.
    assert.equal(service.challenges().length, 9);

    assert.ok(service.requests.every(({ status }) => status !== 429));
    const crowdedRuns = results
      .filter(({ stack }) => crowded.has(stack))
      .sort((a, b) => Date.parse(a.startedAt) - Date.parse(b.startedAt));
    for (const [index, { stack, startedAt }] of crowdedRuns.slice(1).entries()) {
      const previous = crowdedRuns[index];
      assert.ok(previous);
      const apart = Date.parse(startedAt) - Date.parse(previous.startedAt);
      const least = Math.max(interval, previous.seconds * 1000) - clockTolerance;
      assert.ok(apart >= least, `${stack} starts ${apart} ms after ${previous.stack}`);
    }
  });
});
