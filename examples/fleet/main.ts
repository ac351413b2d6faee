/** The command `fleet`. */
import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { UsageError, readFleet } from "./stackList";
import { oneLine } from "./reason";
import { createProgress } from "./progress";
import { actions } from "./result";
import { type Command, runAlone, runShared } from "./runs";
import { listenForSignals } from "./signals";
import { formatSummary, summarize } from "./summary";

const help = `npm run fleet -- up         brings all stacks of fleet.json up
npm run fleet -- drift      reports stacks that differ from the service or the program; changes nothing
npm run fleet -- destroy    destroys all stacks

  --concurrency N    number of stacks to run at a time (default: the number of CPUs)
  --run NAME         shares the stacks with all processes that use the same name, through the PostgreSQL
                     database in FLEET_DATABASE
  --retry-failed     with --run: runs failed stacks again
  --json             prints the summary as JSON

The exit code is 0 if all stacks succeeded, 1 if a stack failed or drifted, 2 for a mistake in the
command or the list, 130 if interrupted. The same command resumes an interrupted run.`;

void main(process.argv.slice(2)).then(
  (code) => {
    process.exitCode = code;
  },
  (error: unknown) => {
    const expected = error instanceof UsageError;
    console.error(expected ? error.message : `fleet: ${oneLine(String(error))}`);
    process.exitCode = expected ? 2 : 1;
  },
);

async function main(args: string[]): Promise<number> {
  const command = parse(args);
  if (command === undefined) {
    console.log(help);
    return 0;
  }
  const { action, fleet, json } = command;
  const started = Date.now();
  const progress = createProgress(fleet.stacks.length, action, process.stderr);
  const signals = listenForSignals(progress.say);
  const options = { ...command, ...signals, progress };
  const results = await (command.run === undefined ? runAlone(options) : runShared(options));
  progress.end();
  const summary = summarize(action, fleet.stacks.length, results, (Date.now() - started) / 1000);
  console.log(json ? JSON.stringify(summary, undefined, 2) : formatSummary(summary));
  if (summary.remaining > 0) return 130;
  return summary.succeeded === summary.total ? 0 : 1;
}

function parse(args: string[]): Command | undefined {
  const { values, positionals } = parsed(args);
  if (values.help || positionals.length === 0) return undefined;
  const action = actions.find((each) => each === positionals[0]);
  if (action === undefined || positionals.length > 1) {
    throw new UsageError(`Unknown action: ${positionals.join(" ")}\n${help}`);
  }
  const concurrency = Number(values.concurrency ?? availableParallelism());
  if (!Number.isInteger(concurrency) || concurrency < 1) {
    throw new UsageError("--concurrency must be a positive integer");
  }
  const { run, json = false, "retry-failed": retryFailed = false } = values;
  if (retryFailed && run === undefined) throw new UsageError("--retry-failed requires --run");
  return { action, fleet: readFleet(), concurrency, run, retryFailed, json };
}

function parsed(args: string[]) {
  try {
    return parseArgs({
      args,
      allowPositionals: true,
      options: {
        concurrency: { type: "string" },
        run: { type: "string" },
        "retry-failed": { type: "boolean" },
        json: { type: "boolean" },
        help: { type: "boolean", short: "h" },
      },
    });
  } catch (error) {
    throw new UsageError(`${error instanceof Error ? error.message : String(error)}\n${help}`);
  }
}
