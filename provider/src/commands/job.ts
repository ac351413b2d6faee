/** The job of GitHub or GitLab in which a preview runs: its pull or merge request, its comment and annotations. */
import { setTimeout as sleep } from "node:timers/promises";
import * as z from "zod/mini";
import { ProviderError } from "../messages/errors";
import { parseJson } from "../schemas/validation";
import { readText } from "../report/files";
import { escapeText } from "../messages/text";
import type { Message, Report } from "../report/model";
import { ApiError } from "../service/requestErrors";
import type { ServiceRequest, ServiceResponse } from "../service/exchange";
import { invalidProxyVariables } from "../service/proxy";
import { parseRetryAfter } from "../service/retry";
import { httpsTransport } from "../service/transport";
import { version } from "../version";

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

export interface Comments {
  readonly system: "GitHub" | "GitLab";
  readonly url: string;
  /** Updates a comment, whose ID follows the URL. */
  readonly update: { readonly method: "PATCH" | "PUT"; readonly url: string };
  /** Returns the user of the token. Undefined on GitHub, where tokens of jobs cannot ask. */
  readonly user: string | undefined;
  /** The user of a token that is not a bot's. */
  readonly author: string | undefined;
  readonly token: string;
  /** The variable of the token, and what the token needs. */
  readonly variable: string;
  readonly permission: string;
}

export interface Comment {
  readonly title: string;
  readonly markdown: string;
  /** Whether to create a comment if there is none yet. */
  readonly isNew: boolean;
}

const userSchema = z.object({ username: z.string() });
const commentsSchema = z.array(
  z.object({
    id: z.number(),
    body: z.nullish(z.string()),
    user: z.nullish(z.object({ login: z.string() })),
    author: z.nullish(userSchema),
  }),
);

export async function writeComment(
  comments: Comments,
  { title, markdown, isNew }: Comment,
): Promise<void> {
  const { url, update } = comments;
  const send = sender(comments);
  const marker = `<!-- pulumi-clouddb preview: ${encodeURIComponent(title)} -->`;
  const body = `${marker}\n${markdown}`;
  const id = await findComment(comments, send, marker);
  if (id !== undefined) {
    try {
      await send(update.method, `${update.url}/${id}`, z.unknown(), { body });
      return;
    } catch (error) {
      // Somebody may have deleted the comment in the meantime.
      if (!(error instanceof UnexpectedStatusError && [404, 410].includes(error.status)))
        throw error;
    }
  }
  if (isNew || id !== undefined) await send("POST", url, z.unknown(), { body });
}

/** The maximum number of pages to search, with 100 comments each. GitHub allows 2,500 comments. */
const maxPages = 50;

/** Finds the comment among those of the token's user, because others could have copied the marker. */
async function findComment(
  { url, user, author }: Comments,
  send: ReturnType<typeof sender>,
  marker: string,
): Promise<number | undefined> {
  const login = user === undefined ? author : (await send("GET", user, userSchema)).username;
  const isOwn = (name = "") => (login === undefined ? name.endsWith("[bot]") : name === login);
  for (let page = 1; page <= maxPages; page++) {
    const query = `?per_page=100&page=${page}&order_by=created_at&sort=asc`;
    const found = await send("GET", `${url}${query}`, commentsSchema);
    const own = found.find(
      (comment) =>
        isOwn(comment.user?.login ?? comment.author?.username) &&
        // A browser writes CRLF when somebody edits the comment.
        comment.body?.split(/\r?\n/)[0] === marker,
    );
    if (own !== undefined || found.length < 100) return own?.id;
  }
  return undefined;
}

class UnexpectedStatusError extends ProviderError {
  constructor(
    message: string,
    readonly status: number,
  ) {
    super(message);
  }
}

const maxWaitSeconds = 120;

const timeoutSeconds = 30;

/** Creates a function that sends requests. Jobs of many stacks write at the same time, so it waits once if asked to. */
function sender({ system, url: someUrl, token, variable, permission }: Comments) {
  const address = system === "GitHub" ? "GITHUB_API_URL" : "CI_API_V4_URL";
  if (!/^https?:[^]/.test(someUrl) || !URL.canParse(someUrl)) {
    throw new ProviderError(`${address} is not the URL of ${system}.`);
  }
  const proxies = invalidProxyVariables(process.env).join(", ");
  if (proxies !== "") throw new ProviderError(`${proxies} is not the URL of a proxy.`);
  const exchange = httpsTransport({
    baseUrl: new URL(someUrl),
    requestTimeoutSeconds: timeoutSeconds,
    userAgent: `pulumi-clouddb/${version}`,
  });
  const answer = async (method: ServiceRequest["method"], url: string, content?: object) => {
    const { pathname, search } = new URL(url);
    const body = content && { type: "application/json", text: JSON.stringify(content) };
    const request: ServiceRequest = {
      method,
      path: `${pathname}${search}`,
      accept: "application/json",
      authorization: `Bearer ${token}`,
      attempt: 1,
      ...(body && { body }),
    };
    try {
      const { status, headers, body: text } = await exchange(request);
      const wait = [403, 429].includes(status) ? requestedWait(headers) : undefined;
      return { status, wait, text };
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      // The job has none of the settings that the message names.
      const reason = error.message
        .replace("clouddb:baseUrl", address)
        .replace("clouddb:caFile", "NODE_EXTRA_CA_CERTS")
        .replace(", or raise clouddb:requestTimeoutSeconds", "");
      throw new ProviderError(`${system} did not answer: ${reason}`);
    }
  };
  return async <T>(
    method: ServiceRequest["method"],
    url: string,
    schema: z.ZodMiniType<T>,
    content?: object,
  ): Promise<T> => {
    let response = await answer(method, url, content);
    if (response.wait !== undefined && response.wait <= maxWaitSeconds) {
      await sleep(response.wait * 1000);
      response = await answer(method, url, content);
    }
    const { status, wait, text } = response;
    if (status >= 200 && status < 300) {
      return parseJson(text, schema, `The response of ${system} to ${method}`);
    }
    const needs = [401, 403, 404].includes(status) ? ` ${variable} needs ${permission}.` : "";
    const advice =
      wait === undefined
        ? needs
        : ` It limits requests; run the job again in ${Math.max(1, wait)} s.`;
    throw new UnexpectedStatusError(
      `${system} answered ${method} with ${status}.${advice}`,
      status,
    );
  };
}

/** Returns how many seconds a response asks to wait. GitHub also names the time when requests are possible again. */
function requestedWait(headers: ServiceResponse["headers"]): number | undefined {
  const header = (name: string) => headers[name]?.join(", ");
  const wait = parseRetryAfter(header("retry-after"));
  if (wait !== undefined || header("x-ratelimit-remaining") !== "0") return wait;
  return Math.max(0, Math.ceil(Number(header("x-ratelimit-reset")) - Date.now() / 1000));
}
