/** The job in which a preview runs, on GitHub or another forge: its pull or merge request, its comment and annotations. */
import * as z from "zod/mini";
import { ProviderError } from "../messages/errors";
import { escapeText } from "../messages/text";
import { readTextFile } from "../report/files";
import type { Message, Report } from "../report/model";
import { parseJson } from "../schemas/validation";
import { type ApiAccess, UnexpectedStatusError, ReviewApi } from "./reviewApi";

export interface Job {
  /** Whose commands and files the job has. Those of Gitea and Forgejo are GitHub's. */
  readonly system: "GitHub" | "GitLab";
  /** The address of its log, if it is known. */
  readonly url: string | undefined;
  readonly pullRequest: PullRequest | undefined;
}

interface PullRequest {
  readonly commit: string | undefined;
  readonly isFork: boolean;
  readonly comments: Comments | NoComments;
}

/** The comments of a pull request, and which of them this command may update. */
export interface Comments extends ApiAccess {
  readonly kind: "writable";
  /** Updates a comment, whose ID follows the URL. */
  readonly update: { readonly method: "PATCH" | "PUT"; readonly url: string };
  readonly pages: Pages;
  readonly author: Author;
}

interface NoComments {
  readonly kind: "none";
  /** Follows "no comment was written, because". */
  readonly reason: string;
}

interface Pages {
  readonly query: string;
  /** The length of every page but the last one, if the server keeps to it. */
  readonly length: number | undefined;
}

/** Who writes the comments of the job. Others could have copied their marker. */
type Author =
  | { readonly kind: "bot" }
  | { readonly kind: "user"; readonly name: string }
  /** The user of the token, whom the API names at this URL. Tokens of jobs of GitHub cannot ask for theirs. */
  | { readonly kind: "token"; readonly url: string };

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
  if (environment["GITHUB_ACTIONS"] === "true") {
    const pullRequest = await gitHubPullRequest(environment, number);
    return { system: "GitHub", url: gitHubRun(environment), pullRequest };
  }
  if (environment["GITLAB_CI"] === "true") {
    const pullRequest = await mergeRequest(environment, number);
    return { system: "GitLab", url: environment["CI_JOB_URL"], pullRequest };
  }
  return undefined;
}

/** Which forge runs a workflow of GitHub. Forgejo sets the variable of Gitea, too. */
function workflowForge(environment: NodeJS.ProcessEnv): "GitHub" | "Gitea" | "Forgejo" {
  if (environment["FORGEJO_ACTIONS"] === "true") return "Forgejo";
  return environment["GITEA_ACTIONS"] === "true" ? "Gitea" : "GitHub";
}

function gitHubRun(environment: NodeJS.ProcessEnv): string | undefined {
  const value = (name: string) => environment[name] ?? "";
  const server = value("GITHUB_SERVER_URL").replace(/\/$/, "");
  const runs = `${server}/${value("GITHUB_REPOSITORY")}/actions/runs`;
  switch (workflowForge(environment)) {
    case "GitHub":
      return `${runs}/${value("GITHUB_RUN_ID")}/attempts/${value("GITHUB_RUN_ATTEMPT") || "1"}`;
    case "Forgejo":
      return `${runs}/${value("GITHUB_RUN_NUMBER")}`;
    case "Gitea":
      // Its address has the number or the ID of the run, according to the version, and either may lead to another run.
      return undefined;
  }
}

async function gitHubPullRequest(
  environment: NodeJS.ProcessEnv,
  given: string | undefined,
): Promise<PullRequest | undefined> {
  if (given !== undefined) {
    const comments = gitHubComments(environment, given);
    const url = `${repositoryApi(environment)}/pulls/${given}`;
    const { head } = await requested(comments, url, pullRequestSchema);
    return { commit: head.sha, isFork: isForeign(environment, head), comments };
  }
  const found = eventIn(environment).pull_request;
  if (found === undefined) return undefined;
  const { number, head } = found;
  if (number !== undefined && head?.sha !== undefined) {
    const comments = gitHubComments(environment, String(number));
    return { commit: head.sha, isFork: isForeign(environment, head), comments };
  }
  const problem = "the event has no number or no head of a pull request";
  // The program act runs workflows on a user's machine, by default with such an event.
  if (environment["ACT"] === "true")
    return { commit: undefined, isFork: false, comments: { kind: "none", reason: problem } };
  throw new ProviderError(
    `GITHUB_EVENT_PATH does not say whether the branch is that of a fork, because ${problem}.`,
  );
}

