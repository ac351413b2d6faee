import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import type { Simulator } from "clouddb-simulator";
import { parse } from "yaml";
import { z } from "zod";
import { projectId, settingsFor, startService } from "../service";
import { type TestStack, exampleStack } from "./stack";

const workflow = z.object({
  jobs: z.object({
    preview: z.object({
      env: z.record(z.string(), z.string()),
      steps: z.array(
        z.object({
          name: z.string().optional(),
          run: z.string().optional(),
          env: z.record(z.string(), z.string()).default({}),
        }),
      ),
    }),
  }),
});

const file = join(__dirname, "../../examples/pr-check/.github/workflows/preview.yml");
const { env: jobEnvironment, steps } = workflow.parse(parse(readFileSync(file, "utf8"))).jobs
  .preview;

/** GitHub's command, as far as the workflow uses it: keeps the comment, and what it was called with. */
const gh = `#!/bin/sh
echo "$@" > "$SCRATCH/gh-called-with"
while [ $# -gt 0 ]; do
  if [ "$1" = --body-file ]; then cp "$2" "$SCRATCH/comment.md"; fi
  shift
done
`;

describe("the pull request check of examples/pr-check", () => {
  let service: Simulator;
  let tested: TestStack;

  before(async () => {
    service = await startService();
  });
  after(() => service.stop());
  beforeEach(async () => {
    service.reset();
    tested = await exampleStack("pr-check", settingsFor(service));
  });
  afterEach(() => {
    tested.remove();
  });

  /** Runs a step's commands as GitHub does: bash, with errexit, in the folder of the project. */
  const run = async (name: string, environment: Record<string, string> = {}) => {
    const step = steps.find((each) => each.name === name);
    assert.ok(step?.run !== undefined, `there is a step ${name}`);
    assert.doesNotMatch(step.run, /\$\{\{/, "the shell gets values by the environment alone");
    const scratch = join(tested.folder, "scratch");
    mkdirSync(scratch, { recursive: true });
    writeFileSync(join(scratch, "gh"), gh);
    chmodSync(join(scratch, "gh"), 0o755);
    const path = `${scratch}${delimiter}${process.env["PATH"] ?? ""}`;
    const env = { ...process.env, ...tested.environment, ...environment };
    const bash = ["--noprofile", "--norc", "-eo", "pipefail", "-c", step.run];
    const child = spawn("bash", bash, {
      cwd: tested.folder,
      env: { ...env, PATH: path, SCRATCH: scratch, PULUMI_STACK: "test" },
      stdio: "ignore",
    });
    await once(child, "exit");
    const posted = join(scratch, "comment.md");
    return {
      status: child.exitCode,
      comment: existsSync(posted) ? readFileSync(posted, "utf8") : undefined,
      calledWith: () => readFileSync(join(scratch, "gh-called-with"), "utf8").trim(),
    };
  };
  const pullRequest = "https://github.com/acme/infra/pull/7";
  const post = (outcome: string) =>
    run("Comment", { OUTCOME: outcome, PULL_REQUEST: pullRequest, GH_TOKEN: "token" });

  it("passes a preview and posts the new strings", async () => {
    assert.equal((await run("Preview")).status, 0);
    const { status, comment, calledWith } = await post("success");
    assert.equal(status, 0);
    assert.match(comment ?? "", /^### pulumi preview: success\n\n````\n/);
    assert.match(comment ?? "", /ordersUrl *: "db\+srv:\/\/orders-pri\./);
    assert.match(comment ?? "", /\n````\n$/);
    assert.match(calledWith(), new RegExp(`^pr comment ${pullRequest} .*--edit-last`));
    assert.equal(service.project(projectId).privateIpMode.enabled, true, "nothing is changed");
  });

  it("fails a disable that would be refused, and posts every offender", async () => {
    service.project(projectId).updateCluster("orders", { version: "6.0.5" });
    service.project(projectId).updateCluster("sessions", { version: "5.0.1" });
    assert.notEqual((await run("Preview")).status, 0);
    const { comment } = await post("failure");
    assert.match(comment ?? "", /^### pulumi preview: failure\n/);
    assert.match(comment ?? "", /orders +6\.0\.5\n +sessions +5\.0\.1\n/);
    assert.doesNotMatch(comment ?? "", /\n\s+at |demo-secret/);
  });

  it("passes every setting without a default, and passes secrets only as secrets", () => {
    for (const name of ["CLOUDDB_BASE_URL", "CLOUDDB_PUBLIC_KEY", "CLOUDDB_PRIVATE_KEY"]) {
      assert.ok(name in jobEnvironment, name);
    }
    assert.match(jobEnvironment["CLOUDDB_PRIVATE_KEY"] ?? "", /^\$\{\{ secrets\./);
  });
});
