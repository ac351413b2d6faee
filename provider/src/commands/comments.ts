/** The comment on a pull or merge request with the report of a stack, which a hidden marker names. */
import { setTimeout as sleep } from "node:timers/promises";
import { ProviderError } from "../messages/errors";
import { parseJson } from "../schemas/validation";
import * as z from "../schemas/zod";
import { ApiError } from "../service/requestErrors";
import type { ServiceRequest, ServiceResponse } from "../service/exchange";
import { invalidProxyVariables } from "../service/proxy";
import { parseRetryAfter } from "../service/retry";
import { httpsTransport } from "../service/transport";
import { version } from "../version";

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

const maxWaitSeconds = 120;

const timeoutSeconds = 30;

/** Creates a function that sends requests. Jobs of many stacks write at the same time, so it waits once if asked to. */
export function sender({ system, url: someUrl, token, variable, permission }: Comments) {
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
    throw new ResponseError(`${system} answered ${method} with ${status}.${advice}`, status);
  };
}

/** Returns how many seconds a response asks to wait. GitHub also names the time when requests are possible again. */
function requestedWait(headers: ServiceResponse["headers"]): number | undefined {
  const header = (name: string) => headers[name]?.join(", ");
  const wait = parseRetryAfter(header("retry-after"));
  if (wait !== undefined || header("x-ratelimit-remaining") !== "0") return wait;
  return Math.max(0, Math.ceil(Number(header("x-ratelimit-reset")) - Date.now() / 1000));
}
