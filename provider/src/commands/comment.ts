/**
 * The comments on a pull request of GitHub, or a merge request of GitLab, in which a job of the CI system reports its
 * previews. Each stack has one comment, which later commits update: a hidden marker names the project and the stack,
 * and a second one the commit and the workflow.
 */
import { readFile } from "../report/files";
import { invalidProxyVariables } from "../service/proxy";
import { escapeText, problemsOf } from "../messages/text";
import * as z from "../messages/zod";
import { ProviderError } from "../messages/errors";
import { version } from "../version";

/** The job of a CI system that the command runs in. */
export interface Job {
  readonly system: "GitHub" | "GitLab";
  /** The page with its log. */
  readonly url: string;
  /** The workflow. Only its own jobs know which of its stacks are still previewed. */
  readonly workflow: string;
  /** Undefined in a job of a branch, such as an update. */
  readonly pullRequest: PullRequest | undefined;
}

interface PullRequest {
  /** The last commit of the branch when the job was created. */
  readonly commit: string;
  /** Whether the branch is in another repository. */
  readonly isFork: boolean;
  readonly api: Api;
}

interface Comment {
  readonly id: number;
  readonly author: string | undefined;
  readonly body: string;
}

/** How GitHub and GitLab serve one pull request. */
interface Api {
  readonly token: string | undefined;
  readonly tokenVariable: string;
  readonly pullRequest: string;
  readonly commitIn: z.ZodMiniType<string>;
  /** Lists the comments, and creates one. */
  readonly comments: string;
  readonly commentsIn: z.ZodMiniType<Comment[]>;
  readonly comment: (id: number) => string;
  readonly update: "PATCH" | "PUT";
  /** Returns the user of the token. GitHub does not say who uses the token of a job. */
  readonly user: string | undefined;
  readonly permission: string;
}

/** Reads the environment of a job. Returns undefined outside of GitHub and GitLab. */
export function jobIn(environment: NodeJS.ProcessEnv): Job | undefined {
  const value = (name: string) => environment[name] ?? "";
  if (value("GITHUB_ACTIONS") === "true") {
    const attempt = value("GITHUB_RUN_ATTEMPT");
    const run = `${value("GITHUB_SERVER_URL")}/${value("GITHUB_REPOSITORY")}/actions/runs/${value("GITHUB_RUN_ID")}`;
    const event = environment["GITHUB_EVENT_PATH"];
    return {
      system: "GitHub",
      url: attempt === "" ? run : `${run}/attempts/${attempt}`,
      workflow: value("GITHUB_WORKFLOW"),
      pullRequest: event ? onGitHub(readFile(event), environment) : undefined,
    };
  }
  if (value("GITLAB_CI") !== "true") return undefined;
  return {
    system: "GitLab",
    url: value("CI_JOB_URL"),
    workflow: value("CI_CONFIG_PATH"),
    pullRequest: environment["CI_MERGE_REQUEST_IID"] ? onGitLab(environment) : undefined,
  };
}

const eventSchema = z.object({
  pull_request: z.optional(
    z.object({
      number: z.number(),
      head: z.object({
        sha: z.string(),
        repo: z.nullish(z.object({ full_name: z.string() })),
      }),
    }),
  ),
});

function onGitHub(event: string, environment: NodeJS.ProcessEnv): PullRequest | undefined {
  const { pull_request } = parsed(event, eventSchema, "The file in GITHUB_EVENT_PATH");
  if (pull_request === undefined) return undefined;
  const { number, head } = pull_request;
  const { GITHUB_API_URL = "", GITHUB_REPOSITORY = "" } = environment;
  const repository = `${GITHUB_API_URL}/repos/${GITHUB_REPOSITORY}`;
  return {
    commit: head.sha,
    isFork: head.repo?.full_name !== GITHUB_REPOSITORY,
    api: {
      token: environment["GITHUB_TOKEN"],
      tokenVariable: "GITHUB_TOKEN",
      pullRequest: `${repository}/pulls/${number}`,
      commitIn: z.pipe(
        z.object({ head: z.object({ sha: z.string() }) }),
        z.transform((found) => found.head.sha),
      ),
      comments: `${repository}/issues/${number}/comments?`,
      commentsIn: z.array(
        z.pipe(
          z.object({
            id: z.number(),
            user: z.nullish(z.object({ login: z.string() })),
            body: z.nullish(z.string()),
          }),
          z.transform(({ id, user, body }) => ({ id, author: user?.login, body: body ?? "" })),
        ),
      ),
      comment: (id) => `${repository}/issues/comments/${id}`,
      update: "PATCH",
      user: undefined,
      permission: "The job may need the permission pull-requests: write.",
    },
  };
}

