/** Runs the action of examples/pr-check as GitHub does, against a local stand-in of GitHub's REST API. */
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { type IncomingMessage, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import { parse } from "yaml";
import { z } from "zod";
import { useCleanup } from "../support/cleanup";
import type { TestStack } from "./stack";
import { useStack } from "./useStack";

const actionSchema = z.object({
  inputs: z.record(z.string(), z.object({ default: z.string().optional() })),
  runs: z.object({
    using: z.literal("composite"),
    steps: z.array(
      z.object({
        id: z.string().optional(),
        if: z.string().optional(),
        run: z.string(),
        env: z.record(z.string(), z.string()).default({}),
        "working-directory": z.string().optional(),
      }),
    ),
  }),
});
const workflowSchema = z.object({
  jobs: z.object({
    preview: z.object({
      concurrency: z.string(),
      steps: z.array(
        z.object({
          uses: z.string().optional(),
          run: z.string().optional(),
          if: z.string().optional(),
          env: z.record(z.string(), z.string()).default({}),
        }),
      ),
    }),
  }),
});

const github = join(__dirname, "../../examples/pr-check/.github");
const readYaml = (file: string): unknown => parse(readFileSync(join(github, file), "utf8"));
const action = actionSchema.parse(readYaml("actions/preview/action.yml"));
const workflow = workflowSchema.parse(readYaml("workflows/preview.yml")).jobs.preview;

const token = "token-of-the-job";
const bot = "github-actions[bot]";

interface Comment {
  readonly id: number;
  readonly user: { readonly login: string };
  body: string;
}

describe("the pull request check of examples/pr-check", () => {
  const cleanup = useCleanup("test");
  const { service, createExample, run } = useStack();
  let tested: TestStack;
  let comments: Comment[];
  let apiUrl: string;

  beforeEach(async () => {
    comments = [];
    apiUrl = await startGitHub();
    tested = await createExample("pr-check");
    for (const args of [
      ["init", "--quiet"],
      ["config", "user.email", "a@b.example"],
      ["config", "user.name", "a"],
    ]) {
      await git(...args);
    }
  });

  /** Serves the comments of pull request 7 of acme/infra, 100 on each page. */
  async function startGitHub(): Promise<string> {
    const server = createServer((request, response) => {
      void answer(request).then(([status, body]) => {
        response.writeHead(status, { "content-type": "application/json" });
        response.end(JSON.stringify(body));
      });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    cleanup(() => new Promise<unknown>((resolve) => server.close(resolve)));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  async function answer(request: IncomingMessage): Promise<readonly [number, unknown]> {
    const { pathname, searchParams } = new URL(request.url ?? "", "http://localhost");
    const route = `${request.method ?? ""} ${pathname}`;
    if (request.headers.authorization !== `Bearer ${token}`) return [401, {}];
    if (route === "GET /repos/acme/infra/issues/7/comments") {
      const count = Number(searchParams.get("per_page"));
      const start = (Number(searchParams.get("page")) - 1) * count;
      return [200, comments.slice(start, start + count)];
    }
    const { body } = z.object({ body: z.string().max(65_536) }).parse(await json(request));
    if (route === "POST /repos/acme/infra/issues/7/comments") {
      comments.push({ id: comments.length + 1, user: { login: bot }, body });
      return [201, comments.at(-1)];
    }
    const id = /^PATCH \/repos\/acme\/infra\/issues\/comments\/(\d+)$/.exec(route)?.[1];
    const comment = comments.find((each) => each.id === Number(id));
    if (comment === undefined) return [404, {}];
    comment.body = body;
    return [200, comment];
  }

  async function git(...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await run(tested, "git", args).result;
    assert.equal(code, 0, stderr);
    return stdout.trim();
  }

  /** Commits a program, then runs the steps of the action with the expressions of their environment. */
  async function push(
    program: (text: string) => string,
    {
      stack = "test",
      environment = {},
      first = 0,
    }: { stack?: string; environment?: Record<string, string>; first?: number } = {},
  ) {
    const file = join(tested.folder, "index.ts");
    writeFileSync(file, program(readFileSync(file, "utf8")));
    await git("add", "index.ts", "Pulumi.yaml");
    await git("commit", "--quiet", "--allow-empty", "--message", "Change");
    const commit = await git("rev-parse", "HEAD");
    const scratch = join(tested.folder, "runner");
    mkdirSync(scratch, { recursive: true });
    const [output, summary] = [join(scratch, "output"), join(scratch, "summary")];
    for (const each of [output, summary]) writeFileSync(each, "");
    const outputOf = (name: string) =>
      new RegExp(`^${name}=(.*)$`, "m").exec(readFileSync(output, "utf8"))?.[1];
    const values = (): Record<string, string | undefined> => ({
      "github.token": token,
      "github.event.pull_request.number": "7",
      "github.event.pull_request.head.sha": commit,
      "inputs.stack": stack,
      "inputs.folder": ".",
      "inputs.github-token": token,
      "inputs.comment-author": action.inputs["comment-author"]?.default,
      "steps.preview.outputs.report": outputOf("report"),
      "steps.preview.outputs.title": outputOf("title"),
    });
    const resolve = (text: string) =>
      text.replace(/\$\{\{ (\S+) \}\}/g, (_, name: string) => {
        assert.ok(name in values(), name);
        return values()[name] ?? "";
      });
    let failed = false;
    let annotations = "";
    for (const step of action.runs.steps.slice(first)) {
      assert.doesNotMatch(
        step.run,
        /\$\{\{/,
        "values reach the shell only through the environment",
      );
      if (failed && !/!cancelled\(\)/.test(step.if ?? "")) continue;
      const own = Object.entries(step.env).map(([name, text]) => [name, resolve(text)] as const);
      const bash = ["--noprofile", "--norc", "-eo", "pipefail", "-c", step.run];
      const { code, stdout, stderr } = await run(tested, "bash", bash, {
        environment: {
          GITHUB_ACTION_PATH: join(github, "actions/preview"),
          GITHUB_API_URL: apiUrl,
          GITHUB_OUTPUT: output,
          GITHUB_REPOSITORY: "acme/infra",
          GITHUB_RUN_ID: "1",
          GITHUB_SERVER_URL: "https://github.example",
          GITHUB_STEP_SUMMARY: summary,
          GITHUB_WORKSPACE: tested.folder,
          RUNNER_TEMP: scratch,
          ...Object.fromEntries(own),
          ...environment,
        },
      }).result;
      assert.equal(stderr.replace(/^npm warn .*\n/gm, ""), "", stdout);
      failed ||= code !== 0;
      annotations += stdout;
    }
    return {
      failed,
      commit,
      annotations,
      summary: readFileSync(summary, "utf8"),
      files: readdirSync(scratch, { recursive: true }).join("\n"),
    };
  }

  const bodies = () => comments.map(({ body }) => body.replace(/^<!--.*-->\n/, ""));

  it("comments on the first commit, updates the comment, and fails on a refused disable", async () => {
    const marker = "<!-- pulumi-clouddb preview: clouddb-pr-check%2Ftest -->\n";
    // Further than the first page; that of another tool, and that of a user who copied the marker.
    for (let id = 1; id <= 120; id++) {
      comments.push({
        id,
        user: { login: id === 7 ? "mallory" : bot },
        body: id === 7 ? marker : "coverage: 90 %",
      });
    }
    const foreign = structuredClone(comments);

    const first = await push((text) => text.replace("enabled: false", "enabled: true"));
    assert.equal(first.failed, false, first.annotations);
    const [posted] = comments.slice(120);
    assert.match(
      posted?.body ?? "",
      /^<!-- pulumi-clouddb preview: clouddb-pr-check%2Ftest -->\n### `clouddb-pr-check\/test`: changed\n/,
    );
    assert.match(posted?.body ?? "", /1 lookup is added/);
    assert.ok(
      posted?.body.includes(
        `${first.commit} · [job](https://github.example/acme/infra/actions/runs/1)`,
      ),
    );

    const second = await push((text) => text.replace('"peering"', '"internet"'));
    assert.equal(second.failed, false);
    assert.match(
      second.annotations,
      /^::notice file=index\.ts,line=\d+,title=ClusterConnectionStrings orders::create .*standardSrv/m,
    );
    assert.ok(posted?.body.includes(second.commit));

    service.project().updateCluster("orders", { version: "6.0.5" });
    service.project().updateCluster("sessions", { version: "5.0.1" });
    const third = await push((text) => text.replace("enabled: true", "enabled: false"));
    assert.equal(third.failed, true);
    const line =
      readFileSync(join(tested.folder, "index.ts"), "utf8")
        .split("\n")
        .findIndex((each) => each.includes("new clouddb.PrivateIpMode")) + 1;
    assert.match(
      third.annotations,
      new RegExp(`^::error file=index\\.ts,line=${line},title=PrivateIpMode orders::`, "m"),
    );
    assert.match(
      posted?.body ?? "",
      /\| `orders` \| `6\.0\.5` \| below 7\.0 \|\n\| `sessions` \| `5\.0\.1` \|/,
    );
    assert.equal(
      third.summary,
      bodies()
        .at(-1)
        ?.replace(/\n<sub>.*\n$/, ""),
    );

    assert.deepEqual(comments.slice(0, 120), foreign);
    assert.equal(comments.length, 121, "the comment is updated");
    assert.equal(service.project().privateIpMode.enabled, true, "previews change nothing");
    assert.doesNotMatch(third.files, /events\.jsonl/, "the event log contains secrets");
    assert.doesNotMatch(`${third.annotations}${bodies().join("")}`, /\n\s+at |demo-secret/);
  });

  it("keeps a comment for each stack, also if a stack does not exist", async () => {
    assert.equal((await push((text) => text)).failed, false);
    const missing = await push((text) => text, { stack: "missing" });
    assert.equal(missing.failed, true);
    assert.match(missing.annotations, /^::error title=pulumi preview::no stack named 'missing'/);
    const [test, other] = bodies();
    assert.match(test ?? "", /^### `clouddb-pr-check\/test`: changed\n/);
    assert.match(
      other ?? "",
      /^### `clouddb-pr-check\/missing`: failed\n[^]*no stack named 'missing'/,
    );
    assert.equal(comments.length, 2);
  });

  it("comments even if the preview did not run, and says why if GitHub refuses the comment", async () => {
    assert.equal((await push((text) => text, { first: 1 })).failed, false);
    assert.match(bodies()[0] ?? "", /^### failed\n\nThe preview did not run/);
    const environment = { GH_TOKEN: "token-of-a-fork" };
    const { failed, annotations } = await push((text) => text, { first: 1, environment });
    assert.equal(failed, true);
    assert.match(annotations, /^::error title=Comment::GitHub answered GET with 401\./m);
  });
});

describe("the workflow of examples/pr-check", () => {
  it("passes secrets to the preview alone, and fails for forks before anything of them runs", () => {
    const [guard, ...rest] = workflow.steps;
    assert.match(guard?.if ?? "", /head\.repo\.full_name != github\.repository/);
    assert.match(guard?.run ?? "", /\nexit 1\n$/);
    const withSecrets = rest.filter(({ env }) => /secrets\./.test(JSON.stringify(env)));
    assert.deepEqual(
      withSecrets.map(({ uses }) => uses),
      ["./.github/actions/preview"],
    );
    const [{ env } = { env: {} }] = withSecrets;
    for (const name of ["CLOUDDB_BASE_URL", "CLOUDDB_CLIENT_ID", "CLOUDDB_CLIENT_SECRET"]) {
      assert.ok(name in env, name);
    }
    assert.match(workflow.concurrency, /pull_request\.number.*matrix\.stack/);
    assert.ok(existsSync(join(github, "actions/preview/action.yml")));
  });
});
