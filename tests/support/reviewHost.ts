/** A stand-in for the REST APIs of GitHub and other forges, with the comments of one pull request. */
import { type IncomingMessage, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { z } from "zod";
import type { Cleanup } from "./cleanup";

/** The token that the host accepts. */
export const hostToken = "token-of-the-job";

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
  /** The user of the token, who writes its comments. */
  user: string;
  /** The most comments on a page of Gitea or Forgejo, whose releases return all of them on every page. */
  maxPageLength: number | undefined;
  /** The variables of a job for the pull request. */
  readonly github: Variables;
  readonly gitlab: Variables;
  readonly gitea: Variables;
  readonly forgejo: Variables;
  /** The variables of a pipeline of Azure DevOps. */
  readonly azure: Variables;
}

type Variables = Readonly<Record<string, string>>;

interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

const repository = "/repos/acme/infra";
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
    void answer(host, request).then(({ status, headers, body }) => {
      response.writeHead(status, { "content-type": "application/json", ...headers });
      response.end(body === undefined ? "" : JSON.stringify(body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  cleanup(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const github = {
    GITHUB_ACTIONS: "true",
    GITHUB_API_URL: url,
    GITHUB_REPOSITORY: "acme/infra",
    GITHUB_RUN_ID: "1",
    GITHUB_SERVER_URL: "https://github.example",
    GITHUB_TOKEN: hostToken,
    GITHUB_WORKFLOW: "Preview",
  };
  // Runners of Forgejo set the variables of all three.
  const ofGitea = {
    ...github,
    GITHUB_API_URL: `${url}/api/v1`,
    GITHUB_RUN_ID: "272",
    GITHUB_RUN_NUMBER: "43",
    GITHUB_SERVER_URL: "https://git.example/",
  };
  const host: ReviewHost = {
    url,
    commit: "",
    comments: [],
    requests: [],
    intercept: () => undefined,
    isFork: false,
    user: "github-actions[bot]",
    maxPageLength: undefined,
    github,
    gitea: { ...ofGitea, GITEA_ACTIONS: "true" },
    forgejo: { ...ofGitea, GITEA_ACTIONS: "true", FORGEJO_ACTIONS: "true" },
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
  if (route === `POST ${threads}` && searchParams.get("api-version") === "7.0") {
    const [{ content: body }] = threadSchema.parse(content).comments;
    host.comments.push({ id: 1, author: host.user, body });
    return { status: 200 };
  }
  if (method === "GET") return read(host, pathname, searchParams);
  const { body } = z.object({ body: z.string().max(65_536) }).parse(content);
  const { list, update } = routesOf(pathname);
  if (route === `POST ${list}`) {
    host.comments.push({ id: host.comments.length + 1, author: host.user, body });
    return { status: 201, body: shown(host.comments.at(-1), pathname) };
  }
  const comment = host.comments.find(({ id }) => route === `${update}/${id}`);
  if (comment === undefined) return { status: 404 };
  comment.body = body;
  return { status: 200, body: shown(comment, pathname) };
}

/** Gitea and Forgejo have GitHub's routes, below their prefix. */
function routesOf(pathname: string) {
  if (pathname.startsWith(mergeRequest))
    return { list: `${mergeRequest}/notes`, update: `PUT ${mergeRequest}/notes` };
  const issues = `${giteaPrefix(pathname)}${repository}/issues`;
  return { list: `${issues}/7/comments`, update: `PATCH ${issues}/comments` };
}

function giteaPrefix(pathname: string): string {
  return pathname.startsWith("/api/v1/") ? "/api/v1" : "";
}

function shown(comment: HostComment | undefined, pathname: string) {
  const { author = "", ...rest } = comment ?? {};
  return pathname.startsWith(mergeRequest)
    ? { ...rest, author: { username: author } }
    : { ...rest, user: { login: author } };
}

function read(host: ReviewHost, pathname: string, parameters: URLSearchParams): Answer {
  const prefix = giteaPrefix(pathname);
  switch (pathname) {
    case `${prefix}${repository}/pulls/7`: {
      const repo = { full_name: host.isFork ? "mallory/infra" : "acme/infra" };
      return { status: 200, body: { head: { sha: host.commit, repo } } };
    }
    case mergeRequest:
      return { status: 200, body: { sha: host.commit, source_project_id: host.isFork ? 6 : 5 } };
    case "/api/v4/user":
      return { status: 200, body: { username: host.user } };
    case "/api/v1/user":
      return { status: 200, body: { login: host.user } };
    case routesOf(pathname).list: {
      const length =
        prefix === ""
          ? Number(parameters.get("per_page"))
          : Math.min(Number(parameters.get("limit")), host.maxPageLength ?? Infinity);
      const isPaged = prefix === "" || host.maxPageLength !== undefined;
      const start = (Number(parameters.get("page")) - 1) * length;
      const page = isPaged ? host.comments.slice(start, start + length) : host.comments;
      return { status: 200, body: page.map((comment) => shown(comment, pathname)) };
    }
    // A token of a job of GitHub cannot ask for its user.
    default:
      return { status: pathname === "/user" ? 403 : 404 };
  }
}
