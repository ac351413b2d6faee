/**
 * Runs the CI files of examples/pr-check with act and gitlab-ci-local, which stand in for the runners of GitHub and
 * GitLab. The comment goes to a stand-in for GitHub.
 */
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { scratchFolder, useCleanup } from "../support/cleanup";
import { buildPublished } from "../support/goProgram";
import { type ReviewHost, hostToken, startReviewHost } from "../support/reviewHost";
import { projectId, quickstartSeed, settingsFor } from "../support/service";
import type { TestStack } from "../engine/stack";
import { useStack } from "../engine/useStack";

const root = join(__dirname, "../..");
/** The service accounts of previews and of updates. */
const account = { clientId: "svc_preview", clientSecret: "secret-of-the-preview" };
const updating = { clientId: "svc_update", clientSecret: "secret-of-the-update" };

for (const system of ["GitHub", "GitLab"] as const) {
  describe(`the file of examples/pr-check for ${system}`, () => {
    const cleanup = useCleanup("test");
    const seed = quickstartSeed();
    for (const organization of seed.organizations ?? []) {
      organization.serviceAccounts = [
        { ...account, roles: [{ projectId, role: "readOnly" }] },
        { ...updating, roles: [{ projectId, role: "owner" }] },
      ];
    }
    const { service, createExample, run } = useStack({ seed });
    const isGitHub = system === "GitHub";
    let tested: TestStack;
    let host: ReviewHost;
    let commit: string;
    let repository: string;
    let start: { readonly command: string; readonly args: readonly string[] };

    before("find the program", () => {
      needsCommand(isGitHub ? "gh" : "rsync");
      start = isGitHub ? { command: act(), args: ["pull_request"] } : gitlabCiLocal();
    });

    beforeEach(async () => {
      host = await startReviewHost(cleanup);
      repository = "acme/infra";
      const { CLOUDDB_BASE_URL = "", CLOUDDB_CA_FILE = "" } = settingsFor(service);
      tested = await createExample("pr-check", {
        environment: {
          CLOUDDB_BASE_URL,
          CLOUDDB_CA_FILE,
          CLOUDDB_CLIENT_ID: updating.clientId,
          CLOUDDB_CLIENT_SECRET: updating.clientSecret,
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
      commit = await git("rev-parse", "HEAD");
      // Each job starts with a clean checkout.
      rmSync(file("preview.md"), { force: true });
      const options = isGitHub ? actOptions() : gitlabOptions();
      const PATH = `${launchers()}:${process.env["PATH"] ?? ""}`;
      const environment = { PATH, XDG_CACHE_HOME: scratchFolder(cleanup) };
      const args = [...start.args, ...options];
      const { code, stdout, stderr } = await run(tested, start.command, args, { environment })
        .result;
      return { code, output: stdout + stderr };
    }

    /** The report that a reviewer sees: the first comment, or the file to which the merge request links. */
    function report(): string | undefined {
      if (isGitHub) return host.comments[0]?.body;
      return existsSync(file("preview.md")) ? readFileSync(file("preview.md"), "utf8") : undefined;
    }

    /** Replaces `npm ci`, which fails if the file `broken` exists, and npx, which would download what is missing. */
    function launchers(): string {
      const folder = scratchFolder(cleanup);
      const command = `${process.execPath} ${join(root, "provider/bin/pulumi-clouddb.js")}`;
      const npx = join(dirname(process.execPath), "npx");
      const scripts = {
        npm: `[ ! -e ${file("broken")} ]`,
        npx: `case "$1 $2" in
  "--no pulumi-clouddb") shift 2; exec ${command} "$@" ;;
  *) exec ${npx} "$@" ;;
esac`,
      };
      for (const [name, script] of Object.entries(scripts)) {
        writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`);
        chmodSync(join(folder, name), 0o755);
      }
      return folder;
    }

    /** The variables of the stack, with the credentials of previews. */
    function jobVariables(): Record<string, string> {
      const { clientId, clientSecret } = account;
      const credentials = { CLOUDDB_CLIENT_ID: clientId, CLOUDDB_CLIENT_SECRET: clientSecret };
      return { ...tested.environment, ...credentials };
    }

    function actOptions(): string[] {
      const head = { sha: commit, ref: "change", repo: { full_name: repository } };
      const event = { pull_request: { number: 7, head, base: { ref: "main" } } };
      writeFileSync(file("event.json"), JSON.stringify(event));
      mkdirSync(file("no-action"), { recursive: true });
      const noAction =
        "name: none\nruns: { using: composite, steps: [{ run: 'true', shell: sh }] }";
      writeFileSync(file("no-action/action.yml"), noAction);
      const workflow = readFileSync(file(".github/workflows/preview.yml"), "utf8");
      const actions = new Set([...workflow.matchAll(/uses: (\S+)/g)].map(([, name]) => name));
      const environment = {
        ...jobVariables(),
        ...host.github,
        NO_PROXY: "127.0.0.1",
        no_proxy: "127.0.0.1",
        GH_CONFIG_DIR: file("gh"),
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
        ...jobVariables(),
        CI_PIPELINE_SOURCE: "merge_request_event",
        CI_PROJECT_ID: "5",
        CI_MERGE_REQUEST_SOURCE_PROJECT_ID: repository === "acme/infra" ? "5" : "6",
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

    it("shows a refusal, a change and no change, but no report of a fork or of a job that fails before", async () => {
      if (isGitHub) edit(".github/workflows/preview.yml", "[production]", "[test]");
      else edit(".gitlab-ci.yml", "--stack production", "--stack test");
      const expect = (outcome: string) => {
        const at = isGitHub ? ` at \`${commit.slice(0, 7)}\`` : "";
        const heading = `### \`clouddb-pr-check/test\`: ${outcome}${at}\n`;
        assert.ok(report()?.includes(heading), `${outcome}: ${report()}`);
      };
      await tested.stack.up();
      const unchanged = await push();
      assert.equal(unchanged.code, 0, unchanged.output);
      if (isGitHub) assert.equal(report(), undefined);
      else expect("no changes");

      edit("index.ts", "enabled: false", "enabled: true");
      const changed = await push();
      assert.equal(changed.code, 0, changed.output);
      expect("changes");

      await tested.stack.up();
      service.project().updateCluster("orders", { version: "6.0.5" });
      edit("index.ts", "enabled: true", "enabled: false");
      const refused = await push();
      assert.notEqual(refused.code, 0, refused.output);
      expect("refused");
      assert.match(report() ?? "", /\n {2}orders {2}6\.0\.5\n/);
      assert.doesNotMatch(`${refused.output}${report()}`, new RegExp(account.clientSecret));

      const before = structuredClone(host.comments);
      repository = "mallory/infra";
      const fork = await push();
      assert.notEqual(fork.code, 0);
      assert.match(fork.output, /branches of forks are not previewed/);
      if (!isGitHub) assert.equal(report(), undefined);

      repository = "acme/infra";
      writeFileSync(file("broken"), "");
      const broken = await push();
      assert.notEqual(broken.code, 0, broken.output);
      assert.deepEqual(host.comments, before);
      assert.equal(host.comments.length, isGitHub ? 1 : 0);
    });
  });
}

function act(): string {
  return buildPublished({ name: "act", module: "github.com/nektos/act", version: "v0.2.89" });
}

/** Fails without a command that the job on GitHub or gitlab-ci-local runs. */
function needsCommand(name: "gh" | "rsync"): void {
  const { error } = spawnSync(name, ["--version"]);
  assert.equal(error, undefined, `${name} is missing. Run apt-get install ${name}.`);
}

/** Returns Node.js 22 and gitlab-ci-local, which needs it. */
function gitlabCiLocal() {
  const options = ["--yes", "--package=node@22", "--package=gitlab-ci-local@4.75.1"];
  const locate = [...options, "--call", "which node gitlab-ci-local"];
  // In another folder, because here npx would put the commands of this repository on the PATH.
  const paths = execFileSync("npx", locate, { cwd: tmpdir(), encoding: "utf8" });
  const [command = "", script = ""] = paths.split("\n");
  return { command, args: [script] };
}
