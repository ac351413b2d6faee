/**
 * The comment on a pull request of GitHub, or the note on a merge request of GitLab, with the report of a stack. Later
 * commits update it, because a hidden marker in its first line names the project and the stack.
 */
import type { IncomingHttpHeaders } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import type * as Undici from "undici";
import { ProviderError, isBug } from "../messages/errors";
import { parseJson } from "../messages/schemaErrors";
import { escapeText } from "../messages/text";
import * as z from "../messages/zod";
import { parseRetryAfter } from "../service/retry";
import { version } from "../version";

/** Where the comments of a pull request are, and what requests need. */
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
  /** The project and the stack. */
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

/** Creates or updates the comment of a stack. */
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
      if (!(error instanceof ResponseError && [404, 410].includes(error.status))) throw error;
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

class ResponseError extends ProviderError {
  constructor(
    message: string,
    readonly status: number,
  ) {
    super(message);
  }
}

/** How long a server may ask to wait, in seconds. */
const longestWait = 120;

/** Creates a function that sends requests. Jobs of many stacks write at the same time, so it waits once if asked to. */
export function sender({ system, token, variable, permission }: Comments) {
  const request = async (method: string, url: string, content?: object) => {
    // oxlint-disable-next-line typescript/no-unsafe-assignment -- loaded for the first request
    const { EnvHttpProxyAgent, request: requestWithUndici }: typeof Undici = require("#undici");
    // Set explicitly, because the environment variable NODE_TLS_REJECT_UNAUTHORIZED changes the default.
    const tls = { rejectUnauthorized: true };
    const response = await requestWithUndici(url, {
      dispatcher: new EnvHttpProxyAgent({ connect: tls, requestTls: tls, proxyTls: tls }),
      method,
      headers: {
        accept: "application/json",
        authorization: `Bearer ${token}`,
        "user-agent": `pulumi-clouddb/${version}`,
        ...(content && { "content-type": "application/json" }),
      },
      body: content === undefined ? null : JSON.stringify(content),
      signal: AbortSignal.timeout(30_000),
    });
    const { statusCode: status, headers } = response;
    const wait = [403, 429].includes(status) ? requestedWait(headers) : undefined;
    return { status, wait, text: await response.body.text() };
  };
  const answer = (...args: Parameters<typeof request>) =>
    request(...args).catch((error: unknown) => {
      // The environment says the URL.
      if (isBug(error) && URL.canParse(args[1])) throw error;
      throw new ProviderError(`${system} did not answer ${args[0]} (${codeOf(error)}).`);
    });
  return async <T>(
    method: "GET" | "POST" | "PATCH" | "PUT",
    url: string,
    schema: z.ZodMiniType<T>,
    content?: object,
  ): Promise<T> => {
    let response = await answer(method, url, content);
    if (response.wait !== undefined && response.wait <= longestWait) {
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
    throw new ResponseError(`${system} answered ${method} with ${status}.${advice}`, status);
  };
}

/** Returns how many seconds a response asks to wait. GitHub also names the time when requests are possible again. */
function requestedWait(headers: IncomingHttpHeaders): number | undefined {
  const header = (name: string) => headers[name]?.toString();
  const wait = parseRetryAfter(header("retry-after"));
  if (wait !== undefined || header("x-ratelimit-remaining") !== "0") return wait;
  return Math.max(0, Math.ceil(Number(header("x-ratelimit-reset")) - Date.now() / 1000));
}

function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return "unknown error";
  return escapeText("code" in error ? String(error.code) : error.name, 100);
}
