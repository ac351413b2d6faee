/** Sends requests to the REST API of GitHub, GitLab, Gitea or Forgejo. */
import { setTimeout as sleep } from "node:timers/promises";
import type * as z from "zod/mini";
import { ProviderError } from "../messages/errors";
import { parseJson } from "../validation/values";
import type { Exchange, ServiceRequest, ServiceResponse } from "../service/exchange";
import { invalidProxyVariables } from "../service/proxy";
import { ApiError } from "../service/requestErrors";
import { parseRetryAfter } from "../service/retry";
import { httpsTransport } from "../service/transport";
import { version } from "../version";

/** How to reach an API, and how messages name what it needs. */
export interface ApiAccess {
  readonly forge: "GitHub" | "GitLab" | "Gitea" | "Forgejo";
  /** One of the URLs of the API. */
  readonly url: string;
  readonly token: string;
  /** The variable of the token, and what the token needs. */
  readonly variable: string;
  readonly permission: string;
}

/** A response with another status than 2xx. */
export class UnexpectedStatusError extends ProviderError {
  constructor(
    message: string,
    readonly status: number,
  ) {
    super(message);
  }
}

const maxWaitSeconds = 120;
const timeoutSeconds = 30;

/**
 * Sends requests with the token of a job. Repeats each one once if the API asks to wait, because the jobs of many
 * stacks write at the same time.
 */
export class ReviewApi {
  readonly #access: ApiAccess;
  readonly #exchange: Exchange;

  /** Throws if the URL, or a variable with a proxy, is invalid. */
  constructor(access: ApiAccess) {
    this.#access = access;
    this.#exchange = transportTo(access);
  }

  /** Returns the content of a response. Throws if it does not have the shape of the schema. */
  async get<T>(url: string, schema: z.ZodMiniType<T>): Promise<T> {
    const { body } = await this.#request("GET", url);
    return parseJson(body, schema, `The response of ${this.#access.forge} to GET`);
  }

  /** Sends content, and ignores that of the response, which can be empty. */
  async write(method: "POST" | "PATCH" | "PUT", url: string, content: object): Promise<void> {
    await this.#request(method, url, content);
  }

  async #request(
    method: ServiceRequest["method"],
    url: string,
    content?: object,
  ): Promise<ServiceResponse> {
    const { pathname, search } = new URL(url);
    const request: ServiceRequest = {
      method,
      path: `${pathname}${search}`,
      accept: "application/json",
      authorization: `Bearer ${this.#access.token}`,
      attempt: 1,
      ...(content && { body: { type: "application/json", text: JSON.stringify(content) } }),
    };
    let response = await this.#exchange(request);
    const seconds = limitIn(response)?.seconds;
    if (seconds !== undefined && seconds <= maxWaitSeconds) {
      await sleep(seconds * 1000);
      response = await this.#exchange(request);
    }
    if (response.status >= 200 && response.status < 300) return response;
    throw statusError(this.#access, method, response);
  }
}

/** Returns an exchange whose errors name the variables of a job instead of the settings of a provider. */
function transportTo({ forge, url }: ApiAccess): Exchange {
  const address = forge === "GitLab" ? "CI_API_V4_URL" : "GITHUB_API_URL";
  if (!/^https?:[^]/.test(url) || !URL.canParse(url)) {
    throw new ProviderError(`${address} is not the URL of ${forge}.`);
  }
  const proxies = invalidProxyVariables(process.env).join(", ");
  if (proxies !== "") throw new ProviderError(`${proxies} is not the URL of a proxy.`);
  const exchange = httpsTransport({
    baseUrl: new URL(url),
    requestTimeoutSeconds: timeoutSeconds,
    userAgent: `pulumi-clouddb/${version}`,
  });
  return async (request) => {
    try {
      return await exchange(request);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      // The job has none of the settings that the message names.
      const reason = error.message
        .replace("clouddb:baseUrl", address)
        .replace("clouddb:caFile", "NODE_EXTRA_CA_CERTS")
        .replace(", or raise clouddb:requestTimeoutSeconds", "");
      throw new ProviderError(`${forge} did not answer: ${reason}`);
    }
  };
}

/** Says what a status means for the job: when to run it again, or what the token needs. */
function statusError(
  { forge, variable, permission }: ApiAccess,
  method: string,
  response: ServiceResponse,
): UnexpectedStatusError {
  const { status } = response;
  const problem = `${forge} answered ${method} with ${status}.`;
  const limit = limitIn(response);
  if (limit !== undefined) {
    const time = limit.seconds === undefined ? "later" : `in ${Math.max(1, limit.seconds)} s`;
    return new UnexpectedStatusError(
      `${problem} It limits requests; run the job again ${time}.`,
      status,
    );
  }
  const needs = [401, 403, 404].includes(status) ? ` ${variable} needs ${permission}.` : "";
  return new UnexpectedStatusError(`${problem}${needs}`, status);
}

/** A limit of requests, and in how many seconds it ends, if the response says so. */
interface Limit {
  readonly seconds: number | undefined;
}

/** Returns what a response says about a limit of requests, if that is why it refuses the request. */
function limitIn({ status, headers }: ServiceResponse): Limit | undefined {
  if (![403, 429].includes(status)) return undefined;
  const header = (name: string) => headers[name]?.join(", ");
  const retryAfter = header("retry-after");
  const isExhausted = header("x-ratelimit-remaining") === "0";
  if (status === 403 && retryAfter === undefined && !isExhausted) return undefined;
  const seconds = parseRetryAfter(retryAfter);
  return {
    seconds: seconds ?? (isExhausted ? secondsUntil(header("x-ratelimit-reset")) : undefined),
  };
}

/** Returns the seconds until a time in seconds since 1970, at which GitHub says that requests are possible again. */
function secondsUntil(time = ""): number | undefined {
  if (!/^\d+$/.test(time)) return undefined;
  return Math.max(0, Math.ceil(Number(time) - Date.now() / 1000));
}
