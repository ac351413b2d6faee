/** Reads in which job a preview runs, on GitHub or another forge, and for which pull or merge request. */
import * as z from "zod/mini";
import { ProviderError } from "../messages/errors";
import { readTextFile } from "../report/read/files";
import { parseJson } from "../validation/values";
import type { Author, Comments, NoComments } from "./comment";
import { ReviewApi } from "./reviewApi";

/** A job of a CI system. */
export interface Job {
  /** Whose commands and files the job has. Those of Gitea and Forgejo are GitHub's. */
  readonly system: "GitHub" | "GitLab";
  /** The address of its log, if it is known. */
  readonly url: string | undefined;
  readonly pullRequest: PullRequest | undefined;
}

/** The pull or merge request that a job is for. */
interface PullRequest {
  /** The commit that a reviewer sees, if it is known. */
  readonly commit: string | undefined;
  /** Whether the branch is in another repository, whose users cannot read the secrets of this one. */
  readonly isFork: boolean;
  readonly comments: Comments | NoComments;
}

const repository = z.nullish(z.object({ full_name: z.string() }));
const eventSchema = z.object({
  pull_request: z.optional(
    z.object({
      number: z.optional(z.number()),
      head: z.optional(z.object({ sha: z.optional(z.string()), repo: repository })),
    }),
  ),
});
const pullRequestSchema = z.object({ head: z.object({ sha: z.string(), repo: repository }) });
const mergeRequestSchema = z.object({ sha: z.string(), source_project_id: z.nullish(z.number()) });

/**
 * Reads the environment of a job. Returns undefined outside GitHub, GitLab, Gitea and Forgejo.
 *
 * @param environment the variables of the job
 * @param number the pull request, for a job that another event started. Default: the one of the job's own event
 */
export async function jobIn(
  environment: NodeJS.ProcessEnv,
  number?: string,
): Promise<Job | undefined> {
  const variable = (name: string) => environment[name] ?? "";
  if (variable("GITHUB_ACTIONS") === "true") {
    const pullRequest = await gitHubPullRequest(variable, number);
    return { system: "GitHub", url: gitHubRun(variable), pullRequest };
  }
  if (variable("GITLAB_CI") === "true") {
    const pullRequest = await mergeRequest(variable, number);
    return { system: "GitLab", url: variable("CI_JOB_URL") || undefined, pullRequest };
  }
  return undefined;
}

/** Returns the value of an environment variable; empty if it is not set. */
type Variable = (name: string) => string;

/** Returns the forge that runs a workflow of GitHub. Forgejo sets the variable of Gitea, too. */
function workflowForge(variable: Variable): "GitHub" | "Gitea" | "Forgejo" {
  if (variable("FORGEJO_ACTIONS") === "true") return "Forgejo";
  return variable("GITEA_ACTIONS") === "true" ? "Gitea" : "GitHub";
}

/** Returns the address of a run of a workflow, as far as the variables say it. */
function gitHubRun(variable: Variable): string | undefined {
  const server = variable("GITHUB_SERVER_URL").replace(/\/$/, "");
  const runs = `${server}/${variable("GITHUB_REPOSITORY")}/actions/runs`;
  switch (workflowForge(variable)) {
    case "GitHub":
      return `${runs}/${variable("GITHUB_RUN_ID")}/attempts/${variable("GITHUB_RUN_ATTEMPT") || "1"}`;
    case "Forgejo":
      return `${runs}/${variable("GITHUB_RUN_NUMBER")}`;
    case "Gitea":
      // Its address has the number or the ID of the run, according to the version, and either may lead to another run.
      return undefined;
  }
}

/** Reads the pull request with a number or, without one, that of the event. Throws if it may be that of a fork. */
async function gitHubPullRequest(
  variable: Variable,
  given: string | undefined,
): Promise<PullRequest | undefined> {
  if (given !== undefined) {
    const comments = gitHubComments(variable, given);
    const url = `${repositoryApi(variable)}/pulls/${given}`;
    const { head } = await requested(comments, url, pullRequestSchema);
    return { commit: head.sha, isFork: isOfFork(variable, head), comments };
  }
  const pullRequest = eventIn(variable).pull_request;
  if (pullRequest === undefined) return undefined;
  const { number, head } = pullRequest;
  if (number !== undefined && head?.sha !== undefined) {
    const comments = gitHubComments(variable, String(number));
    return { commit: head.sha, isFork: isOfFork(variable, head), comments };
  }
  const problem = "the event has no number or no head of a pull request";
  // The program act runs workflows on a user's machine, by default with such an event.
  if (variable("ACT") === "true")
    return { commit: undefined, isFork: false, comments: { kind: "none", reason: problem } };
  throw new ProviderError(
    `GITHUB_EVENT_PATH does not say whether the branch is that of a fork, because ${problem}.`,
  );
}

