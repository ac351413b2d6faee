/**
 * The comments on a pull request of GitHub, or a merge request of GitLab, in which a job of the CI system reports its
 * previews. Each stack has one comment, which later commits update: a hidden marker names the project and the stack,
 * and a second one the commit and the workflow.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { readFile } from "../report/files";
import { invalidProxyVariables } from "../service/proxy";
import { escapeText } from "../messages/text";
import * as z from "../messages/zod";
import { ProviderError } from "../messages/errors";
import { parseJson } from "./command";
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
  /** The user of the token, if it is known. */
  readonly author: string | undefined;
  readonly token: string | undefined;
  /** Addresses of the API: the pull request, its comments, and the parent of each comment. */
  readonly url: string;
  readonly comments: string;
  readonly comment: string;
  /** Returns the user of the token. */
  readonly user: string;
}

/** What differs between the two APIs. */
const systems = {
  GitHub: {
    api: "GITHUB_API_URL",
    token: "GITHUB_TOKEN",
    update: "PATCH",
    permission: "The job may need the permission pull-requests: write.",
  },
  GitLab: {
    api: "CI_API_V4_URL",
    token: "GITLAB_TOKEN",
    update: "PUT",
    permission: "The token needs the scope api and the role Reporter.",
  },
} as const;

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
const pullRequestSchema = z.object({
  sha: z.optional(z.string()),
  head: z.optional(z.object({ sha: z.string() })),
});
const userSchema = z.object({ username: z.string() });
const commentsSchema = z.array(
  z.object({
    id: z.number(),
    body: z.nullish(z.string()),
    user: z.nullish(z.object({ login: z.string() })),
    author: z.nullish(userSchema),
  }),
);

/**
 * Reads the environment of a job. Returns undefined outside GitHub and GitLab.
 *
 * @param environment the variables of the job
 * @param author the user of the token. Default: that of the tokens of GitHub's jobs; GitLab is asked
 */
export function jobIn(environment: NodeJS.ProcessEnv, author?: string): Job | undefined {
  const value = (name: string) => environment[name] ?? "";
  if (value("GITHUB_ACTIONS") === "true") {
    const repository = value("GITHUB_REPOSITORY");
    const run = `${value("GITHUB_SERVER_URL")}/${repository}/actions/runs/${value("GITHUB_RUN_ID")}`;
    const file = value("GITHUB_EVENT_PATH");
    const name = "The file in GITHUB_EVENT_PATH";
    const event = file === "" ? {} : parseJson(readFile(file), eventSchema, name);
    const { number = 0, head } = event.pull_request ?? {};
    const api = `${value("GITHUB_API_URL")}/repos/${repository}`;
    return {
      system: "GitHub",
      url: `${run}/attempts/${value("GITHUB_RUN_ATTEMPT") || "1"}`,
      workflow: value("GITHUB_WORKFLOW"),
      pullRequest: head && {
        commit: head.sha,
        isFork: head.repo?.full_name !== repository,
        author: author || "github-actions[bot]",
        token: environment["GITHUB_TOKEN"],
        url: `${api}/pulls/${number}`,
        comments: `${api}/issues/${number}/comments`,
        comment: `${api}/issues/comments`,
        user: "",
      },
    };
  }
  if (value("GITLAB_CI") !== "true") return undefined;
  const [number, project] = [value("CI_MERGE_REQUEST_IID"), value("CI_MERGE_REQUEST_PROJECT_ID")];
  const url = `${value("CI_API_V4_URL")}/projects/${project}/merge_requests/${number}`;
  return {
    system: "GitLab",
    url: value("CI_JOB_URL"),
    workflow: value("CI_CONFIG_PATH"),
    pullRequest:
      number === ""
        ? undefined
        : {
            // A pipeline for merged results runs for a commit of its own.
            commit: value("CI_MERGE_REQUEST_SOURCE_BRANCH_SHA") || value("CI_COMMIT_SHA"),
            isFork: (value("CI_MERGE_REQUEST_SOURCE_PROJECT_ID") || project) !== project,
            author: author || undefined,
            token: environment["GITLAB_TOKEN"],
            url,
            comments: `${url}/notes`,
            comment: `${url}/notes`,
            user: `${value("CI_API_V4_URL")}/user`,
          },
  };
}

/** What a comment says about a stack. */
interface Text {
  /** The project and the stack. */
  readonly title: string;
  readonly markdown: string;
}

/**
 * Creates or updates the comment of a stack, unless the job is not for the last commit of the branch. Returns why there
 * is no comment, or nothing.
 */
export async function writeComment(job: Job, text: Text): Promise<string | undefined> {
  const comments = await openComments(job);
  if (typeof comments === "string") return comments;
  await comments.write(text, comments.own.find(({ title }) => title === text.title)?.id);
  return undefined;
}

/**
 * Updates the comments of a workflow that are about earlier commits: of jobs that failed before their preview, and of
 * stacks that are no longer previewed. Call it after all previews of a commit. Returns why it did nothing, or nothing.
 */
export async function markOutdated(job: Job): Promise<string | undefined> {
  const comments = await openComments(job);
  if (typeof comments === "string") return comments;
  for (const { id, title, commit, workflow } of comments.own) {
    if (commit === job.pullRequest?.commit || workflow !== job.workflow) continue;
    const heading = `### \`${escapeText(title).replaceAll("`", "'")}\`: did not run`;
    const place = `\`${job.pullRequest?.commit ?? ""}\` · [log of the job](${job.url})`;
    const reason =
      "The preview did not run for this commit: its job failed or was cancelled before, or the stack is no longer previewed.";
    await comments.write({ title, markdown: `${heading}\n\n${place}\n\n${reason}\n` }, id);
  }
  return undefined;
}

