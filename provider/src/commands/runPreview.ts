/** Runs `pulumi preview` for a report. What it writes contains secrets in plain text, and never outlives the call. */
import { spawn } from "node:child_process";
import { closeSync, mkdtempSync, openSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { escapeText } from "../messages/text";
import { ProviderError, UserError } from "../messages/errors";
import { inputLimit, readFile } from "../report/files";
import { nameOf, readInput, stackType } from "../report/input";
import { interpret } from "../report/meaning";
import { errorLog, notStarted } from "./command";

/** What Pulumi left of a preview: the paths of files, which do not all exist after a failure. */
export interface PulumiFiles {
  readonly outputs: readonly string[];
  /** Event logs of further previews, each without the resources that failed in those before. */
  readonly repeats: readonly string[];
  /** What it printed on standard error. */
  readonly log: string;
  readonly exitCode: number;
}

/** How many further previews look for errors after the first one, at which a preview stops. */
const maxRepeats = 5;

/** The signals with which terminals and CI systems end a command. */
const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/**
 * Runs `pulumi preview` and `pulumi stack export`, and returns what `read` makes of their files.
 * Passes signals on to Pulumi; after one, waits until it has ended, then throws.
 */
export async function runPreview<Result>(
  stack: string,
  args: readonly string[],
  read: (files: PulumiFiles) => Result,
): Promise<Result> {
  const folder = mkdtempSync(join(process.env["RUNNER_TEMP"] || tmpdir(), "pulumi-clouddb-"));
  const file = (name: string) => join(folder, name);
  let received: string | undefined;
  let pass: (signal: NodeJS.Signals) => void = () => undefined;
  const receive = (signal: NodeJS.Signals) => {
    received ??= signal;
    pass(signal);
  };
  const remove = () => {
    rmSync(folder, { recursive: true, force: true });
  };
  for (const signal of signals) process.on(signal, receive);
  // An output that is closed ends the process without `finally`.
  process.on("exit", remove);
  const started = Date.now();
  const progress = setInterval(() => {
    const seconds = Math.round((Date.now() - started) / 1000);
    void errorLog("progress", `pulumi preview of ${escapeText(stack)} has run for ${seconds} s`);
  }, 10_000);

  const pulumi = (given: readonly string[], output: string, log: string) =>
    new Promise<number>((resolve) => {
      const [stdout, stderr] = [openSync(file(output), "w"), openSync(file(log), "w")];
      const child = spawn("pulumi", [...given, "--stack", stack, "--non-interactive"], {
        stdio: ["ignore", stdout, stderr],
        // Makes the option --event-log available, and --json one document.
        env: {
          ...process.env,
          PULUMI_DEBUG_COMMANDS: "true",
          PULUMI_ENABLE_STREAMING_JSON_PREVIEW: "false",
        },
        // Otherwise a terminal would interrupt Pulumi, too, and the second interruption ends it at once.
        detached: process.platform !== "win32",
      });
      closeSync(stdout);
      closeSync(stderr);
      pass = (signal) => child.kill(signal === "SIGHUP" ? "SIGTERM" : signal);
      child.once("error", (error) => {
        const reason = "code" in error ? String(error.code) : error.message;
        writeFileSync(file(log), `error: ${notStarted(reason)}`);
        resolve(127);
      });
      child.once("close", (code) => {
        resolve(code ?? 1);
      });
    });

  try {
    const preview = (events: string, output: string, log: string, more: readonly string[]) =>
      pulumi(["preview", "--json", "--event-log", file(events), ...args, ...more], output, log);
    const exitCode = await preview("events.jsonl", "preview.json", "log", []);
    const outputs = ["events.jsonl", "preview.json"];
    const repeats: string[] = [];
    if (received === undefined) {
      // Has what receives a changed string without a change of its own, and the lines of resources that failed.
      const exportCode = await pulumi(["stack", "export"], "state.json", "export.log");
      const isReadable = exportCode === 0 && statSync(file("state.json")).size <= inputLimit;
      if (isReadable) outputs.push("state.json");
    }
    const failed = { urns: new Set<string>(), errors: new Set<string>() };
    const canFindMore = (events: string) =>
      exitCode !== 0 && received === undefined && addFailures(failed, file(events));
    let last = "events.jsonl";
    while (repeats.length < maxRepeats && canFindMore(last)) {
      const excluded = [...failed.urns].flatMap((urn) => ["--exclude", urn]);
      last = `repeat-${repeats.length + 1}.jsonl`;
      await preview(last, "repeat.json", "repeat.log", [...excluded, "--exclude-dependents"]);
      repeats.push(last);
    }
    if (received !== undefined) throw new ProviderError(`${received} ended pulumi preview.`);
    return read({
      outputs: outputs.map(file),
      repeats: repeats.map(file),
      log: file("log"),
      exitCode,
    });
  } finally {
    clearInterval(progress);
    remove();
    process.off("exit", remove);
    for (const signal of signals) process.off(signal, receive);
  }
}

/**
 * Adds the resources that failed in an event log, and their errors. Returns whether a further preview could find others:
 * not if all fail for the same reason, such as a wrong password.
 */
function addFailures(
  { urns, errors }: { readonly urns: Set<string>; readonly errors: Set<string> },
  events: string,
): boolean {
  try {
    const input = readInput(readFile(events), events);
    const report = interpret([input], { exitCode: 1 });
    const before = [urns.size, errors.size];
    for (const { severity, urn = "" } of input.diagnostics) {
      if (severity === "error" && urn !== "" && nameOf(urn).type !== stackType) urns.add(urn);
    }
    for (const { text } of [...report.errors, ...report.refusals]) errors.add(text);
    return urns.size > (before[0] ?? 0) && errors.size > (before[1] ?? 0);
  } catch (error) {
    if (error instanceof UserError) return false;
    throw error;
  }
}
