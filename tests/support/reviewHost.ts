/** A stand-in for the REST APIs of GitHub, GitLab and Azure DevOps, with the comments of one pull request. */
import { type IncomingMessage, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { z } from "zod";
import type { Cleanup } from "./cleanup";

/** The token that the host accepts, and its user. */
export const hostToken = "token-of-the-job";
const bot = "github-actions[bot]";

export interface HostComment {
  readonly id: number;
  readonly author: string;
  body: string;
}

export interface ReviewHost {
  readonly url: string;
  /** The last commit of the branch. */
  commit: string;
  readonly comments: HostComment[];
  /** The requests, such as `POST /repos/acme/infra/issues/7/comments`, without queries. */
  readonly requests: string[];
  /** Called before each request is answered. What it returns is the answer. */
  intercept: (request: string) => Answer | undefined;
  /** Whether the branch is in another repository. */
  isFork: boolean;
  /** The variables of a GitHub or GitLab job for the pull request. */
  readonly github: Readonly<Record<string, string>>;
  readonly gitlab: Readonly<Record<string, string>>;
  /** The variables of a pipeline of Azure DevOps. */
  readonly azure: Readonly<Record<string, string>>;
}

interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

const issues = "/repos/acme/infra/issues";
const mergeRequest = "/api/v4/projects/5/merge_requests/7";
const threads = "/acme/5/_apis/git/repositories/6/pullRequests/7/threads";
const threadComment = z.strictObject({
  parentCommentId: z.literal(0),
  commentType: z.literal(1),
  content: z.string(),
});
const threadSchema = z.strictObject({ comments: z.tuple([threadComment]), status: z.literal(4) });

/** Starts a host on loopback, with pull request 7 of acme/infra. */
export async function startReviewHost(cleanup: Cleanup): Promise<ReviewHost> {
  const server = createServer((request, response) => {
    void answer(host, request).then(({ status, headers, body = {} }) => {
      response.writeHead(status, { "content-type": "application/json", ...headers });
      response.end(JSON.stringify(body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  cleanup(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const host: ReviewHost = {
    url,
    commit: "",
    comments: [],
    requests: [],
    intercept: () => undefined,
    isFork: false,
    github: {
      GITHUB_ACTIONS: "true",
      GITHUB_API_URL: url,
      GITHUB_REPOSITORY: "acme/infra",
      GITHUB_RUN_ID: "1",
      GITHUB_SERVER_URL: "https://github.example",
      GITHUB_TOKEN: hostToken,
      GITHUB_WORKFLOW: "Preview",
    },
    gitlab: {
      GITLAB_CI: "true",
      CI_API_V4_URL: `${url}/api/v4`,
      CI_CONFIG_PATH: ".gitlab-ci.yml",
      CI_JOB_URL: "https://gitlab.example/acme/infra/-/jobs/1",
      CI_MERGE_REQUEST_IID: "7",
      CI_MERGE_REQUEST_PROJECT_ID: "5",
      GITLAB_TOKEN: hostToken,
    },
    azure: {
      "System.CollectionUri": `${url}/acme/`,
      "System.TeamProjectId": "5",
      "Build.Repository.ID": "6",
      "System.PullRequest.PullRequestId": "7",
      "System.AccessToken": hostToken,
    },
  };
  return host;
}

async function answer(host: ReviewHost, request: IncomingMessage): Promise<Answer> {
  const { pathname, searchParams } = new URL(request.url ?? "", host.url);
  const { method = "", headers } = request;
  const route = `${method} ${pathname}`;
  host.requests.push(route);
  const content: unknown = method === "GET" ? undefined : await json(request);
  const intercepted = host.intercept(route);
  if (intercepted !== undefined) return intercepted;
  if (headers.authorization !== `Bearer ${hostToken}`) return { status: 401 };
  if (route === "GET /repos/acme/infra/pulls/7") {
    const repo = { full_name: host.isFork ? "mallory/infra" : "acme/infra" };
    return { status: 200, body: { head: { sha: host.commit, repo } } };
  }
  if (route === `GET ${mergeRequest}`)
    return { status: 200, body: { sha: host.commit, source_project_id: host.isFork ? 6 : 5 } };
  if (route === "GET /api/v4/user") return { status: 200, body: { username: bot } };
  const isGitLab = pathname.startsWith(mergeRequest);
  const shown = ({ id, author, body }: HostComment) =>
    isGitLab ? { id, author: { username: author }, body } : { id, user: { login: author }, body };
  const list = isGitLab ? `${mergeRequest}/notes` : `${issues}/7/comments`;
  if (route === `GET ${list}`) {
    const count = Number(searchParams.get("per_page"));
    const page = Number(searchParams.get("page"));
    const start = (page - 1) * count;
    return { status: 200, body: host.comments.slice(start, start + count).map(shown) };
  }
  if (route === `POST ${threads}` && searchParams.get("api-version") === "7.0") {
    const [{ content: body }] = threadSchema.parse(content).comments;
    host.comments.push({ id: 1, author: bot, body });
    return { status: 200 };
  }
  const { body } = z.object({ body: z.string().max(65_536) }).parse(content);
  if (route === `POST ${list}`) {
    const created = { id: host.comments.length + 1, author: bot, body };
    host.comments.push(created);
    return { status: 201, body: shown(created) };
  }
  const [update, one] = isGitLab ? ["PUT", list] : ["PATCH", `${issues}/comments`];
  const comment = host.comments.find(({ id }) => route === `${update} ${one}/${id}`);
  if (comment === undefined) return { status: 404 };
  comment.body = body;
  return { status: 200, body: shown(comment) };
}