function eventIn(environment: NodeJS.ProcessEnv): z.infer<typeof eventSchema> {
  const file = environment["GITHUB_EVENT_PATH"] ?? "";
  return file === ""
    ? {}
    : parseJson(readTextFile(file), eventSchema, "The file in GITHUB_EVENT_PATH");
}

function isForeign(
  environment: NodeJS.ProcessEnv,
  { repo }: { readonly repo?: z.infer<typeof repository> },
): boolean {
  return repo?.full_name !== (environment["GITHUB_REPOSITORY"] ?? "");
}

function repositoryApi(environment: NodeJS.ProcessEnv): string {
  const value = (name: string) => environment[name] ?? "";
  return `${value("GITHUB_API_URL")}/repos/${value("GITHUB_REPOSITORY")}`;
}

function gitHubComments(environment: NodeJS.ProcessEnv, number: string): Comments | NoComments {
  const forge = workflowForge(environment);
  const issues = `${repositoryApi(environment)}/issues`;
  const name = environment["COMMENT_AUTHOR"];
  const author: Author = name ? { kind: "user", name } : { kind: "bot" };
  const ofGitHub = {
    permission: "the permission pull-requests: write",
    pages: { query: "per_page=100", length: 100 },
    author,
  } as const;
  const ofGitea = {
    permission: "the scopes read:repository, read:user and write:issue",
    // Releases return all comments on every page; later ones return fewer than the limit if their maximum is lower.
    pages: { query: "limit=50", length: undefined },
    author: { kind: "token", url: `${environment["GITHUB_API_URL"] ?? ""}/user` },
  } as const;
  return withToken(environment, {
    kind: "writable",
    forge,
    url: `${issues}/${number}/comments`,
    update: { method: "PATCH", url: `${issues}/comments` },
    variable: "GITHUB_TOKEN",
    ...(forge === "GitHub" ? ofGitHub : ofGitea),
  });
}

async function mergeRequest(
  environment: NodeJS.ProcessEnv,
  given: string | undefined,
): Promise<PullRequest | undefined> {
  const value = (name: string) => environment[name] ?? "";
  const number = given ?? value("CI_MERGE_REQUEST_IID");
  if (number === "") return undefined;
  const project = value("CI_MERGE_REQUEST_PROJECT_ID") || value("CI_PROJECT_ID");
  const url = `${value("CI_API_V4_URL")}/projects/${project}/merge_requests/${number}`;
  const comments = gitLabComments(environment, url);
  if (given !== undefined) {
    const found = await requested(comments, url, mergeRequestSchema);
    return { commit: found.sha, isFork: String(found.source_project_id) !== project, comments };
  }
  // A pipeline for merged results runs for a commit of its own.
  const commit = value("CI_MERGE_REQUEST_SOURCE_BRANCH_SHA") || value("CI_COMMIT_SHA");
  const isFork = (value("CI_MERGE_REQUEST_SOURCE_PROJECT_ID") || project) !== project;
  return { commit, isFork, comments };
}

function gitLabComments(environment: NodeJS.ProcessEnv, url: string): Comments | NoComments {
  return withToken(environment, {
    kind: "writable",
    forge: "GitLab",
    url: `${url}/notes`,
    update: { method: "PUT", url: `${url}/notes` },
    pages: { query: "per_page=100&order_by=created_at&sort=asc", length: 100 },
    author: { kind: "token", url: `${environment["CI_API_V4_URL"] ?? ""}/user` },
    variable: "GITLAB_TOKEN",
    permission: "the scope api and the role Reporter",
  });
}

