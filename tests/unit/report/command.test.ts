import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { report as command } from "../../../provider/src/commands/report";
import { temporaryFolder, useCleanup } from "../../support/cleanup";
import { runCommand } from "../../lifecycles/commands/runCommand";
import { read } from "./recorded";

describe("pulumi-clouddb report", () => {
  const cleanup = useCleanup("test");

  /** Runs it with the files of a recorded preview, as PowerShell writes them. */
  function report(name: string, ...more: string[]) {
    const { events, state } = read(name);
    const folder = temporaryFolder(cleanup);
    const files = {
      "events.jsonl": events.map((event) => JSON.stringify(event)).join("\r\n"),
      "state.json": JSON.stringify(state),
      "preview.log": "error: no stack named 'x'",
    };
    for (const [file, text] of Object.entries(files))
      writeFileSync(join(folder, file), `\ufeff${text}`, "utf16le");
    const args = more.map((argument) => (argument in files ? join(folder, argument) : argument));
    return runCommand(command, args, {});
  }

  for (const [name, outcome, expected] of [
    ["no-change", "no changes", 0],
    ["string-changed", "changes", 0],
    ["refused-by-one", "refused", 1],
    ["failed-login", "failed", 1],
  ] as const) {
    it(`prints Markdown, and exits with ${expected}: ${outcome}`, async () => {
      const { code, stdout, stderr } = await report(name, "events.jsonl", "state.json");
      assert.deepEqual([code, stderr], [expected, ""]);
      assert.match(stdout, new RegExp(`^<!--.*\n<!--.*\n### \`infra/production\`: ${outcome}\n`));
    });
  }

  it("says that the receivers are not known without a state", async () => {
    const { stdout } = await report("string-changed", "events.jsonl");
    assert.match(stdout, /\nThe state is not available, so the resources that receive /);
  });

  for (const [args, expected, problem] of [
    [[], 2, /: pass the event log of a preview .*; see pulumi-clouddb report --help\n$/],
    [["events.jsonl", "state.json", "events.jsonl"], 2, /: pass the event log of a preview/],
    [["--format", "json"], 2, /: unknown option '--format'; /],
    [["missing.json"], 1, /^Could not create the report: missing\.json cannot be read: ENOENT/],
    [["preview.log"], 1, /^Could not create the report: line 1 of \S+preview\.log is not an event/],
    [["state.json"], 1, /: line 1 of \S+state\.json is not an event .* \[clouddb-report\]\n$/],
  ] as const) {
    it(`exits with ${expected}: report ${args.join(" ")}`, async () => {
      const { code, stdout, stderr } = await report("string-changed", ...args);
      assert.deepEqual([code, stdout], [expected, ""]);
      assert.match(stderr, problem);
    });
  }
});
