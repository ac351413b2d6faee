/** Runs the CI files of examples/pr-check with act and gitlab-ci-local, which stand in for GitHub and GitLab. */
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { scratchFolder, useCleanup } from "../support/cleanup";
import { buildPublished } from "../support/goProgram";
import { type ReviewHost, hostToken, startReviewHost } from "../support/reviewHost";
import { projectId, quickstartSeed, settingsFor } from "../support/service";
import type { TestStack } from "../engine/stack";
import { useStack } from "../engine/useStack";

const root = join(__dirname, "../..");
const account = { clientId: "svc_preview", clientSecret: "secret-of-the-preview" };

for (const system of ["GitHub", "GitLab"] as const) {
  describe(`the file of examples/pr-check for ${system}`, () => {
    const cleanup = useCleanup("test");
    const seed = quickstartSeed();
    for (const organization of seed.organizations ?? []) {
      organization.serviceAccounts = [{ ...account, roles: [{ projectId, role: "readOnly" }] }];
    }
    const { service, createExample, run } = useStack({ seed });
    const isGitHub = system === "GitHub";
    let tested: TestStack;
    let host: ReviewHost;
    let start: { readonly command: string; readonly args: readonly string[] };

    before("find the program", () => {
      start = isGitHub ? { command: act(), args: ["pull_request"] } : gitlabCiLocal();
    });

    beforeEach(async () => {
      host = await startReviewHost(cleanup);
      const { CLOUDDB_BASE_URL = "", CLOUDDB_CA_FILE = "" } = settingsFor(service);
      tested = await createExample("pr-check", {
        environment: {
          CLOUDDB_BASE_URL,
          CLOUDDB_CA_FILE,
          CLOUDDB_CLIENT_ID: account.clientId,
          CLOUDDB_CLIENT_SECRET: account.clientSecret,
        },
      });
      copyFileSync(file("gitlab-ci.yml"), file(".gitlab-ci.yml"));
      await git("init", "--quiet");
      await git("remote", "add", "origin", "https://git.example/acme/infra.git");
    });

    const file = (name: string) => join(tested.folder, name);

    async function git(...args: string[]): Promise<string> {
      const identity = ["-c", "user.name=a", "-c", "user.email=a@b.example"];
      const { code, stdout, stderr } = await run(tested, "git", [...identity, ...args]).result;
      assert.equal(code, 0, stderr);
      return stdout.trim();
    }

    /** Commits, and runs the whole file as for a pull request. */
    async function push() {
      await git("add", ".github", ".gitlab-ci.yml", "*.ts", "*.json", "Pulumi.yaml");
      await git("commit", "--quiet", "--allow-empty", "--message", "Change");
      host.commit = await git("rev-parse", "HEAD");
      const options = isGitHub ? actOptions() : gitlabOptions();
      const PATH = `${launchers()}:${process.env["PATH"] ?? ""}`;
      const environment = { PATH, XDG_CACHE_HOME: scratchFolder(cleanup) };
      const args = [...start.args, ...options];
      const { code, stdout, stderr } = await run(tested, start.command, args, { environment })
        .result;
      return { code, output: stdout + stderr };
    }

    /** Replaces `npm ci`, which fails if the file `broken` exists, and npx, which would download what is missing. */
    function launchers(): string {
      const folder = scratchFolder(cleanup);
      const command = `${process.execPath} ${join(root, "provider/bin/pulumi-clouddb.js")}`;
      const npx = join(dirname(process.execPath), "npx");
      const scripts = {
        npm: `[ ! -e ${file("broken")} ]`,
        npx: `case "$1 $2" in
  "--no-install pulumi-clouddb") shift 2; exec ${command} "$@" ;;
  *) exec ${npx} "$@" ;;
esac`,
      };
      for (const [name, script] of Object.entries(scripts)) {
        writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`);
        chmodSync(join(folder, name), 0o755);
      }
      return folder;
    }

    function actOptions(): string[] {
      const head = { sha: host.commit, ref: "change", repo: { full_name: "acme/infra" } };
      const event = { pull_request: { number: 7, head, base: { ref: "main" } } };
      writeFileSync(file("event.json"), JSON.stringify(event));
      mkdirSync(file("no-action"), { recursive: true });
      const noAction =
        "name: none\nruns: { using: composite, steps: [{ run: 'true', shell: sh }] }";
      writeFileSync(file("no-action/action.yml"), noAction);
      const workflow = readFileSync(file(".github/workflows/preview.yml"), "utf8");
      const actions = new Set([...workflow.matchAll(/uses: (\S+)/g)].map(([, name]) => name));
      const environment = {
        ...tested.environment,
        GITHUB_API_URL: host.url,
        GITHUB_REPOSITORY: "acme/infra",
      };
      return [
        "--eventpath",
        file("event.json"),
        "--platform",
        "ubuntu-latest=-self-hosted",
        "--action-offline-mode",
        ...[...actions].flatMap((name) => ["--local-repository", `${name}=${file("no-action")}`]),
        ...Object.entries(environment).flatMap(([name, text]) => ["--env", `${name}=${text}`]),
        "--var",
        `CLOUDDB_BASE_URL=${service.url}`,
        "--var",
        `CLOUDDB_CLIENT_ID=${account.clientId}`,
        "--secret",
        `CLOUDDB_CLIENT_SECRET=${account.clientSecret}`,
        "--secret",
        `GITHUB_TOKEN=${hostToken}`,
      ];
    }

    function gitlabOptions(): string[] {
      const variables = {
        ...tested.environment,
        ...host.gitlab,
        CI_PIPELINE_SOURCE: "merge_request_event",
      };
      return [
        "--force-shell-executor",
        ...Object.entries(variables).flatMap(([name, text]) => ["--variable", `${name}=${text}`]),
      ];
    }

    function edit(name: string, from: string, to: string) {
      const text = readFileSync(file(name), "utf8");
      assert.ok(text.includes(from), `${name}: ${from}`);
      writeFileSync(file(name), text.replaceAll(from, to));
    }

    it("comments on a refusal, then on a commit whose job fails before the preview", async () => {
      service.project().updateCluster("orders", { version: "6.0.5" });
      if (isGitHub) edit(".github/workflows/preview.yml", "[production]", "[test]");
      else edit(".gitlab-ci.yml", "--stack production", "--stack test");
      const refused = await push();
      assert.notEqual(refused.code, 0, refused.output);
      const [comment] = host.comments;
      assert.ok(comment !== undefined, refused.output);
      const heading = (outcome: string) =>
        `### \`clouddb-pr-check/test\`: ${outcome} at \`${host.commit.slice(0, 7)}\`\n`;
      assert.ok(comment.body.includes(heading("refused")), comment.body);
      assert.match(comment.body, /`orders`.*6\.0\.5/);
      assert.doesNotMatch(refused.output + comment.body, new RegExp(account.clientSecret));

      // A preview that succeeds keeps its comment.
      edit("index.ts", "enabled: false", "enabled: true");
      const changed = await push();
      assert.equal(changed.code, 0, changed.output);
      assert.ok(comment.body.includes(heading("changes")), comment.body);

      writeFileSync(file("broken"), "");
      const broken = await push();
      assert.notEqual(broken.code, 0, broken.output);
      // The comment names the commit that it is about.
      assert.ok(!comment.body.includes(host.commit.slice(0, 7)));
      assert.equal(host.comments.length, 1);
    });
  });
}

function act(): string {
  return buildPublished({ name: "act", module: "github.com/nektos/act", version: "v0.2.89" });
}

/** Returns Node.js 22 and gitlab-ci-local, which needs it and rsync. */
function gitlabCiLocal() {
  const { error } = spawnSync("rsync", ["--version"]);
  assert.equal(error, undefined, "gitlab-ci-local needs rsync. Run apt-get install rsync.");
  const options = ["--yes", "--package=node@22", "--package=gitlab-ci-local@4.75.1"];
  const locate = [...options, "--call", "which node gitlab-ci-local"];
  // In another folder, because here npx would put the commands of this repository on the PATH.
  const paths = execFileSync("npx", locate, { cwd: tmpdir(), encoding: "utf8" });
  const [command = "", script = ""] = paths.split("\n");
  return { command, args: [script] };
}