/** A comment of this command. */
interface OwnComment {
  readonly id: number;
  readonly title: string;
  readonly commit: string;
  readonly workflow: string;
}

interface Comments {
  readonly own: readonly OwnComment[];
  /** Creates a comment, or updates the one with the ID. */
  readonly write: (text: Text, id: number | undefined) => Promise<void>;
}

/** Reads the comments of the token's user. Others could have copied the marker. Returns why none can be written. */
async function openComments({ system, workflow, pullRequest }: Job): Promise<Comments | string> {
  if (pullRequest === undefined) return "the job is not for a pull request";
  const { commit, token, url } = pullRequest;
  const { token: variable, api } = systems[system];
  if (!token) return `${variable} is not set`;
  if (/[^!-~]/.test(token)) {
    throw new ProviderError(`${variable} contains white space or another invalid character.`);
  }
  if (!/^https?:/.test(url) || !URL.canParse(url)) {
    throw new ProviderError(`${api} is not the URL of an API.`);
  }
  const send = await sender(system, token);
  const author = pullRequest.author ?? (await send("GET", pullRequest.user, userSchema)).username;
  const own: OwnComment[] = [];
  for (let page = 1, size = 100; size === 100; page++) {
    // GitHub has no other order.
    const query = `?per_page=100&page=${page}&order_by=created_at&sort=asc`;
    const found = await send("GET", `${pullRequest.comments}${query}`, commentsSchema);
    size = found.length;
    own.push(
      ...found
        .filter((each) => (each.user?.login ?? each.author?.username) === author)
        .flatMap(({ id, body }) => ownComment(id, body ?? "")),
    );
  }
  // Last, so that no later job can have written its comment since.
  const { sha, head } = await send("GET", pullRequest.url, pullRequestSchema);
  const last = sha ?? head?.sha ?? "";
  if (last !== commit) {
    return `the job is for commit ${escapeText(commit, 40)}, but ${escapeText(last, 40)} is newer`;
  }
  return {
    own,
    write: async ({ title, markdown }, id) => {
      const body = [
        `<!-- pulumi-clouddb preview: ${encodeURIComponent(title)} -->`,
        `<!-- commit ${commit} of ${encodeURIComponent(workflow)} -->`,
        markdown,
      ].join("\n");
      if (id === undefined) await send("POST", pullRequest.comments, z.unknown(), { body });
      else
        await send(systems[system].update, `${pullRequest.comment}/${id}`, z.unknown(), { body });
    },
  };
}

/** Reads the markers of a comment. */
function ownComment(id: number, body: string): OwnComment[] {
  const [, ...values] =
    /^<!-- pulumi-clouddb preview: (\S+) -->\n<!-- commit (\S+) of (\S*) -->\n/.exec(body) ?? [];
  try {
    const [title, commit, workflow] = values.map(decodeURIComponent);
    if (title === undefined || commit === undefined || workflow === undefined) return [];
    return [{ id, title, commit, workflow }];
  } catch {
    return [];
  }
}

/** GitHub or GitLab refused a request, or did not answer. */
class RequestError extends ProviderError {
  readonly isTransient: boolean;

  constructor(message: string, isTransient: boolean) {
    super(message);
    this.isTransient = isTransient;
  }
}

/** Creates a function that sends requests, through a proxy if the environment sets one. */
async function sender(system: Job["system"], token: string) {
  const { EnvHttpProxyAgent, request } = await import("undici");
  const [invalid] = invalidProxyVariables(process.env);
  if (invalid !== undefined) throw new ProviderError(`${invalid} is not the URL of a proxy.`);
  // Set explicitly, because the environment variable NODE_TLS_REJECT_UNAUTHORIZED changes the default.
  const tls = { rejectUnauthorized: true };
  const dispatcher = new EnvHttpProxyAgent({
    connect: tls,
    requestTls: tls,
    proxyTls: tls,
    maxResponseSize: 32 * 1024 * 1024,
  });
  return async <T>(
    method: "GET" | "POST" | "PATCH" | "PUT",
    url: string,
    schema: z.ZodMiniType<T>,
    content?: Readonly<Record<string, string>>,
  ): Promise<T> => {
    const attempt = async () => {
      const { statusCode, text } = await request(url, {
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
      })
        .then(async ({ statusCode: status, body }) => ({
          statusCode: status,
          text: await body.text(),
        }))
        .catch((error: unknown) => {
          throw new RequestError(`${system} did not answer ${method} (${codeOf(error)}).`, true);
        });
      if (statusCode >= 200 && statusCode < 300) {
        return parseJson(text, schema, `The response of ${system} to ${method}`);
      }
      const advice = [401, 403, 404].includes(statusCode) ? ` ${systems[system].permission}` : "";
      const isTransient = statusCode >= 500 || statusCode === 429;
      throw new RequestError(
        `${system} answered ${method} with ${statusCode}.${advice}`,
        isTransient,
      );
    };
    for (const delaySeconds of [1, 2]) {
      try {
        return await attempt();
      } catch (error) {
        // A comment that was created nevertheless would be there twice.
        const mayRetry = method !== "POST" && error instanceof RequestError && error.isTransient;
        if (!mayRetry) throw error;
        await sleep(delaySeconds * 1000);
      }
    }
    return await attempt();
  };
}

function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return "unknown error";
  return escapeText("code" in error ? String(error.code) : error.name, 100);
}
