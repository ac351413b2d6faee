import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { readJob } from "../../../provider/src/ci/job";
import { temporaryFolder, useCleanup } from "../../support/cleanup";

const sha = "2".repeat(40);
const github = {
  GITHUB_ACTIONS: "true",
  GITHUB_REPOSITORY: "acme/infra",
  GITHUB_RUN_ID: "1",
  GITHUB_SERVER_URL: "https://github.example",
};
// Runners of Forgejo set the variables of all three.
const ofGitea = {
  ...github,
  GITHUB_RUN_ID: "272",
  GITHUB_RUN_NUMBER: "43",
  GITHUB_SERVER_URL: "https://git.example/",
  GITEA_ACTIONS: "true",
};
const fork = /^ProviderError: branches of forks are not previewed, because a Pulumi program can /;

describe("the job of a preview on GitHub", () => {
  const cleanup = useCleanup("test");

  /** Reads the job that an event started. */
  function job(event: object, more: Readonly<Record<string, string>> = {}) {
    const file = join(temporaryFolder(cleanup), "event.json");
    writeFileSync(file, JSON.stringify(event));
    return readJob({ ...github, GITHUB_EVENT_PATH: file, ...more });
  }
  const branchOf = (repo: object | null | undefined) => ({ pull_request: { head: { sha, repo } } });

  it("has the last commit of the pull request, not that of the merge", () => {
    const event = branchOf({ full_name: "acme/infra" });
    assert.equal(job(event, { GITHUB_SHA: "3".repeat(40) })?.commit, sha);
  });

  for (const [title, repository] of [
    ["another repository", { full_name: "mallory/infra" }],
    ["a repository that was deleted", null],
  ] as const) {
    it(`is refused if the branch is in ${title}, even in act`, () => {
      for (const ACT of ["", "true"]) assert.throws(() => job(branchOf(repository), { ACT }), fork);
    });
  }

  for (const [title, event] of [
    ["nothing", { pull_request: {} }],
    ["no repository", branchOf(undefined)],
  ] as const) {
    it(`is refused if the event has ${title} of a pull request, except in act`, () => {
      assert.throws(
        () => job(event),
        /^ProviderError: GITHUB_EVENT_PATH does not say whether the branch is that of a fork, because the event has no pull_request\.head\.repo\.$/,
      );
      assert.notEqual(job(event, { ACT: "true" }), undefined);
    });
  }

  it("has no commit if another event started it", () => {
    assert.equal(job({ ref: "refs/heads/main" })?.commit, undefined);
  });

  for (const [system, variables, url] of [
    ["GitHub", github, "https://github.example/acme/infra/actions/runs/1/attempts/1"],
    [
      "Forgejo",
      { ...ofGitea, FORGEJO_ACTIONS: "true" },
      "https://git.example/acme/infra/actions/runs/43",
    ],
    // It depends on the version.
    ["Gitea", ofGitea, undefined],
  ] as const) {
    it(`has the address ${url ?? "of no log"} on ${system}`, () => {
      assert.equal(readJob(variables)?.url, url);
    });
  }
});

describe("the job of a preview on GitLab", () => {
  const pipeline = (source: string) =>
    readJob({
      GITLAB_CI: "true",
      CI_PROJECT_ID: "5",
      CI_MERGE_REQUEST_PROJECT_ID: "5",
      CI_MERGE_REQUEST_SOURCE_PROJECT_ID: source,
    });

  it("is refused if the branch is in another project than the pipeline", () => {
    assert.throws(() => pipeline("6"), fork);
  });

  it("is not one of GitHub, with or without a merge request", () => {
    assert.equal(pipeline("5"), undefined);
    assert.equal(pipeline(""), undefined);
  });

  it("is accepted in the pipeline of the fork, which has the secrets of the fork", () => {
    const inFork = { CI_PROJECT_ID: "6", CI_MERGE_REQUEST_SOURCE_PROJECT_ID: "6" };
    assert.equal(readJob({ ...inFork, CI_MERGE_REQUEST_PROJECT_ID: "5" }), undefined);
  });
});
