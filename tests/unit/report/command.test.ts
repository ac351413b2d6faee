/** Runs `pulumi-clouddb report` in a project folder with the files of recordings/. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { temporaryFolder, useCleanup } from "../../support/cleanup";
import { minimalEnvironment, sourceCommand, startCommand } from "../../support/command";

const recordings = join(__dirname, "recordings");
const recordingSchema = z.object({ program: z.string(), json: z.unknown() });

describe("pulumi-clouddb report", () => {
  const cleanup = useCleanup("test");

  /** Runs it in the folder `infra` of a repository. */
  async function report(name: string, args: string[], isFile = false) {
    const text = readFileSync(join(recordings, `${name}.json`), "utf8");
    const { program, json } = recordingSchema.parse(JSON.parse(text));
    const repository = temporaryFolder(cleanup);
    const cwd = join(repository, "infra");
    mkdirSync(cwd);
    writeFileSync(join(cwd, "index.ts"), program);
    writeFileSync(join(cwd, "preview.json"), JSON.stringify(json));
    writeFileSync(join(cwd, "preview.log"), "error: no stack named 'x'");
    for (const pipe of ["pipe.json", "pipe.ts"]) execFileSync("mkfifo", [join(cwd, pipe)]);
    const summary = join(repository, "summary.md");
    const command = startCommand(
      cleanup,
      process.execPath,
      [...sourceCommand("provider"), "report", ...args],
      {
        cwd,
        env: {
          ...minimalEnvironment(),
          GITHUB_WORKSPACE: repository,
          GITHUB_STEP_SUMMARY: summary,
        },
        input: isFile ? "" : JSON.stringify(json),
      },
    );
    return { ...(await command.result), summary: () => readFileSync(summary, "utf8") };
  }

  for (const [name, expected] of [
    ["no-change", 0],
    ["string-changed", 2],
    ["refused-by-one", 1],
    ["failed-login", 1],
  ] as const) {
    it(`reads standard input, and exits with ${expected}: ${name}`, async () => {
      const { code, stdout, stderr } = await report(name, []);
      assert.deepEqual([code, stderr], [expected, ""]);
      assert.match(stdout, /^### `infra\/production`: /);
    });
  }

  it("exits with 0 after a report of a failure with --exit-zero", async () => {
    const { code, stdout } = await report("refused-by-one", ["--exit-zero", "preview.json"], true);
    assert.equal(code, 0);
    assert.match(stdout, /: refused\n/);
  });

  it("annotates the line of a refused resource, and adds the report to the job summary", async () => {
    const { code, stdout, summary } = await report("refused-by-one", ["--format", "github"]);
    assert.equal(code, 1);
    assert.match(stdout, /^::error file=infra\/index\.ts,line=5,title=PrivateIpMode orders::/);
    assert.equal(summary(), (await report("refused-by-one", [])).stdout);
  });

  it("reports a preview that failed before it began", async () => {
    const args = ["--exit-code", "255", "--log", "preview.log", "--format", "json", "missing.json"];
    const { code, stdout } = await report("no-change", args, true);
    assert.equal(code, 1);
    assert.match(stdout, /"outcome": "failed"/);
    assert.match(stdout, /no stack named 'x'/);
  });

  for (const [args, problem] of [
    [["missing.json"], /^Could not create the report: missing\.json cannot be read: ENOENT/],
    [["pipe.json"], /^Could not create the report: pipe\.json is not a regular file\. Pass a file/],
    [["preview.log"], /^Could not create the report: preview\.log is not JSON/],
    [["preview.json", "preview.json"], /^Could not create the report: Two of the files/],
    [["--format", "html"], /: --format must be one of markdown, text, json, github, gitlab; see /],
    [["--exit-code", "none"], /: --exit-code must be a number, not "none"; see /],
    [["--exitzero"], /: unknown option --exitzero; did you mean --exit-zero\?/],
  ] as const) {
    it(`exits with 1, never with the code for changes: ${args.join(" ")}`, async () => {
      const { code, stdout, stderr } = await report("string-changed", [...args], true);
      assert.deepEqual([code, stdout], [1, ""]);
      assert.match(stderr, problem);
    });
  }
});