function onGitLab(environment: NodeJS.ProcessEnv): PullRequest {
  const value = (name: string) => environment[name] ?? "";
  const api = value("CI_API_V4_URL");
  const project = value("CI_MERGE_REQUEST_PROJECT_ID");
  const mergeRequest = `${api}/projects/${project}/merge_requests/${value("CI_MERGE_REQUEST_IID")}`;
  return {
    // A pipeline for merged results runs for a commit of its own.
    commit: environment["CI_MERGE_REQUEST_SOURCE_BRANCH_SHA"] || value("CI_COMMIT_SHA"),
    isFork: project !== (environment["CI_MERGE_REQUEST_SOURCE_PROJECT_ID"] ?? project),
    api: {
      token: environment["GITLAB_TOKEN"],
      tokenVariable: "GITLAB_TOKEN",
      pullRequest: mergeRequest,
      commitIn: z.pipe(
        z.object({ sha: z.string() }),
        z.transform(({ sha }) => sha),
      ),
      comments: `${mergeRequest}/notes?sort=asc&order_by=created_at&`,
      commentsIn: z.array(
        z.pipe(
          z.object({
            id: z.number(),
            author: z.nullish(z.object({ username: z.string() })),
            body: z.nullish(z.string()),
          }),
          z.transform(({ id, author, body }) => ({
            id,
            author: author?.username,
            body: body ?? "",
          })),
        ),
      ),
      comment: (id) => `${mergeRequest}/notes/${id}`,
      update: "PUT",
      user: `${api}/user`,
      permission: "The token needs the scope api and the role Reporter.",
    },
  };
}

/** What a comment says about a stack. */
interface Text {
  /** The project and the stack. */
  readonly title: string;
  /** Markdown that begins with a heading. */
  readonly markdown: string;
}

const markerStart = "<!-- pulumi-clouddb preview: ";

/**
 * Creates or updates the comment of a stack, unless the job is not for the last commit of the branch. Returns why there
 * is no comment, or nothing.
 */
export async function writeComment(
  job: Job,
  author: string | undefined,
  text: Text,
): Promise<string | undefined> {
  const comments = await openComments(job, author);
  if (typeof comments === "string") return comments;
  const previous = comments.own.find(({ body }) => body.startsWith(markerOf(text.title)));
  await comments.write(previous?.id, text);
  return undefined;
}

/**
 * Updates the comments of a workflow that are about earlier commits: of jobs that failed before their preview, and of
 * stacks that are no longer previewed. Call it after all previews of a commit. Returns why it did nothing, or nothing.
 */
export async function markOutdated(
  job: Job,
  author: string | undefined,
): Promise<string | undefined> {
  const comments = await openComments(job, author);
  if (typeof comments === "string") return comments;
  for (const { id, body } of comments.own) {
    const title = titleIn(body);
    const [, commit, workflow] = /^<!-- commit (\S+) of (\S*) -->$/m.exec(body) ?? [];
    if (title === undefined || commit === job.pullRequest?.commit) continue;
    if (workflow !== undefined && workflow !== encodeURIComponent(job.workflow)) continue;
    const heading = `### \`${escapeText(title).replaceAll("`", "'")}\`: did not run`;
    const reason =
      "The preview did not run for this commit: its job failed or was cancelled before, or the stack is no longer previewed.";
    await comments.write(id, { title, markdown: `${heading}\n\n${reason}\n` });
  }
  return undefined;
}

function markerOf(title: string): string {
  return `${markerStart}${encodeURIComponent(title)} -->`;
}

function titleIn(body: string): string | undefined {
  const [, encoded] = new RegExp(`^${markerStart}(\\S+) -->`).exec(body) ?? [];
  try {
    return encoded && decodeURIComponent(encoded);
  } catch {
    return undefined;
  }
}

interface OwnComments {
  readonly own: readonly Comment[];
  /** Updates a comment, or creates one. */
  readonly write: (id: number | undefined, text: Text) => Promise<void>;
}

