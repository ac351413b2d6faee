/** The command `fleet`. */
import { availableParallelism } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { PulumiCommand } from "@pulumi/pulumi/automation";
import { type Action, type Job, type Queue, type Result, actions, openQueue } from "./queue";
import { runStack } from "./runStack";
import { stacks } from "./stacks";

const usage = `npm run fleet -- up       deploys all stacks of stacks.ts
npm run fleet -- drift    reports stacks that differ from the service or the program; changes nothing

  --run NAME         shares the stacks with all runners of the same name (default: a separate run)
  --concurrency N    number of stacks to run at a time (default: the number of CPUs)

The queue is in the PostgreSQL database FLEET_DATABASE.`;

/** How this process works on stacks. */
interface Runner {
  readonly action: Action;
  readonly pulumi: PulumiCommand;
  readonly queue: Queue;
  /** Once it aborts, no further stack starts. */
  readonly stop: AbortSignal;
}

void main().then(
  (succeeded) => {
    process.exitCode = succeeded ? 0 : 1;
  },
  (error: unknown) => {
    console.error(error instanceof Error ? error.message : String(error));
    process.exitCode = 1;
  },
);

/** Returns whether all stacks succeeded. */
async function main(): Promise<boolean> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      run: { type: "string", default: new Date().toISOString() },
      concurrency: { type: "string", default: String(availableParallelism()) },
    },
  });
  const action = actions.find((known) => known === positionals[0]);
  const database = process.env["FLEET_DATABASE"];
  if (action === undefined || database === undefined) throw new Error(usage);

  const stop = new AbortController();
  // A second signal has the default effect, which ends the process.
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, () => {
      stop.abort();
    });
  }
  const pulumi = await PulumiCommand.get();
  const queue = await openQueue(database, stacks, action, values.run);
  try {
    const runner = { action, pulumi, queue, stop: stop.signal };
    await Promise.all(Array.from({ length: Number(values.concurrency) }, () => work(runner)));
    return report(await queue.results());
  } finally {
    await queue.close();
  }
}

/** Processes stacks until no runner has a job left, or until this runner stops. */
async function work(runner: Runner): Promise<void> {
  while (!runner.stop.aborted) {
    const job = await runner.queue.next();
    if (job !== undefined) await workOn(job, runner);
    else if (await runner.queue.isDone()) return;
    else await sleep(1000);
  }
}

async function workOn(job: Job, { action, pulumi, stop }: Runner): Promise<void> {
  try {
    const stack = stacks.find(({ name }) => name === job.stack);
    if (stack === undefined) throw new Error("stacks.ts does not contain the stack");
    const result = await runStack(stack, action, pulumi);
    // Ctrl-C interrupts the engine as well, so the next run works on the stack again.
    if (stop.aborted && result.status === "failed") throw new Error("interrupted");
    await job.finish(result);
    console.error(describe(job.stack, result));
  } catch (error) {
    console.error(`${job.stack} will be retried later: ${String(error)}`);
    await job.retryLater(String(error));
  }
}

/** Prints what failed or drifted in any runner. Returns whether all stacks succeeded. */
function report(results: ReadonlyMap<string, Result>): boolean {
  const unsuccessful = [...results].filter(([, { status }]) => status !== "succeeded");
  for (const [stack, result] of unsuccessful) console.log(describe(stack, result));
  const succeeded = results.size - unsuccessful.length;
  console.log(`${succeeded} of ${stacks.length} stacks succeeded`);
  return succeeded === stacks.length;
}

function describe(stack: string, { status, text }: Result): string {
  return `${stack} ${status}: ${text}`;
}
