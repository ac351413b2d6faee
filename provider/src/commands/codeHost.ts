/** Requests to the APIs of GitHub and GitLab, whose comments are alike. */
import { setTimeout as sleep } from "node:timers/promises";
import { escapeText } from "../messages/text";
import type * as z from "../messages/zod";
import { ProviderError } from "../messages/errors";
import { parseJson } from "../messages/json";
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

export type Send = ReturnType<typeof sender>;

/** How long a server may ask to wait, in seconds. */
const longestWait = 120;

/** Creates a function that sends requests, and returns undefined if what is requested does not exist. */
export function sender({ system, token, variable, permission }: Omit<Comments, "url" | "update">) {
  const request = async (method: string, url: string, content?: object) => {
    const { EnvHttpProxyAgent, request: requestWithUndici } = await import("undici");
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
    return { status, wait: Number(headers["retry-after"]), text: await response.body.text() };
  };
  const answer = (...args: Parameters<typeof request>) =>
    request(...args).catch((error: unknown) => {
      throw new ProviderError(`${system} did not answer ${args[0]} (${codeOf(error)}).`);
    });
  return async <T>(
    method: "GET" | "POST" | "PATCH" | "PUT",
    url: string,
    schema: z.ZodMiniType<T>,
    content?: object,
  ): Promise<T | undefined> => {
    let response = await answer(method, url, content);
    const { wait } = response;
    // Jobs of many stacks write at the same time.
    if ([403, 429].includes(response.status) && wait >= 0 && wait <= longestWait) {
      await sleep(wait * 1000);
      response = await answer(method, url, content);
    }
    const { status, text } = response;
    if (status >= 200 && status < 300) {
      return parseJson(text, schema, `The response of ${system} to ${method}`);
    }
    const isUpdate = method === "PATCH" || method === "PUT";
    if (isUpdate && (status === 404 || status === 410)) return undefined;
    const advice = [401, 403, 404].includes(status) ? ` ${variable} needs ${permission}.` : "";
    throw new ProviderError(`${system} answered ${method} with ${status}.${advice}`);
  };
}

function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return "unknown error";
  return escapeText("code" in error ? String(error.code) : error.name, 100);
}
