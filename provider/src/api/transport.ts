/**
 * One HTTPS exchange with the service: a connection pool, timeouts, a bound on the answer, and
 * failures as errors for people. Redirects are not followed: credentials stay with their origin.
 */
import { setImmediate as immediate } from "node:timers/promises";
import { type SecureContext, createSecureContext, rootCertificates } from "node:tls";
import { Agent, EnvHttpProxyAgent } from "undici";
import { type ErrorCode, NoAnswerError, UntrustedCertificateError, errorCodes } from "./errors";

/** A request to the service, before or after authentication. */
export interface ServiceRequest {
  readonly method: "GET" | "PATCH" | "POST";
  /** Path and query, as sent. */
  readonly path: string;
  /** The project whose limit of requests it counts for; undefined for none. */
  readonly projectId?: string | undefined;
  readonly body?: RequestBody;
  readonly authorization?: string;
  /** 1 for the first try. */
  readonly attempt: number;
  /** Ends the request before its own timeout. */
  readonly signal?: AbortSignal | undefined;
  /** The request has had its turn within the rate limit. Default: it waits for one. */
  readonly hasTurn?: boolean | undefined;
}

export type RequestBody =
  | { readonly type: "application/json"; readonly value: object }
  | { readonly type: "application/x-www-form-urlencoded"; readonly value: Record<string, string> };

export interface ServiceResponse {
  readonly status: number;
  /** Names in lower case; a header that came several times has several values. */
  readonly headers: Readonly<Record<string, readonly string[]>>;
  readonly body: string;
}

/** Sends one request and gives the answer, whatever its status. Throws {@link NoAnswerError}. */
export type Exchange = (request: ServiceRequest) => Promise<ServiceResponse>;

export interface TransportSettings {
  /** Origin of the service, https only. */
  readonly baseUrl: URL;
  /** Certificates trusted besides the usual ones, PEM. */
  readonly extraCertificates?: string | undefined;
  /** The `Accept` header. */
  readonly mediaType: string;
  /** For the connection, and for each request from its start to the end of its answer. */
  readonly requestTimeoutSeconds: number;
  readonly userAgent: string;
  /** Bytes of the largest answer that is read. Default: 64 MB; a page of 500 clusters is about 1 MB. */
  readonly largestAnswer?: number | undefined;
}

/** HTTPS with keep-alive, through the proxy of `HTTPS_PROXY` and `NO_PROXY` where there is one. */
export function httpsTransport(settings: TransportSettings): Exchange {
  const dispatcher = agentOf(settings);
  return async ({ method, path, body, authorization, attempt, signal }) => {
    const timeout = AbortSignal.timeout(Math.ceil(settings.requestTimeoutSeconds * 1000));
    try {
      const response = await dispatcher.request({
        origin: settings.baseUrl.origin,
        path,
        method,
        headers: {
          accept: settings.mediaType,
          "user-agent": settings.userAgent,
          ...(body === undefined ? {} : { "content-type": body.type }),
          ...(authorization === undefined ? {} : { authorization }),
        },
        body: body === undefined ? null : encode(body),
        signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
      });
      const text = await response.body.text();
      // The pool has the connection back one turn later; a request before that opens another.
      await immediate();
      return {
        status: response.statusCode,
        headers: severalValues(response.headers),
        body: text,
      };
    } catch (error) {
      throw noAnswer(error, { method, path, attempts: attempt }, settings);
    }
  };
}

const defaultLargestAnswer = 64 * 1024 * 1024;

function agentOf({ extraCertificates, requestTimeoutSeconds, largestAnswer }: TransportSettings) {
  const tls = extraCertificates === undefined ? {} : { secureContext: trusting(extraCertificates) };
  const options = {
    connect: { ...tls, timeout: requestTimeoutSeconds * 1000 },
    maxResponseSize: largestAnswer ?? defaultLargestAnswer,
  };
  // Most need no proxy, and the agent for proxies takes longer to load.
  const isProxied = proxyVariables.some((name) => process.env[name]);
  return isProxied ? new EnvHttpProxyAgent({ ...options, requestTls: tls }) : new Agent(options);
}

/** The environment variables that may name a proxy: `HTTP_PROXY` stands in for `HTTPS_PROXY`. */
export const proxyVariables = ["HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy"];

/**
 * Trusts the certificates besides the usual ones. Node.js can add to the usual ones; where it cannot,
 * all are given to it, which takes it some 40 ms to read.
 */
function trusting(extraCertificates: string): SecureContext {
  const usual = createSecureContext();
  const native: unknown = usual.context;
  if (!canAddCertificates(native)) {
    return createSecureContext({ ca: [...rootCertificates, extraCertificates] });
  }
  native.addCACert(extraCertificates);
  return usual;
}

function canAddCertificates(native: unknown): native is { addCACert(pem: string): void } {
  return (
    typeof native === "object" &&
    native !== null &&
    "addCACert" in native &&
    typeof native.addCACert === "function"
  );
}

function encode({ type, value }: RequestBody): string {
  return type === "application/json"
    ? JSON.stringify(value)
    : new URLSearchParams(value).toString();
}

function severalValues(headers: Record<string, string | string[] | undefined>) {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      value === undefined ? [] : [value].flat(),
    ]),
  );
}

function noAnswer(
  error: unknown,
  request: { method: string; path: string; attempts: number },
  { baseUrl: { origin }, requestTimeoutSeconds }: TransportSettings,
): NoAnswerError {
  const { code, text } = rootReason(error);
  const failed = (errorCode: ErrorCode, message: string) =>
    new NoAnswerError(errorCode, request, message, { cause: error });
  if (code === "UND_ERR_RES_EXCEEDED_MAX_SIZE") {
    return failed(
      errorCodes.malformed,
      `the answer is larger than any of this service. Check that ${origin} is the service.`,
    );
  }
  if (/TIMEOUT|^TimeoutError$/.test(code)) {
    return failed(
      errorCodes.timeout,
      `no answer from ${origin} within ${requestTimeoutSeconds} s. Try again, or raise requestTimeoutSeconds.`,
    );
  }
  if (/CERT|SELF_SIGNED|UNABLE_TO_VERIFY|UNABLE_TO_GET_ISSUER/.test(code)) {
    const message = `the certificate of ${origin} is not trusted (${code}). If it is signed by a CA of your own, set caFile to that CA's PEM file.`;
    return new UntrustedCertificateError(errorCodes.transport, request, message, { cause: error });
  }
  return failed(
    errorCodes.transport,
    `no answer from ${origin} (${text}). Check baseUrl, the network and the proxy.`,
  );
}

/** Connecting to several addresses fails with an AggregateError; the first of its reasons tells why. */
function rootReason(error: unknown): { code: string; text: string } {
  if (error instanceof AggregateError && error.errors.length > 0) {
    return rootReason(error.errors[0]);
  }
  if (!(error instanceof Error)) return { code: "", text: String(error) };
  if (error.cause instanceof Error && !("code" in error)) return rootReason(error.cause);
  const code = "code" in error && typeof error.code === "string" ? error.code : error.name;
  return { code, text: error.message === "" ? code : error.message };
}