function withToken(
  environment: NodeJS.ProcessEnv,
  comments: Omit<Comments, "token">,
): Comments | NoComments {
  const { variable } = comments;
  const token = environment[variable];
  if (!token) return { kind: "none", reason: `${variable} is not set` };
  if (/[^!-~]/.test(token)) {
    throw new ProviderError(`${variable} contains white space or another invalid character.`);
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

/** GitHub shows ten annotations of a step. */
const maxAnnotations = 10;

const maxLines = 4;
const lineLimit = 300;

/**
 * Writes an annotation for each refusal and error.
 *
 * @param report what to annotate
 * @param folder of the Pulumi project in the repository, without slashes at its ends; empty for its root
 */
export function githubAnnotations(report: Report, folder: string): string {
  const errors = [...report.refusals, ...report.errors];
  const unexplained = { resource: undefined, text: report.summary, position: undefined };
  const all = report.outcome === "failed" && errors.length === 0 ? [unexplained] : errors;
  const more = all.length - maxAnnotations;
  const rest = { ...unexplained, text: `and ${more + 1} more errors; see the report` };
  const shown = more > 0 ? [...all.slice(0, maxAnnotations - 1), rest] : all;
  return shown.map((message) => annotation(message, folder)).join("\n");
}

/** Formats an annotation, which has a position only if the folder is known. */
export function annotation(
  { resource = "pulumi preview", text, position }: Message,
  folder: string = "",
): string {
  const file = position && [folder, position.file].filter((part) => part !== "").join("/");
  const place = position && `file=${propertyOf(file ?? "")},line=${position.line},`;
  const lines = text.split("\n").slice(0, maxLines);
  const message = lines.map((line) => escapeText(line, lineLimit)).join("\n");
  return `::error ${place ?? ""}title=${propertyOf(resource)}::${dataOf(message)}`;
}

function dataOf(text: string): string {
  return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

function propertyOf(text: string): string {
  return dataOf(escapeText(text)).replaceAll(":", "%3A").replaceAll(",", "%2C");
}

export interface Comment {
  readonly title: string;
  readonly markdown: string;
  /** Whether to create a comment if there is none yet. */
  readonly isNew: boolean;
}

export async function writeComment(
  comments: Comments,
  { title, markdown, isNew }: Comment,
): Promise<void> {
  const { url, update } = comments;
  const api = new ReviewApi(comments);
  const marker = `<!-- pulumi-clouddb preview: ${encodeURIComponent(title)} -->`;
  const body = `${marker}\n${markdown}`;
  const id = await findComment(comments, api, marker);
  if (id !== undefined) {
    try {
      await api.write(update.method, `${update.url}/${id}`, { body });
      return;
    } catch (error) {
      // Somebody may have deleted the comment in the meantime.
      if (!(error instanceof UnexpectedStatusError && [404, 410].includes(error.status)))
        throw error;
    }
  }
  if (isNew || id !== undefined) await api.write("POST", url, { body });
}

const login = z.nullish(z.object({ login: z.string() }));
const username = z.nullish(z.object({ username: z.string() }));
const commentsSchema = z.array(
  z.object({ id: z.number(), body: z.nullish(z.string()), user: login, author: username }),
);
/** The user of a token has a login on Gitea and Forgejo, and a username on GitLab. */
const userSchema = z.union([z.object({ login: z.string() }), z.object({ username: z.string() })]);

/** The maximum number of pages to search. GitHub allows 2,500 comments. */
const maxPages = 50;

/** Finds the comment with a marker in its first line. */
async function findComment(
  { url, pages, author }: Comments,
  api: ReviewApi,
  marker: string,
): Promise<number | undefined> {
  const isOwn = await authorTest(author, api);
  let previousStart: number | undefined;
  for (let page = 1; page <= maxPages; page++) {
    const found = await api.get(`${url}?${pages.query}&page=${page}`, commentsSchema);
    const own = found.find(
      (comment) =>
        isOwn(comment.user?.login ?? comment.author?.username ?? "") &&
        // A browser writes CRLF when somebody edits the comment.
        comment.body?.split(/\r?\n/)[0] === marker,
    );
    if (own !== undefined) return own.id;
    const start = found[0]?.id;
    const isLast = start === undefined || start === previousStart;
    if (isLast || (pages.length !== undefined && found.length < pages.length)) return undefined;
    previousStart = start;
  }
  return undefined;
}

async function authorTest(author: Author, api: ReviewApi): Promise<(name: string) => boolean> {
  switch (author.kind) {
    case "bot":
      return (name) => name.endsWith("[bot]");
    case "user":
      return (name) => name === author.name;
    case "token": {
      const user = await api.get(author.url, userSchema);
      const own = "login" in user ? user.login : user.username;
      return (name) => name === own;
    }
  }
}
