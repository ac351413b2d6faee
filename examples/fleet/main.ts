/** The command `fleet`. */
import { availableParallelism, hostname } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { PulumiCommand } from "@pulumi/pulumi/automation";
import { type Action, type Job, type Queue, type Result, actions, openQueue } from "./queue";
import { oneLine, runStack } from "./runStack";
import { SharedToken } from "./sharedToken";
import { type Fleet, readFleet } from "./stackList";

const help = `npm run fleet -- up         deploys all stacks of fleet.json
npm run fleet -- drift      reports stacks that differ from the service or the program; changes nothing
npm run fleet -- destroy    destroys all stacks

  --run NAME         shares the stacks with all runners of the same name (default: a run of its own)
  --concurrency N    number of stacks to run at a time (default: the number of CPUs)
  --json             prints the results as JSON

The queue is in the PostgreSQL database FLEET_DATABASE. The exit code is 0 if all stacks succeeded, 1 if a
stack failed or drifted, 2 if the run could not start or continue, and 130 if it was interrupted.`;

/** How this process works on stacks. */
interface Runner {
  readonly action: Action;
  readonly fleet: Fleet;
  readonly pulumi: PulumiCommand;
  readonly queue: Queue;
  readonly token: SharedToken;
  /** Once it aborts, no further stack starts. */
  readonly stop: AbortSignal;
}

void main().then(
  (code) => {
    process.exitCode = code;
  },
  (error: unknown) => {
    console.error(error instanceof Error ? error.message : String(error));
    process.exitCode = 2;
  },
);

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      concurrency: { type: "string", default: String(availableParallelism()) },
      run: { type: "string", default: new Date().toISOString() },
      json: { type: "boolean", default: false },
      help: { type: "boolean", short: "h" },
    },
  });
  const action = actions.find((each) => each === positionals[0]);
  const concurrency = Number(values.concurrency);
  const database = process.env["FLEET_DATABASE"] ?? "";
  const isComplete = action !== undefined && concurrency >= 1 && database !== "";
  if (!isComplete || positionals.length > 1 || values.help === true) throw new Error(help);
  const fleet = readFleet();
  const started = Date.now();
  const stop = new AbortController();
  // A second signal has the default effect, which ends the process.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK"] as const) {
    process.once(signal, () => {
      console.error("Stopping after the running stacks. Send the signal again to kill them.");
      stop.abort();
    });
  }
  const pulumi = await PulumiCommand.get();
  const token = new SharedToken(fleet.maxUpdateMinutes);
  try {
    // Fails before any stack starts if the service account is refused.
    await token.environment();
    const queue = await openQueue(database, fleet, action, values.run);
    try {
      const runner = { action, fleet, pulumi, queue, token, stop: stop.signal };
      const workers = Array.from({ length: concurrency }, async () => {
        try {
          await work(runner);
        } catch (error) {
          stop.abort();
          throw error;
        }
      });
      // The running stacks need the queue and the token until they end, even if a worker fails.
      await Promise.allSettled(workers);
      await Promise.all(workers);
      const seconds = Math.round((Date.now() - started) / 1000);
      return print(runner, await queue.results(), seconds, values.json);
    } finally {
      await queue.close();
    }
  } finally {
    await token.revoke();
  }
}

/** Works on stacks until all of them have results, or until the runner stops. */
async function work(runner: Runner): Promise<void> {
  const { queue, fleet, stop } = runner;
  while (!stop.aborted) {
    const job = await queue.next();
    if (job !== undefined) await workOn(job, runner);
    else if ((await queue.results()).size === fleet.stacks.length) return;
    else await sleep(1000, undefined, { signal: stop }).catch(() => undefined);
  }
}

async function workOn(job: Job, { action, fleet, pulumi, token, stop }: Runner): Promise<void> {
  const started = Date.now();
  const entry = fleet.stacks.find(({ name }) => name === job.stack);
  try {
    if (entry === undefined) throw new Error("fleet.json does not contain the stack");
    const outcome = await runStack(entry, action, fleet, pulumi, await token.environment());
    // Ctrl-C interrupts the engine as well, so the next run works on the stack again.
    if (stop.aborted && outcome.status === "failed") throw new Error("interrupted");
    const result = {
      ...outcome,
      startedAt: new Date(started).toISOString(),
      seconds: Math.round((Date.now() - started) / 100) / 10,
      runner: `${hostname()}:${process.pid}`,
    };
    console.error(`${action} ${job.stack} ${describe(result)}`);
    // The job stays active until the next stack of the project may start.
    const wait = started + startInterval(fleet) * 1000 - Date.now();
    await sleep(Math.max(0, wait), undefined, { signal: stop }).catch(() => undefined);
    await job.finish(result);
  } catch (error) {
    const reason = oneLine(String(error));
    console.error(`${action} ${job.stack} will be retried later: ${reason}`);
    await job.retryLater(reason);
  }
}

/**
 * Returns the time between the starts of two stacks of a project, in seconds.
 *
 * At most `requestsPerMinute / requestsPerStack` stacks may overlap any minute. Two are reserved for the stack that
 * started before the minute and for one that follows a stopped runner without the interval.
 */
function startInterval({ requestsPerMinute, requestsPerStack }: Fleet): number {
  return 60 / (Math.floor(requestsPerMinute / requestsPerStack) - 2);
}

/** Prints the results, and returns the exit code. */
function print(
  { action, fleet }: Runner,
  byStack: ReadonlyMap<string, Result>,
  seconds: number,
  json: boolean,
): number {
  const results = [...byStack].map(([stack, result]) => ({ stack, ...result }));
  const unsuccessful = results.filter(({ status }) => status !== "succeeded");
  const total = fleet.stacks.length;
  const succeeded = results.length - unsuccessful.length;
  const remaining = total - results.length;
  if (json) {
    console.log(JSON.stringify({ action, succeeded, remaining, seconds, results }, undefined, 2));
  } else {
    for (const result of unsuccessful) console.log(`${result.stack}  ${describe(result)}`);
    const rest = remaining > 0 ? `, ${remaining} remaining` : "";
    console.log(`${succeeded}/${total} ${action}${rest} (${seconds} s)`);
  }
  if (remaining > 0) return 130;
  return succeeded === total ? 0 : 1;
}

function describe({ status, reason, seconds, changes }: Result): string {
  const counts = Object.entries(changes).map(([operation, count]) => `${count} ${operation}`);
  return `${status} in ${seconds ?? "?"} s: ${reason ?? counts.join(", ")}`;
}