/** Reads the comments of the token's user. Others could have copied the marker. Returns why none can be written. */
async function openComments(
  { system, url, workflow, pullRequest }: Job,
  givenAuthor: string | undefined,
): Promise<OwnComments | string> {
  if (pullRequest === undefined) return "the job is not for a pull request";
  const { api, commit } = pullRequest;
  if (!api.token) return `${api.tokenVariable} is not set`;
  const send = await sender(system, api, api.token);
  const user = z.object({ username: z.string() });
  const author =
    givenAuthor ??
    (api.user === undefined ? "github-actions[bot]" : (await send("GET", api.user, user)).username);
  const own: Comment[] = [];
  for (let page = 1, size = 100; size === 100; page++) {
    const found = await send("GET", `${api.comments}per_page=100&page=${page}`, api.commentsIn);
    size = found.length;
    own.push(...found.filter((each) => each.author === author));
  }
  // Last, so that no later job can have written its comment since.
  const last = await send("GET", api.pullRequest, api.commitIn);
  if (last !== commit)
    return `the job is for commit ${escapeText(commit, 40)}, but ${escapeText(last, 40)} is newer`;
  return {
    own,
    write: async (id, { title, markdown }) => {
      const [heading = "", ...rest] = markdown.split("\n");
      const body = [
        markerOf(title),
        `<!-- commit ${commit} of ${encodeURIComponent(workflow)} -->`,
        heading,
        "",
        `[Job](${url}) for commit ${commit}`,
        ...rest,
      ].join("\n");
      if (id === undefined) await send("POST", api.comments, z.unknown(), { body });
      else await send(api.update, api.comment(id), z.unknown(), { body });
    },
  };
}

type Send = <T>(
  method: "GET" | "POST" | Api["update"],
  url: string,
  schema: z.ZodMiniType<T>,
  content?: Readonly<Record<string, string>>,
) => Promise<T>;

/** GitHub or GitLab refused a request, or did not answer. */
class RequestError extends ProviderError {
  readonly isTransient: boolean;

  constructor(message: string, isTransient: boolean) {
    super(message);
    this.isTransient = isTransient;
  }
}

/** Creates a function that sends requests, through a proxy if the environment sets one. */
async function sender(system: Job["system"], api: Api, token: string): Promise<Send> {
  const [{ EnvHttpProxyAgent, request }, { default: pRetry }] = await Promise.all([
    import("undici"),
    import("p-retry"),
  ]);
  const [invalid] = invalidProxyVariables(process.env);
  if (invalid !== undefined) throw new ProviderError(`${invalid} is not the URL of a proxy.`);
  // Set explicitly: the environment variable NODE_TLS_REJECT_UNAUTHORIZED changes the default.
  const tls = { rejectUnauthorized: true };
  const dispatcher = new EnvHttpProxyAgent({
    connect: tls,
    requestTls: tls,
    proxyTls: tls,
    maxResponseSize: 32 * 1024 * 1024,
  });
  return (method, url, schema, content) => {
    const attempt = async () => {
      const { statusCode, body } = await request(url, {
        dispatcher,
        method,
        headers: {
          accept: "application/json",
          authorization: `Bearer ${token}`,
          "user-agent": `pulumi-clouddb/${version}`,
          ...(content && { "content-type": "application/json" }),
        },
        body: content === undefined ? null : JSON.stringify(content),
        signal: AbortSignal.timeout(30_000),
      }).catch((error: unknown) => {
        throw new RequestError(`${system} did not answer ${method} (${codeOf(error)}).`, true);
      });
      const text = await body.text();
      if (statusCode >= 200 && statusCode < 300) {
        return parsed(text, schema, `The response of ${system} to ${method}`);
      }
      const advice = [401, 403, 404].includes(statusCode) ? ` ${api.permission}` : "";
      throw new RequestError(
        `${system} answered ${method} with ${statusCode}.${advice}`,
        statusCode >= 500 || statusCode === 429,
      );
    };
    return pRetry(attempt, {
      retries: 2,
      // A comment that was created nevertheless would be there twice.
      shouldRetry: ({ error }) =>
        method !== "POST" && error instanceof RequestError && error.isTransient,
    });
  };
}

function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return "unknown error";
  return escapeText("code" in error ? String(error.code) : error.name, 100);
}

function parsed<T>(text: string, schema: z.ZodMiniType<T>, name: string): T {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new ProviderError(`${name} is not JSON.`);
  }
  const { success, data, error } = schema.safeParse(value);
  if (success) return data;
  throw new ProviderError(`${name} is invalid: ${problemsOf(error)}.`);
}
