/** Stand-ins for the APIs of GitHub, which a proxy leads to, and of Azure DevOps, with the comments of one pull request. */
import { writeFileSync } from "node:fs";
import { type IncomingMessage, type ServerResponse, createServer } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo, Server } from "node:net";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import { z } from "zod";
import { loopbackCertificate } from "./certificate";
import { type Cleanup, temporaryFolder } from "./cleanup";
import { startProxy } from "./proxy";

/** The token that the hosts accept. */
export const hostToken = "token-of-the-job";

/** The token of a job that may not write. */
export const readOnlyToken = "token-that-can-only-read";

/** The user of the tokens of jobs of GitHub. */
export const bot = "github-actions[bot]";

export interface HostComment {
  readonly id: number;
  readonly author: string;
  body: string;
}

export interface ReviewHost {
  readonly comments: HostComment[];
  /** The requests, such as `POST /repos/acme/infra/issues/7/comments`, without queries. */
  readonly requests: string[];
  /** Called before each request is answered. What it returns is the answer. */
  intercept: (request: string) => Answer | undefined;
  /** Whether the branch of the pull request is in another repository. */
  isFork: boolean;
  /** The variables with which programs reach the stand-in for GitHub under its own name, and trust its certificate. */
  readonly github: Variables;
  /** The variables of a pipeline of Azure DevOps. */
  readonly azure: Variables;
}

type Variables = Readonly<Record<string, string>>;

interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** HTML, or what becomes JSON. */
  readonly body?: unknown;
}

const issues = "/repos/acme/infra/issues";
const list = `${issues}/7/comments`;
const threads = "/acme/5/_apis/git/repositories/6/pullRequests/7/threads";
const threadComment = z.strictObject({
  parentCommentId: z.literal(0),
  commentType: z.literal(1),
  content: z.string(),
});
const threadSchema = z.strictObject({ comments: z.tuple([threadComment]), status: z.literal(4) });

/** Starts both hosts on loopback, with pull request 7 of acme/infra. */
export async function startReviewHost(cleanup: Cleanup): Promise<ReviewHost> {
  const { cert, key } = await loopbackCertificate(["api.github.com"]);
  const authorities = join(temporaryFolder(cleanup), "ca.pem");
  writeFileSync(authorities, cert);
  const respond = (request: IncomingMessage, response: ServerResponse) => {
    void answer(host, request).then(({ status, headers, body = "" }) => {
      const isHtml = typeof body === "string";
      const type = isHtml ? "text/html" : "application/json; charset=utf-8";
      response.writeHead(status, { "content-type": type, ...headers });
      response.end(isHtml ? body : JSON.stringify(body));
    });
  };
  const github = await listen(cleanup, createTlsServer({ cert, key }, respond));
  const azure = await listen(cleanup, createServer(respond));
  const proxy = await startProxy(github);
  cleanup(() => {
    proxy.stop();
  });
  const host: ReviewHost = {
    comments: [],
    requests: [],
    intercept: () => undefined,
    isFork: false,
    github: { HTTPS_PROXY: proxy.url, SSL_CERT_FILE: authorities },
    azure: {
      "System.CollectionUri": `http://${azure}/acme/`,
      "System.TeamProjectId": "5",
      "Build.Repository.ID": "6",
      "System.PullRequest.PullRequestId": "7",
      "System.AccessToken": hostToken,
    },
  };
  return host;
}

/** Returns the host and port of a server. */
async function listen(
  cleanup: Cleanup,
  server: Server & { closeAllConnections(): void },
): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  cleanup(() => {
    server.closeAllConnections();
    server.close();
  });
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function answer(host: ReviewHost, request: IncomingMessage): Promise<Answer> {
  const { pathname, searchParams } = new URL(request.url ?? "", "https://api.github.com");
  const { method = "", headers } = request;
  const route = `${method} ${pathname}`;
  host.requests.push(route);
  const content: unknown = method === "GET" ? undefined : await json(request);
  const intercepted = host.intercept(route);
  if (intercepted !== undefined) return intercepted;
  // gh sends the first scheme.
  const token = /^(?:token|Bearer) (.*)/.exec(headers.authorization ?? "")?.[1];
  if (token !== hostToken && token !== readOnlyToken) return { status: 401, body: {} };
  switch (route) {
    case `GET ${list}`:
      return page(
        host,
        Number(searchParams.get("page") ?? 1),
        Number(searchParams.get("per_page")),
      );
    // `gh pr view`
    case "POST /graphql": {
      const pullRequest = { number: 7, isCrossRepository: host.isFork };
      return { status: 200, body: { data: { repository: { pullRequest } } } };
    }
    case `POST ${threads}`: {
      if (searchParams.get("api-version") !== "7.0") return { status: 400, body: {} };
      const [{ content: body }] = threadSchema.parse(content).comments;
      return { status: 200, body: { id: add(host, body).id } };
    }
    default:
      return token === hostToken ? write(host, route, content) : { status: 403, body: {} };
  }
}

/** Returns comments of a page, and the address of the next one in the header Link, as GitHub does. */
function page({ comments }: ReviewHost, number: number, length: number): Answer {
  const body = comments.slice((number - 1) * length, number * length).map(shown);
  const next = `<https://api.github.com${list}?per_page=${length}&page=${number + 1}>; rel="next"`;
  return {
    status: 200,
    body,
    ...(comments.length > number * length && { headers: { link: next } }),
  };
}

/** Creates or updates a comment of at most the length that GitHub accepts. */
function write(host: ReviewHost, route: string, content: unknown): Answer {
  const { body } = z.object({ body: z.string() }).parse(content);
  if (body.length > 65_536) return { status: 422, body: { message: "body is too long" } };
  if (route === `POST ${list}`) return { status: 201, body: shown(add(host, body)) };
  const comment = host.comments.find(({ id }) => route === `PATCH ${issues}/comments/${id}`);
  if (comment === undefined) return { status: 404, body: {} };
  comment.body = body;
  return { status: 200, body: shown(comment) };
}

function add({ comments }: ReviewHost, body: string): HostComment {
  const comment = { id: comments.length + 1, author: bot, body };
  comments.push(comment);
  return comment;
}

function shown({ id, author, body }: HostComment) {
  const html_url = `https://github.com/acme/infra/pull/7#issuecomment-${id}`;
  return { id, body, user: { login: author }, html_url };
}
