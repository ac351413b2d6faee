/** Runs `pulumi preview` for a report. What it writes contains secrets in plain text, and never outlives the call. */
import { spawn } from "node:child_process";
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { escapeText } from "../messages/text";
import { ProviderError } from "../messages/errors";
import { errorLog } from "./command";

/** What Pulumi left of a preview: the paths of files, which do not all exist after a failure. */
export interface PulumiFiles {
  readonly outputs: readonly string[];
  /** What it printed on standard error. */
  readonly log: string;
  readonly exitCode: number;
}

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
  for (const signal of signals) process.on(signal, receive);
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
    const events = ["--event-log", file("events.jsonl")];
    const exitCode = await pulumi(["preview", "--json", ...events, ...args], "preview.json", "log");
    const outputs = ["events.jsonl", "preview.json"];
    // A resource that failed has no line in the preview, but in the state.
    if (exitCode !== 0 && received === undefined) {
      const exportCode = await pulumi(["stack", "export"], "state.json", "export.log");
      if (exportCode === 0) outputs.push("state.json");
    }
    if (received !== undefined) throw new ProviderError(`${received} ended pulumi preview.`);
    return read({ outputs: outputs.map(file), log: file("log"), exitCode });
  } finally {
    clearInterval(progress);
    rmSync(folder, { recursive: true, force: true });
    for (const signal of signals) process.off(signal, receive);
  }
}
