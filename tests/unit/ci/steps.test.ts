/** Runs the steps that post a report with their own programs, such as gh, against stand-ins for GitHub and Azure DevOps. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { z } from "zod";
import { markdown } from "../../../provider/src/report/write/markdown";
import { temporaryFolder, useCleanup } from "../../support/cleanup";
import { minimalEnvironment, skipOnWindows, startCommand } from "../../support/command";
import { Missing, skipIfMissing } from "../../support/missing";
import {
  type ReviewHost,
  bot,
  hostToken,
  readOnlyToken,
  startReviewHost,
} from "../../support/reviewHost";
import { codeBlocks } from "../docs/markdown";
import { reportOf } from "../report/recorded";

const stepSchema = z.object({
  name: z.optional(z.string()),
  shell: z.optional(z.literal("bash")),
  run: z.optional(z.string()),
  bash: z.optional(z.string()),
  env: z.optional(z.record(z.string(), z.string())),
});
type Step = z.infer<typeof stepSchema>;
const stepsSchema = z.array(stepSchema);
const workflowSchema = z.object({ jobs: z.object({ preview: z.object({ steps: stepsSchema }) }) });

/** The step of examples/pr-check that comments. */
function commentStep(): Step {
  const text = readFileSync("examples/pr-check/.github/workflows/preview.yml", "utf8");
  const { steps } = workflowSchema.parse(parse(text)).jobs.preview;
  return steps.find(({ name }) => name === "Comment") ?? assert.fail();
}

/** The step of the guide that contains a text. */
function guideStep(part: string): Step {
  const path = "docs/guides/continuous-integration.md";
  const blocks = codeBlocks({ path, text: readFileSync(path, "utf8") });
  const block = blocks.find(({ language, code }) => language === "yaml" && code.includes(part));
  return stepsSchema.parse(parse(block?.code ?? ""))[0] ?? assert.fail();
}

