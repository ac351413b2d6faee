/** Runs `pulumi-clouddb preview` on examples/pr-check as a job of GitHub does, against a stand-in for GitHub. */
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { useCleanup } from "../support/cleanup";
import { type ReviewHost, hostToken, startReviewHost } from "../support/reviewHost";
import type { TestStack } from "./stack";
import { useStack } from "./useStack";

const root = join(__dirname, "../..");
const cli = join(root, "provider/bin/pulumi-clouddb.js");

describe("pulumi-clouddb preview on the real CLI", () => {
  const cleanup = useCleanup("test");
  const { service, createExample, run } = useStack();
  let tested: TestStack;
  let host: ReviewHost;
  let commits = 0;

  beforeEach(async () => {
    host = await startReviewHost(cleanup);
    tested = await createExample("pr-check");
  });

  const runner = () => join(tested.folder, "runner");

  /** Runs the command for a new commit, in a job of GitHub. */
  async function push(program: (text: string) => string) {
    const file = join(tested.folder, "index.ts");
    writeFileSync(file, program(readFileSync(file, "utf8")));
    host.commit = String(++commits).repeat(40).slice(0, 40);
    mkdirSync(runner(), { recursive: true });
    const [event = "", output = "", summary = ""] = ["event", "output", "summary"].map((name) =>
      join(runner(), name),
    );
    const head = { sha: host.commit, repo: { full_name: "acme/infra" } };
    writeFileSync(event, JSON.stringify({ pull_request: { number: 7, head } }));
    for (const path of [output, summary]) writeFileSync(path, "");
    const command = run(tested, process.execPath, [cli, "preview", "--stack", "test"], {
      environment: {
        ...host.github,
        GITHUB_EVENT_PATH: event,
        GITHUB_OUTPUT: output,
        GITHUB_STEP_SUMMARY: summary,
        GITHUB_WORKSPACE: tested.folder,
        RUNNER_TEMP: runner(),
      },
    });
    const { code, stdout, stderr } = await command.result;
    assert.equal(stderr, "");
    const outcome = readFileSync(output, "utf8");
    return { code, stdout, outcome, summary: readFileSync(summary, "utf8") };
  }

  /** The files of the runner, without those that the tests wrote. */
  const leftFiles = () =>
    readdirSync(runner(), { recursive: true, encoding: "utf8" }).filter(
      (name) => !/^(event|output|summary)$/.test(name),
    );
  const bodies = () => host.comments.map(({ body }) => body.replaceAll(/^<!--.*-->\n/gm, ""));

  it("comments on the first commit, updates the comment, and fails if disabling is refused", async () => {
    const first = await push((text) => text.replace("enabled: false", "enabled: true"));
    assert.equal(first.code, 0, first.stdout);
    assert.match(
      bodies()[0] ?? "",
      new RegExp(
        `^### \`clouddb-pr-check/test\`: changes at \`${host.commit.slice(0, 7)}\`\n\n\\[Log of the job\\]\\(https://github\\.example/acme/infra/actions/runs/1/attempts/1\\)\n`,
      ),
    );
    assert.match(bodies()[0] ?? "", /#### 1 lookup: added\n/);

    const second = await push((text) => text.replace('"peering"', '"internet"'));
    assert.deepEqual([second.code, second.outcome], [0, "outcome=changed\n"]);
    assert.doesNotMatch(second.stdout, /^::(notice|error)/m);
    assert.match(bodies()[0] ?? "", /\| `orders` \| `internet` `db\+srv:\/\/orders\./);

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
    assert.match(bodies()[0] ?? "", /\n {2}orders {4}6\.0\.5\n {2}sessions {2}5\.0\.1\n/);
    assert.equal(third.summary, bodies()[0]);
    assert.equal(third.outcome, "outcome=refused\n");

    assert.equal(host.comments.length, 1, "the comment is updated");
    assert.equal(service.project().privateIpMode.enabled, true, "previews change nothing");
    assert.doesNotMatch(`${third.stdout}${bodies().join("")}`, /\n\s+at |demo-secret/);
    assert.ok(!`${third.stdout}${bodies().join("")}`.includes(hostToken));
    assert.deepEqual(leftFiles(), [], "the files of pulumi contain secrets");
  });
});

describe("the workflow of examples/pr-check", () => {
  it("passes secrets only to the preview", () => {
    const file = join(root, "examples/pr-check/.github/workflows/preview.yml");
    const [, ...steps] = readFileSync(file, "utf8").split(/^ {6}- /m);
    const withSecrets = steps.filter((step) => /secrets\.|github\.token/.test(step));
    assert.equal(withSecrets.length, 1);
    assert.match(withSecrets.join(), /run: npx --no-install pulumi-clouddb preview --stack /);
    for (const name of ["CLOUDDB_BASE_URL", "CLOUDDB_CLIENT_ID", "CLOUDDB_CLIENT_SECRET"])
      assert.match(withSecrets.join(), new RegExp(`^ +${name}: `, "m"));
  });
});
