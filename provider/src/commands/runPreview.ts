/** Runs `pulumi preview` for a report. What it writes contains secrets in plain text, and never outlives the call. */
import { spawn } from "node:child_process";
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { escapeText } from "../messages/text";
import { ProviderError, UserError } from "../messages/errors";
import { readFile } from "../report/files";
import { nameOf, readInput, stackType } from "../report/input";
import { errorLog } from "./command";

/** What Pulumi left of a preview: the paths of files, which do not all exist after a failure. */
export interface PulumiFiles {
  readonly outputs: readonly string[];
  /** Event logs of further previews, each without the resources that failed in those before. */
  readonly repeats: readonly string[];
  /** What it printed on standard error. */
  readonly log: string;
  readonly exitCode: number;
}

/** How many further previews look for errors after the first one: a preview stops at it. */
const maxRepeats = 5;

/** The signals with which terminals and CI systems end a command. */
const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/**
 * Runs `pulumi preview`, and `pulumi stack export` after a failure, and returns what `read` makes of their files.
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
        const reason = "code" in error && error.code === "ENOENT" ? "not on PATH" : error.message;
        writeFileSync(
          file(log),
          `The Pulumi CLI could not be started (${reason}). Install it: https://www.pulumi.com/docs/install/`,
        );
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
    if (exitCode !== 0 && received === undefined) {
      // A resource that failed has no line in the preview, but in the state.
      const exportCode = await pulumi(["stack", "export"], "state.json", "export.log");
      if (exportCode === 0) outputs.push("state.json");
    }
    const failed = new Set(exitCode === 0 ? [] : failedIn(file("events.jsonl")));
    for (let count = 0; failed.size > count && repeats.length < maxRepeats; ) {
      count = failed.size;
      const excluded = [...failed].flatMap((urn) => ["--exclude", urn]);
      const events = `repeat-${repeats.length + 1}.jsonl`;
      await preview(events, "repeat.json", "repeat.log", [...excluded, "--exclude-dependents"]);
      if (received !== undefined) break;
      for (const urn of failedIn(file(events))) failed.add(urn);
      repeats.push(events);
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

/** Returns the URNs of the resources with an error in an event log; none if it cannot be read. */
function failedIn(events: string): string[] {
  try {
    return readInput(readFile(events), events).diagnostics.flatMap(({ severity, urn = "" }) =>
      severity === "error" && urn !== "" && nameOf(urn).type !== stackType ? [urn] : [],
    );
  } catch (error) {
    if (error instanceof UserError) return [];
    throw error;
  }
}