describe("a step that posts a report", () => {
  skipOnWindows();
  const cleanup = useCleanup("test");
  let folder: string;
  let host: ReviewHost;
  let token: string;

  beforeEach(async () => {
    folder = temporaryFolder(cleanup);
    host = await startReviewHost(cleanup);
    token = hostToken;
  });

  /** Runs a script as the runners do, with the variables of its step and the values of their expressions. */
  async function runStep(
    { shell, run, bash, env = {} }: Step,
    expressions: Readonly<Record<string, string>>,
    environment: Readonly<Record<string, string>>,
  ) {
    const expand = (text: string) =>
      text.replace(
        /\$\{\{ (\S+) \}\}|\$\(([\w.]+)\)/g,
        (all, ofGitHub?: string, ofAzure?: string) =>
          expressions[ofGitHub ?? ofAzure ?? ""] ?? assert.fail(all),
      );
    const variables = Object.entries(env).map(([name, text]) => [name, expand(text)] as const);
    const script = join(folder, "step.sh");
    writeFileSync(script, run ?? bash ?? "");
    const ofGitHub = shell === undefined ? ["-e"] : ["-eo", "pipefail"];
    const options = run === undefined ? [] : ofGitHub;
    const command = startCommand(cleanup, "bash", ["--noprofile", "--norc", ...options, script], {
      cwd: folder,
      env: { ...minimalEnvironment(), ...environment, ...Object.fromEntries(variables) },
    });
    return await command.result;
  }

  describe("on GitHub", () => {
    before("find gh", function () {
      try {
        findGh();
      } catch (error) {
        skipIfMissing(this, error);
      }
    });

    const runOnGitHub = (step: Step) =>
      runStep(
        step,
        {
          "github.token": token,
          "github.repository": "acme/infra",
          "github.event.pull_request.number": "7",
          "github.event.issue.number": "7",
          "runner.temp": folder,
        },
        { ...host.github, GH_CONFIG_DIR: folder, GITHUB_REPOSITORY: "acme/infra" },
      );
    const post = (text: string) => {
      writeFileSync(join(folder, "preview.md"), text);
      return runOnGitHub(commentStep());
    };

    /** The reports of a stack. */
    const reportsOf = (stack: string) => {
      const of = (recording: string) => markdown(reportOf(recording, { title: `infra/${stack}` }));
      return {
        changed: of("string-changed"),
        refused: of("refused-by-one"),
        same: of("no-change"),
      };
    };
    const { changed, refused, same } = reportsOf("a");
    const bodies = () => host.comments.map(({ body }) => body);
    const writes = () => host.requests.filter((route) => !route.startsWith("GET"));

    it("creates a comment for changes and updates it, apart from that of another stack", async () => {
      const other = reportsOf("ab").refused;
      for (const text of [changed, other, refused]) {
        const { code, stdout } = await post(text);
        assert.equal(code, 0);
        assert.match(stdout, /^https:\/\/github\.com\/acme\/infra\/pull\/7#issuecomment-\d\n$/);
      }
      assert.deepEqual(bodies(), [refused, other]);
    });

    it("creates no comment for a stack without changes, but updates it", async () => {
      assert.equal((await post(same)).code, 0);
      assert.deepEqual(writes(), []);
      await post(changed);
      assert.equal((await post(same)).code, 0);
      assert.deepEqual(bodies(), [same]);
    });

    it("creates a comment although the program prints that nothing changes", async () => {
      await post(`${changed}\n<!-- outcome: unchanged -->\n`);
      assert.equal(host.comments.length, 1);
    });

    it("posts nothing without a report, which is no error", async () => {
      assert.equal((await runOnGitHub(commentStep())).code, 0);
      assert.deepEqual(host.requests, []);
    });

    it("finds its comment among 250, two with a copy of its first line, after an edit in a browser", async () => {
      for (let id = 1; id <= 250; id++)
        host.comments.push({ id, author: bot, body: `coverage: ${id} %` });
      const copies = [
        { id: 7, author: "mallory", body: changed },
        { id: 8, author: bot, body: `Replaces:\n${changed}` },
      ];
      host.comments.splice(6, 2, ...copies);
      const others = structuredClone(host.comments);
      host.comments.push({ id: 251, author: bot, body: changed.replaceAll("\n", "\r\n") });
      assert.equal((await post(refused)).code, 0);
      assert.deepEqual(host.comments, [...others, { id: 251, author: bot, body: refused }]);
      assert.equal(host.requests.length, 3 + 1);
    });

    it("updates the first one of several comments", async () => {
      for (const id of [1, 2]) host.comments.push({ id, author: bot, body: changed });
      assert.equal((await post(refused)).code, 0);
      assert.deepEqual(bodies(), [refused, changed]);
    });

    const html = { status: 200, body: "<html>Sign in</html>" };
    for (const [title, existing, method, answer] of [
      ["502 to the list of comments", "", "GET", { status: 502, body: {} }],
      ["a login page to the list of comments", "", "GET", html],
      ["502 to a new comment", "", "POST", { status: 502, body: {} }],
      ["a login page to a new comment", "", "POST", html],
      ["404 to an update", changed, "PATCH", { status: 404, body: {} }],
      ["a login page to an update", changed, "PATCH", html],
    ] as const) {
      it(`fails if the answer is ${title}`, async () => {
        if (existing !== "") host.comments.push({ id: 1, author: bot, body: existing });
        host.intercept = (route) => (route.startsWith(method) ? answer : undefined);
        assert.notEqual((await post(refused)).code, 0);
        assert.deepEqual(bodies(), existing === "" ? [] : [existing]);
      });
    }

    it("fails if the token can only read, or the text is longer than GitHub accepts", async () => {
      assert.notEqual((await post(changed.padEnd(70_000, "x"))).code, 0);
      token = readOnlyToken;
      assert.notEqual((await post(changed)).code, 0);
      assert.deepEqual(writes(), Array(2).fill("POST /repos/acme/infra/issues/7/comments"));
      assert.deepEqual(bodies(), []);
    });

    it("fails in the step of the guide for other events if the branch is that of a fork", async () => {
      const step = guideStep("gh pr view");
      assert.equal((await runOnGitHub(step)).code, 0);
      host.isFork = true;
      assert.notEqual((await runOnGitHub(step)).code, 0);
      host.intercept = () => ({ status: 502, body: {} });
      assert.notEqual((await runOnGitHub(step)).code, 0);
    });
  });

  describe("on Azure DevOps", () => {
    const report = markdown(reportOf("refused-by-one"));

    /** Runs the step of the guide, in which a script stands for the preview. */
    function runOnAzure(script: string) {
      const npx = `#!/bin/sh\n[ "$*" = "--no pulumi-clouddb preview --stack production --markdown preview.md" ] || exit 3\n${script}\n`;
      writeFileSync(join(folder, "npx"), npx, { mode: 0o755 });
      writeFileSync(join(folder, "report.md"), report);
      const PATH = `${folder}:${process.env["PATH"] ?? ""}`;
      return runStep(guideStep("$(System.AccessToken)"), host.azure, { PATH });
    }

    it("posts the report as a thread without its first two lines, and ends as the preview did", async () => {
      const { code, stdout, stderr } = await runOnAzure("cp report.md preview.md; exit 1");
      assert.deepEqual([code, stdout, stderr], [1, "Thread 1\n", ""]);
      const [posted] = host.comments;
      assert.equal(posted?.body, report.split("\n").slice(2).join("\n"));
      assert.match(posted.body, /^### `infra\/production`: refused\n/);
      assert.equal((await runOnAzure("cp report.md preview.md")).code, 0);
    });

    it("posts nothing without a report", async () => {
      assert.equal((await runOnAzure("exit 1")).code, 1);
      assert.deepEqual(host.requests, []);
    });

    for (const status of [203, 403]) {
      it(`fails if the answer is ${status} with HTML`, async () => {
        host.intercept = () => ({ status, body: "<html>Sign in</html>" });
        assert.notEqual((await runOnAzure("cp report.md preview.md")).code, 0);
      });
    }
  });
});

/** Throws if gh is not installed, or could not trust the stand-in. */
function findGh(): void {
  if (process.platform !== "linux")
    throw new Missing("elsewhere than on Linux, gh trusts only the certificates of the system");
  if (spawnSync("gh", ["--version"]).error) throw new Missing("gh is not installed");
}
