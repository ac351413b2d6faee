import assert from "node:assert/strict";
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { parse } from "yaml";
import { z } from "zod";
import type { TestStack } from "./stack";
import { useStack } from "./useStack";

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

/** Replaces GitHub's command: stores the comment and the arguments. */
const gh = `#!/bin/sh
echo "$@" > "$SCRATCH/gh-called-with"
while [ $# -gt 0 ]; do
  if [ "$1" = --body-file ]; then cp "$2" "$SCRATCH/comment.md"; fi
  shift
done
`;

describe("the pull request check of examples/pr-check", () => {
  const { service, createExample, run } = useStack();
  let tested: TestStack;

  beforeEach(async () => {
    tested = await createExample("pr-check");
  });

  /** Runs the commands of a step as GitHub does: in bash with errexit, in the project's folder. */
  const runStep = async (name: string, environment: Record<string, string> = {}) => {
    const step = steps.find((each) => each.name === name);
    assert.ok(step?.run !== undefined, `the workflow has a step ${name}`);
    assert.doesNotMatch(step.run, /\$\{\{/, "values reach the shell only through the environment");
    const scratch = join(tested.folder, "scratch");
    mkdirSync(scratch, { recursive: true });
    writeFileSync(join(scratch, "gh"), gh);
    chmodSync(join(scratch, "gh"), 0o755);
    const { code } = await run(
      tested,
      "bash",
      ["--noprofile", "--norc", "-eo", "pipefail", "-c", step.run],
      {
        environment: {
          ...environment,
          PATH: `${scratch}${delimiter}${process.env["PATH"] ?? ""}`,
          SCRATCH: scratch,
          PULUMI_STACK: "test",
        },
      },
    ).result;
    const posted = join(scratch, "comment.md");
    return {
      status: code,
      comment: existsSync(posted) ? readFileSync(posted, "utf8") : undefined,
      calledWith: () => readFileSync(join(scratch, "gh-called-with"), "utf8").trim(),
    };
  };
  const pullRequest = "https://github.com/acme/infra/pull/7";
  const post = (outcome: string) =>
    runStep("Comment", { OUTCOME: outcome, PULL_REQUEST: pullRequest, GH_TOKEN: "token" });

  it("passes if the preview succeeds, and posts the new strings", async () => {
    assert.equal((await runStep("Preview")).status, 0);
    const { status, comment, calledWith } = await post("success");
    assert.equal(status, 0);
    assert.match(comment ?? "", /^### pulumi preview: success\n\n````\n/);
    assert.match(comment ?? "", /ordersUrl *: "db\+srv:\/\/orders-pri\./);
    assert.match(comment ?? "", /\n````\n$/);
    assert.match(calledWith(), new RegExp(`^pr comment ${pullRequest} .*--edit-last`));
    assert.equal(service.project().privateIpMode.enabled, true, "the preview changes nothing");
  });

  it("fails if a disable would be refused, and posts every offending cluster", async () => {
    service.project().updateCluster("orders", { version: "6.0.5" });
    service.project().updateCluster("sessions", { version: "5.0.1" });
    assert.notEqual((await runStep("Preview")).status, 0);
    const { comment } = await post("failure");
    assert.match(comment ?? "", /^### pulumi preview: failure\n/);
    assert.match(comment ?? "", /orders +6\.0\.5\n +sessions +5\.0\.1\n/);
    assert.doesNotMatch(comment ?? "", /\n\s+at |demo-secret/);
  });

  it("passes every required setting, and the private key as a secret", () => {
    for (const name of ["CLOUDDB_BASE_URL", "CLOUDDB_PUBLIC_KEY", "CLOUDDB_PRIVATE_KEY"]) {
      assert.ok(name in jobEnvironment, name);
    }
    assert.match(jobEnvironment["CLOUDDB_PRIVATE_KEY"] ?? "", /^\$\{\{ secrets\./);
  });
});
