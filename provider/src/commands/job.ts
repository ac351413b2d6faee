/** The job of GitHub or GitLab in which a preview runs: its pull or merge request, and its annotations. */
import * as z from "../schemas/zod";
import { ProviderError } from "../messages/errors";
import { parseJson } from "../schemas/validation";
import { readText } from "../report/files";
import { type Comments, sender } from "./comments";
import { escapeText } from "../messages/text";
import type { Message, Report } from "../report/model";

export interface Job {
  readonly system: "GitHub" | "GitLab";
  readonly url: string;
  readonly pullRequest: PullRequest | undefined;
}

interface PullRequest {
  readonly commit: string;
  readonly isFork: boolean;
  /** Where its comments are; undefined if there is no token. */
  readonly comments: Comments | undefined;
}

const head = z.object({
  sha: z.string(),
  repo: z.nullish(z.object({ full_name: z.string() })),
});
const eventSchema = z.object({
  pull_request: z.optional(z.object({ number: z.number(), head })),
});
const pullRequestSchema = z.object({ head });
const mergeRequestSchema = z.object({ sha: z.string(), source_project_id: z.nullish(z.number()) });

/**
 * Reads the environment of a job. Returns undefined outside GitHub and GitLab.
 *
 * @param environment the variables of the job
 * @param number the pull request, for a job that another event started. Default: the one of the job's own event
 */
export async function jobIn(
  environment: NodeJS.ProcessEnv,
  number?: string,
): Promise<Job | undefined> {
  if (environment["GITHUB_ACTIONS"] === "true") return await gitHubJob(environment, number);
  if (environment["GITLAB_CI"] === "true") return await gitLabJob(environment, number);
  return undefined;
}

async function gitHubJob(environment: NodeJS.ProcessEnv, given?: string): Promise<Job> {
  const value = (name: string) => environment[name] ?? "";
  const repository = value("GITHUB_REPOSITORY");
  const run = `${value("GITHUB_SERVER_URL")}/${repository}/actions/runs/${value("GITHUB_RUN_ID")}`;
  const url = `${run}/attempts/${value("GITHUB_RUN_ATTEMPT") || "1"}`;
  const file = value("GITHUB_EVENT_PATH");
  const name = "The file in GITHUB_EVENT_PATH";
  const event = file === "" ? {} : parseJson(readText(file), eventSchema, name);
  const number = given ?? event.pull_request?.number;
  if (number === undefined) return { system: "GitHub", url, pullRequest: undefined };
  const api = `${value("GITHUB_API_URL")}/repos/${repository}`;
  const comments = commentsOf(environment, {
    system: "GitHub",
    url: `${api}/issues/${number}/comments`,
    update: { method: "PATCH", url: `${api}/issues/comments` },
    user: undefined,
    author: environment["COMMENT_AUTHOR"] || undefined,
    variable: "GITHUB_TOKEN",
    permission: "the permission pull-requests: write",
  });
  const found =
    given === undefined
      ? event.pull_request?.head
      : (await requested(comments, `${api}/pulls/${given}`, pullRequestSchema)).head;
  const isFork = found?.repo?.full_name !== repository;
  return { system: "GitHub", url, pullRequest: { commit: found?.sha ?? "", isFork, comments } };
}

async function gitLabJob(environment: NodeJS.ProcessEnv, given?: string): Promise<Job> {
  const value = (name: string) => environment[name] ?? "";
  const url = value("CI_JOB_URL");
  const number = given ?? value("CI_MERGE_REQUEST_IID");
  if (number === "") return { system: "GitLab", url, pullRequest: undefined };
  const project = value("CI_MERGE_REQUEST_PROJECT_ID") || value("CI_PROJECT_ID");
  const mergeRequest = `${value("CI_API_V4_URL")}/projects/${project}/merge_requests/${number}`;
  const comments = commentsOf(environment, {
    system: "GitLab",
    url: `${mergeRequest}/notes`,
    update: { method: "PUT", url: `${mergeRequest}/notes` },
    user: `${value("CI_API_V4_URL")}/user`,
    author: undefined,
    variable: "GITLAB_TOKEN",
    permission: "the scope api and the role Reporter",
  });
  if (given !== undefined) {
    const found = await requested(comments, mergeRequest, mergeRequestSchema);
    const isFork = String(found.source_project_id) !== project;
    return { system: "GitLab", url, pullRequest: { commit: found.sha, isFork, comments } };
  }
  // A pipeline for merged results runs for a commit of its own.
  const commit = value("CI_MERGE_REQUEST_SOURCE_BRANCH_SHA") || value("CI_COMMIT_SHA");
  const isFork = (value("CI_MERGE_REQUEST_SOURCE_PROJECT_ID") || project) !== project;
  return { system: "GitLab", url, pullRequest: { commit, isFork, comments } };
}

function commentsOf(
  environment: NodeJS.ProcessEnv,
  comments: Omit<Comments, "token">,
): Comments | undefined {
  const { variable } = comments;
  const token = environment[variable];
  if (!token) return undefined;
  if (/[^!-~]/.test(token)) {
    throw new ProviderError(`${variable} contains white space or another invalid character.`);
  }
  return { ...comments, token };
}

/** Requests the pull request of a job that another event started, whose branch can be that of a fork. */
async function requested<T>(
  comments: Comments | undefined,
  url: string,
  schema: z.ZodMiniType<T>,
): Promise<T> {
  if (comments === undefined) {
    throw new ProviderError(
      "--pull-request needs a token, GITHUB_TOKEN or GITLAB_TOKEN, to find out whether the branch is that of a fork.",
    );
  }
  return await sender(comments)("GET", url, schema);
}

/** GitHub shows ten annotations of a step. */
const maxAnnotations = 10;

/** How many lines of a message are shown, and how long each may be. The report has all of it. */
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
