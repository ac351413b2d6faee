/**
 * Runs `pulumi preview` for a report. Its files contain secrets in plain text. Only this user can read them, and they are
 * removed at the end, unless SIGKILL or a crash ends this process.
 */
import type { ChildProcess } from "node:child_process";
import { closeSync, mkdtempSync, openSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import spawn from "cross-spawn";
import { withCode, ProviderError } from "../messages/errors";
import { type Preview, readEventLog } from "../report/read/eventLog";
import { readEndOfFile, readTextFile } from "../report/read/files";
import { type StateResource, readStackExport } from "../report/read/stackExport";
import { notStarted } from "./command";

/** What is left of a preview that has ended. */
export interface FinishedPreview {
  /** Undefined if the preview failed before its first event, or if its events are damaged. */
  readonly preview: Preview | undefined;
  readonly state: StateResource[] | undefined;
  /** What Pulumi printed to standard error (the last megabyte), and any problem with its files. */
  readonly log: string;
  readonly exitCode: number;
}

/** The signals with which terminals and CI systems end a command. Windows sends SIGBREAK for Ctrl-Break. */
const passedSignals = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGBREAK"] as const;

/** How long Pulumi may take to end after a signal, in milliseconds, before the next one. */
const signalInterval = 5000;

/** How long the export may take after the preview, in milliseconds. The report is then created without the state. */
const exportTimeout = 60_000;

/**
 * Leaves out the checkpoints of a preview, an experimental setting of Pulumi. With 3.274 and later, and not yet with
 * 3.260, a preview serializes the whole state after each resource that changes, as an update does, and then saves nothing
 * of it.
 */
const withoutCheckpoints = { PULUMI_SKIP_CHECKPOINTS: "true" };

/**
 * Runs `pulumi preview` and, at the same time, `pulumi stack export`. Passes signals on to both. After one, waits until
 * they have ended, then throws.
 */
export async function runPreview(stack: string, args: readonly string[]): Promise<FinishedPreview> {
  const folder = mkdtempSync(join(process.env["RUNNER_TEMP"] || tmpdir(), "pulumi-clouddb-"));
  const file = (name: string) => join(folder, name);
  const remove = () => {
    // A process of Pulumi that has not ended yet can still create a file.
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  };
  const signals = new Signals();
  // An output that is closed ends the process without `finally`.
  process.on("exit", remove);
  const pulumi = (given: readonly string[], output: string, log: string, environment = {}) =>
    runPulumi([...given, "--stack", stack, "--non-interactive"], {
      folder,
      environment,
      output: file(output),
      log: file(log),
      signals,
    });
  try {
    const runs = [
      pulumi(["preview", "--json", ...args], "events.jsonl", "log", withoutCheckpoints),
      // The state says what receives a changed string, and in which lines the failed resources are declared. An export
      // takes no lock, and its state of before the preview is the one that the events are about.
      pulumi(["stack", "export"], "state.json", "export.log"),
    ] as const;
    const bothEnded = Promise.allSettled(runs);
    void Promise.allSettled([runs[0]])
      .then(() => sleep(exportTimeout, undefined, { ref: false }))
      .then(() => {
        signals.kill();
      });
    await bothEnded;
    const [previewEnd, exportEnd] = await Promise.all(runs);
    if (signals.received !== undefined)
      throw new ProviderError(`${signals.received} ended pulumi preview.`);
    return readFiles(file, previewEnd, exportEnd);
  } finally {
    signals.stop();
    remove();
    process.off("exit", remove);
  }
}

/** Reads the files that Pulumi wrote. If they are damaged, only its standard error says what happened. */
function readFiles(
  file: (name: string) => string,
  { exitCode, problem }: RunEnd,
  exported: RunEnd,
): FinishedPreview {
  const isEmpty = (name: string) => statSync(file(name)).size === 0;
  const printed = readEndOfFile(file("log"));
  const log = problem === undefined ? printed : `${printed}\nerror: ${problem}`.trimStart();
  try {
    const preview = isEmpty("events.jsonl")
      ? undefined
      : readEventLog(readTextFile(file("events.jsonl")), "events.jsonl");
    const state =
      exported.exitCode !== 0 || isEmpty("state.json")
        ? undefined
        : readStackExport(readTextFile(file("state.json")), "state.json");
    return { preview, state, log, exitCode };
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    const problem = withCode(`The report could not be created: ${error.message}`, "report");
    const all = `${log}\nerror: ${problem}`;
    return { preview: undefined, state: undefined, log: all, exitCode: 1 };
  }
}

/** Passes the signals that this process receives on to Pulumi's processes, and ends those that do not end. */
class Signals {
  received: NodeJS.Signals | undefined;
  readonly #running = new Set<ChildProcess>();
  #timer: NodeJS.Timeout | undefined;
  readonly #receive = (signal: NodeJS.Signals) => {
    this.received ??= signal;
    const end = () => {
      for (const child of this.#running) child.kill(signal === "SIGINT" ? "SIGINT" : "SIGTERM");
    };
    // A console of Windows sends its signals to Pulumi, too, and kill() would end Pulumi at once.
    if (process.platform !== "win32") end();
    // Pulumi waits for its providers after the first signal, but not after the second one.
    this.#timer ??= setTimeout(() => {
      end();
      this.#timer = setTimeout(() => {
        this.kill();
      }, signalInterval);
    }, signalInterval);
  };

  constructor() {
    for (const signal of passedSignals) process.on(signal, this.#receive);
  }

  passTo(child: ChildProcess): void {
    this.#running.add(child);
    child.once("close", () => this.#running.delete(child));
  }

  /** Ends the processes that are still running, whatever they do. */
  kill(): void {
    for (const child of this.#running) child.kill("SIGKILL");
  }

  stop(): void {
    clearTimeout(this.#timer);
    for (const signal of passedSignals) process.off(signal, this.#receive);
  }
}

/** Where a process of Pulumi writes, and who ends it. */
interface Run {
  /** For temporary files, some of which Pulumi leaves when a signal ends it. */
  readonly folder: string;
  /** Variables for Pulumi that the environment of this process overrides. */
  readonly environment: Readonly<Record<string, string>>;
  readonly output: string;
  readonly log: string;
  readonly signals: Signals;
}

/** How a process of Pulumi ended. */
interface RunEnd {
  readonly exitCode: number;
  /** Why it did not start, or which signal ended it. Undefined if it ended by itself. */
  readonly problem: string | undefined;
}

/** Runs the Pulumi CLI, which writes to files. */
function runPulumi(
  args: readonly string[],
  { folder, environment, output, log, signals }: Run,
): Promise<RunEnd> {
  return new Promise((resolve) => {
    const stdout = openSync(output, "w");
    const stderr = openSync(log, "w");
    const child = spawn("pulumi", args, {
      stdio: ["ignore", stdout, stderr],
      env: {
        ...environment,
        ...process.env,
        TMPDIR: folder,
        TMP: folder,
        TEMP: folder,
        // Otherwise, the output of --json lacks stack outputs and policies.
        PULUMI_ENABLE_STREAMING_JSON_PREVIEW: "true",
      },
      // Otherwise a terminal would interrupt Pulumi, too, and the second interruption ends it at once.
      detached: process.platform !== "win32",
    });
    closeSync(stdout);
    closeSync(stderr);
    signals.passTo(child);
    child.once("error", (error) => {
      const reason = "code" in error ? String(error.code) : error.message;
      resolve({ exitCode: 127, problem: notStarted(reason) });
    });
    child.once("close", (code, signal) => {
      const problem = signal === null ? undefined : `${signal} ended pulumi.`;
      resolve({ exitCode: code ?? 1, problem });
    });
  });
}