/** Reads the event that started the job, as far as it is one of a pull request. */
function eventIn(variable: Variable): z.infer<typeof eventSchema> {
  const file = variable("GITHUB_EVENT_PATH");
  return file === ""
    ? {}
    : parseJson(readTextFile(file), eventSchema, "The file in GITHUB_EVENT_PATH");
}

/** Returns whether the branch of a pull request is in another repository. */
function isOfFork(
  variable: Variable,
  { repo }: { readonly repo?: z.infer<typeof repository> },
): boolean {
  return repo?.full_name !== variable("GITHUB_REPOSITORY");
}

function repositoryApi(variable: Variable): string {
  return `${variable("GITHUB_API_URL")}/repos/${variable("GITHUB_REPOSITORY")}`;
}

/** Says how the comments of a pull request are read and written, on GitHub and on those that copy its API. */
function gitHubComments(variable: Variable, number: string): Comments | NoComments {
  const forge = workflowForge(variable);
  const issues = `${repositoryApi(variable)}/issues`;
  const name = variable("COMMENT_AUTHOR");
  const author: Author = name !== "" ? { kind: "user", name } : { kind: "bot" };
  const ofGitHub = {
    permission: "the permission pull-requests: write",
    pages: { query: "per_page=100", length: 100 },
    author,
  } as const;
  const ofGitea = {
    permission: "the scopes read:repository, read:user and write:issue",
    // Releases return all comments on every page; later ones return fewer than the limit if their maximum is lower.
    pages: { query: "limit=50", length: undefined },
    author: { kind: "token", url: `${variable("GITHUB_API_URL")}/user` },
  } as const;
  return withToken(variable, {
    kind: "writable",
    forge,
    url: `${issues}/${number}/comments`,
    update: { method: "PATCH", url: `${issues}/comments` },
    variable: "GITHUB_TOKEN",
    ...(forge === "GitHub" ? ofGitHub : ofGitea),
  });
}

/** Reads the merge request with a number or, without one, that of the pipeline. */
async function mergeRequest(
  variable: Variable,
  given: string | undefined,
): Promise<PullRequest | undefined> {
  const number = given ?? variable("CI_MERGE_REQUEST_IID");
  if (number === "") return undefined;
  const project = variable("CI_MERGE_REQUEST_PROJECT_ID") || variable("CI_PROJECT_ID");
  const url = `${variable("CI_API_V4_URL")}/projects/${project}/merge_requests/${number}`;
  const comments = gitLabComments(variable, url);
  if (given !== undefined) {
    const { sha, source_project_id: source } = await requested(comments, url, mergeRequestSchema);
    return { commit: sha, isFork: String(source) !== project, comments };
  }
  // A pipeline for merged results runs for a commit of its own.
  const commit = variable("CI_MERGE_REQUEST_SOURCE_BRANCH_SHA") || variable("CI_COMMIT_SHA");
  const isFork = (variable("CI_MERGE_REQUEST_SOURCE_PROJECT_ID") || project) !== project;
  return { commit, isFork, comments };
}

function gitLabComments(variable: Variable, url: string): Comments | NoComments {
  return withToken(variable, {
    kind: "writable",
    forge: "GitLab",
    url: `${url}/notes`,
    update: { method: "PUT", url: `${url}/notes` },
    pages: { query: "per_page=100&order_by=created_at&sort=asc", length: 100 },
    author: { kind: "token", url: `${variable("CI_API_V4_URL")}/user` },
    variable: "GITLAB_TOKEN",
    permission: "the scope api and the role Reporter",
  });
}

/** Adds the token; without one, no comment can be written. */
function withToken(variable: Variable, comments: Omit<Comments, "token">): Comments | NoComments {
  const name = comments.variable;
  const token = variable(name);
  if (token === "") return { kind: "none", reason: `${name} is not set` };
  if (/[^!-~]/.test(token)) {
    throw new ProviderError(`${name} contains white space or another invalid character.`);
  }
  return { ...comments, token };
}

/** Requests the pull request of a job that another event started, whose branch can be that of a fork. */
async function requested<T>(
  comments: Comments | NoComments,
  url: string,
  schema: z.ZodMiniType<T>,
): Promise<T> {
  if (comments.kind === "none") {
    throw new ProviderError(
      "--pull-request needs a token, GITHUB_TOKEN or GITLAB_TOKEN, to find out whether the branch is that of a fork.",
    );
  }
  return await new ReviewApi(comments).get(url, schema);
}
