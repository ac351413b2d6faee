/** `npm run fleet:measure`: measures fleets of several sizes, and prints the table of docs/fleets.md. */
import assert from "node:assert/strict";
import { type ReceivedRequest, startSimulator } from "clouddb-simulator";
import { Client } from "pg";
import type { Cleanup } from "../cleanup";
import { settingsFor } from "../service";
import { type FleetList, createMachine, summaryOf } from "./machine";
import { startPostgresql } from "../postgresql";
import { fleetSeed, projectId } from "./seed";

const stacksPerProject = 5;
const sizes = process.argv.slice(2).map(Number);

void measure().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});

async function measure(): Promise<void> {
  const releases: (() => unknown)[] = [];
  const cleanup: Cleanup = (release) => releases.unshift(release);
  const releaseAll = async () => {
    for (const release of releases.splice(0)) await release();
  };
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, () => void releaseAll().finally(() => process.exit(130)));
  }
  try {
    console.log(
      "| stacks | action | wall clock (s) | one stack, median (s) | memory of the driver (MB) | requests | most in a minute, one project | rows of state | database (MB) |",
    );
    console.log("|---|---|---|---|---|---|---|---|---|");
    for (const size of sizes) await measureSize(size, cleanup);
  } finally {
    await releaseAll();
  }
}

async function measureSize(size: number, cleanup: Cleanup): Promise<void> {
  const seed = fleetSeed(Math.ceil(size / stacksPerProject));
  const service = await startSimulator({ seed, port: 0 });
  cleanup(() => service.stop());
  const postgres = await startPostgresql(cleanup);
  const database = await postgres.createDatabase("state");
  const environment = {
    ...settingsFor(service),
    PULUMI_BACKEND_URL: database,
    PGPASSWORD: postgres.password,
  };
  const machine = createMachine(cleanup, fleetOf(size), environment);
  for (const action of ["up", "drift"]) {
    const before = service.requests.length;
    const { code, stderr, seconds, peakMemoryMb, results } = await summaryOf(
      machine.fleet(action, "--json"),
    );
    assert.equal(code, 0, stderr);
    const requests = service.requests.slice(before);
    assert.ok(requests.every(({ status }) => status !== 429));
    const each = results.map((result) => result.seconds).sort((a, b) => a - b);
    const { rows, megabytes } = await sizeOf(database, postgres.password);
    const cells = [size, action, seconds, each[Math.floor(each.length / 2)], peakMemoryMb];
    const counts = [requests.length, mostInAMinute(requests), rows, megabytes];
    console.log(`| ${[...cells, ...counts].join(" | ")} |`);
  }
}

/** Each stack looks up a cluster; the first of each project also manages the mode. */
function fleetOf(size: number): FleetList {
  const stacks = Array.from({ length: size }, (_, index) => ({
    name: `stack-${index}`,
    projectId: projectId(1 + Math.floor(index / stacksPerProject)),
    clusters: ["main"],
    ...(index % stacksPerProject === 0 ? { privateIpMode: false } : {}),
  }));
  return { stacks };
}

function mostInAMinute(requests: readonly ReceivedRequest[]): number {
  const byProject = new Map<string, number[]>();
  for (const { path, at } of requests) {
    const project = /[0-9a-f]{24}/.exec(path)?.[0] ?? "";
    byProject.set(project, [...(byProject.get(project) ?? []), Date.parse(at)]);
  }
  const most = [...byProject.values()].flatMap((times) =>
    times.map((start) => times.filter((at) => at >= start && at < start + 60_000).length),
  );
  return Math.max(0, ...most);
}

async function sizeOf(connectionString: string, password: string) {
  const url = new URL(connectionString);
  url.password = password;
  const client = new Client({ connectionString: url.href });
  await client.connect();
  try {
    await client.query("analyze");
    const { rows } = await client.query<{ rows: string; bytes: string }>(
      `select sum(reltuples) as rows, pg_database_size(current_database()) as bytes
      from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace`,
    );
    return { rows: Number(rows[0]?.rows), megabytes: Math.round(Number(rows[0]?.bytes) / 1e6) };
  } finally {
    await client.end();
  }
}
