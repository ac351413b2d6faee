/** Runs `pulumi-clouddb preview` on examples/pr-check as a job of GitHub does. */
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TestStack } from "./stack";
import { useStack } from "./useStack";

const root = join(__dirname, "../..");
const cli = join(root, "provider/bin/pulumi-clouddb.js");

describe("pulumi-clouddb preview on the real CLI", () => {
  const { service, createExample, run } = useStack();
  let tested: TestStack;
  let commits = 0;

  beforeEach(async () => {
    tested = await createExample("pr-check");
  });

  const runner = () => join(tested.folder, "runner");
  const files = ["event", "output", "summary", "preview.md"];

  /** Runs the command for a new commit, in a job of GitHub. */
  async function push(program: (text: string) => string) {
    const file = join(tested.folder, "index.ts");
    writeFileSync(file, program(readFileSync(file, "utf8")));
    const commit = String(++commits).repeat(40).slice(0, 40);
    mkdirSync(runner(), { recursive: true });
    const [event = "", output = "", summary = "", report = ""] = files.map((name) =>
      join(runner(), name),
    );
    const head = { sha: commit, repo: { full_name: "acme/infra" } };
    writeFileSync(event, JSON.stringify({ pull_request: { number: 7, head } }));
    for (const path of [output, summary]) writeFileSync(path, "");
    const args = [cli, "preview", "--stack", "test", "--markdown", report];
    const command = run(tested, process.execPath, args, {
      environment: {
        GITHUB_ACTIONS: "true",
        GITHUB_REPOSITORY: "acme/infra",
        GITHUB_RUN_ID: "1",
        GITHUB_SERVER_URL: "https://github.example",
        GITHUB_EVENT_PATH: event,
        GITHUB_OUTPUT: output,
        GITHUB_STEP_SUMMARY: summary,
        GITHUB_WORKSPACE: tested.folder,
        RUNNER_TEMP: runner(),
      },
    });
    const { code, stdout, stderr } = await command.result;
    assert.equal(stderr, "");
    const text = (file: string) => readFileSync(file, "utf8");
    return {
      code,
      stdout,
      commit,
      outcome: text(output),
      summary: text(summary),
      body: text(report),
    };
  }

  /** The files of the runner, without those of the job. */
  const leftFiles = () =>
    readdirSync(runner(), { recursive: true, encoding: "utf8" }).filter(
      (name) => !files.includes(name),
    );

  it("reports the changes of each commit, and fails if disabling is refused", async () => {
    const first = await push((text) => text.replace("enabled: false", "enabled: true"));
    assert.equal(first.code, 0, first.stdout);
    assert.match(
      first.body,
      new RegExp(
        `^<!-- pulumi-clouddb stack: clouddb-pr-check/test -->\n<!-- outcome: changed -->\n### \`clouddb-pr-check/test\`: changes at \`${first.commit.slice(0, 7)}\`\n\n\\[Log of the job\\]\\(https://github\\.example/acme/infra/actions/runs/1/attempts/1\\)\n`,
      ),
    );
    assert.match(first.body, /#### 1 lookup: added\n/);

    const second = await push((text) => text.replace('"peering"', '"internet"'));
    assert.deepEqual([second.code, second.outcome], [0, "outcome=changed\n"]);
    assert.doesNotMatch(second.stdout, /^::(notice|error)/m);
    assert.match(second.body, /\| `orders` \| `internet` `db\+srv:\/\/orders\./);

    service.project().updateCluster("orders", { version: "6.0.5" });
    service.project().updateCluster("sessions", { version: "5.0.1" });
    const third = await push((text) => text.replace("enabled: true", "enabled: false"));
    assert.equal(third.code, 1);
    assert.match(
      third.stdout,
      /^::error title=PrivateIpMode orders::private IP mode of project \w+ cannot be disabled: /m,
    );
    assert.match(
      third.stdout,
      /^::stop-commands::(\S+)\nclouddb-pr-check\/test: refused\n[^]*\n {4}orders +6\.0\.5\n[^]*\n::\1::\n/,
    );
    assert.match(third.body, /\n {2}orders {4}6\.0\.5\n {2}sessions {2}5\.0\.1\n/);
    assert.equal(third.summary, third.body);
    assert.equal(third.outcome, "outcome=refused\n");

    assert.equal(service.project().privateIpMode.enabled, true, "previews change nothing");
    assert.doesNotMatch(`${third.stdout}${third.body}`, /\n\s+at |demo-secret/);
    assert.deepEqual(leftFiles(), [], "the files of pulumi contain secrets");
  });
});

describe("the workflow of examples/pr-check", () => {
  it("passes secrets only to the preview, and the token of GitHub only to the comment", () => {
    const file = join(root, "examples/pr-check/.github/workflows/preview.yml");
    const [, ...steps] = readFileSync(file, "utf8").split(/^ {6}- /m);
    const [preview = "", comment = "", ...others] = steps.filter((step) =>
      /secrets\.|github\.token/.test(step),
    );
    assert.deepEqual(others, []);
    assert.match(preview, /run: npx --no pulumi-clouddb preview --stack /);
    for (const name of ["CLOUDDB_BASE_URL", "CLOUDDB_CLIENT_ID", "CLOUDDB_CLIENT_SECRET"])
      assert.match(preview, new RegExp(`^ +${name}: `, "m"));
    assert.match(comment, /^name: Comment\n/);
    assert.ok(!preview.includes("github.token") && !comment.includes("secrets."));
  });
});
