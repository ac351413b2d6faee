/**
 * Sends HTTPS requests to the service, with a connection pool, timeouts, a limit on the response size
 * and errors that say what to do. Does not follow redirects, so that credentials stay with their origin.
 */
import { setImmediate as immediate } from "node:timers/promises";
import { type SecureContext, createSecureContext, rootCertificates } from "node:tls";
import { Agent, EnvHttpProxyAgent } from "undici";
import { type ErrorCode, NoAnswerError, UntrustedCertificateError, errorCodes } from "./errors";
import { escapeText } from "./escapeText";
import type { Redact } from "./redact";

/** A request to the service, before or after authentication. */
export interface ServiceRequest {
  readonly method: "GET" | "PATCH" | "POST";
  /** Path and query, as sent. */
  readonly path: string;
  /** The project whose rate limit applies; undefined for none. */
  readonly projectId?: string | undefined;
  readonly body?: RequestBody;
  readonly authorization?: string;
  /** 1 for the first attempt. */
  readonly attempt: number;
  /** Ends the request before its own timeout. */
  readonly signal?: AbortSignal | undefined;
  /** The request has already waited for the rate limit. Default: it waits. */
  readonly hasTurn?: boolean | undefined;
  /** Redacts credentials in messages about the request. Default: redacts nothing. */
  readonly redact?: Redact | undefined;
}

export type RequestBody =
  | { readonly type: "application/json"; readonly value: object }
  | { readonly type: "application/x-www-form-urlencoded"; readonly value: Record<string, string> };

export interface ServiceResponse {
  readonly status: number;
  /** Names in lower case; a repeated header has several values. */
  readonly headers: Readonly<Record<string, readonly string[]>>;
  readonly body: string;
  /** Redacts credentials in messages about the response. Default: redacts nothing. */
  readonly redact?: Redact | undefined;
}

/**
 * Sends one request and resolves to the response, whatever its status.
 *
 * @throws NoAnswerError if there is no response, or none within the bounds
 */
export type Exchange = (request: ServiceRequest) => Promise<ServiceResponse>;

export interface TransportSettings {
  /** Origin of the service, https only. */
  readonly baseUrl: URL;
  /** Certificates to trust in addition to the default ones, PEM. */
  readonly extraCertificates?: string | undefined;
  /** The `Accept` header. */
  readonly mediaType: string;
  /** Timeout for connecting, and for each request from its start to the end of its response. */
  readonly requestTimeoutSeconds: number;
  readonly userAgent: string;
  /** Maximum size of a response body in bytes. Default: 32 MB; a page of 500 clusters is about 1 MB. */
  readonly maxResponseBytes?: number | undefined;
}

/**
 * Creates an exchange over HTTPS with keep-alive, through the proxy in `HTTPS_PROXY` and `NO_PROXY`.
 * Does not follow redirects.
 *
 * @param settings of the service; responses are limited to `maxResponseBytes` (default: 32 MB) and
 * 16 KB of headers
 * @returns a function that sends a request without authentication
 */
export function httpsTransport(settings: TransportSettings): Exchange {
  const dispatcher = agentOf(settings);
  return async (request) => {
    const { method, path, body, authorization, signal } = request;
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
      // The connection returns to the pool one event loop turn later; an earlier request would open another.
      await immediate();
      return {
        status: response.statusCode,
        headers: severalValues(response.headers),
        body: text,
      };
    } catch (error) {
      throw noAnswer(error, request, settings);
    }
  };
}

const megabyte = 1024 * 1024;

const defaultMaxResponseBytes = 32 * megabyte;

/** Set explicitly, because `--max-http-header-size` and NODE_OPTIONS change the default. */
const maxHeaderSize = 16 * 1024;

function agentOf(settings: TransportSettings) {
  const { extraCertificates, requestTimeoutSeconds, maxResponseBytes } = settings;
  const tls = extraCertificates === undefined ? {} : { secureContext: trusting(extraCertificates) };
  const options = {
    connect: { ...tls, timeout: requestTimeoutSeconds * 1000 },
    maxResponseSize: maxResponseBytes ?? defaultMaxResponseBytes,
    maxHeaderSize,
  };
  // Most users have no proxy, and the agent for proxies is slower to load.
  const isProxied = proxyVariables.some((name) => process.env[name]);
  return isProxied ? new EnvHttpProxyAgent({ ...options, requestTls: tls }) : new Agent(options);
}

/** The environment variables for a proxy. `HTTP_PROXY` is the fallback for `HTTPS_PROXY`. */
export const proxyVariables = ["HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy"];

/**
 * Trusts the certificates in addition to the default ones. If this Node.js cannot add to the default
 * ones, passes all of them, which takes about 40 ms to read.
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
  { method, path, attempt, redact = (text) => text }: ServiceRequest,
  { baseUrl: { origin }, requestTimeoutSeconds, maxResponseBytes }: TransportSettings,
): NoAnswerError {
  const request = { method, path: redact(path), attempts: attempt };
  const reason = rootReason(error);
  const code = escapeText(redact(reason.code), 100);
  const text = escapeText(redact(reason.text), 200);
  // The original error may contain text from the service, including credentials of the request.
  const cause = new Error(`${code}: ${text}`);
  const failed = (errorCode: ErrorCode, message: string) =>
    new NoAnswerError(errorCode, request, message, { cause });
  if (reason.code === "UND_ERR_RES_EXCEEDED_MAX_SIZE") {
    const limit = sizeOf(maxResponseBytes ?? defaultMaxResponseBytes);
    const message = `the response exceeds the ${limit} limit. Check that ${origin} is the service.`;
    return failed(errorCodes.malformed, message);
  }
  if (/HEADERS?_OVERFLOW/.test(reason.code)) {
    const message = `the response's headers exceed the ${sizeOf(maxHeaderSize)} limit. Check that ${origin} is the service.`;
    return failed(errorCodes.malformed, message);
  }
  if (/TIMEOUT|^TimeoutError$/.test(reason.code)) {
    const message = `no response from ${origin} within ${requestTimeoutSeconds} s. Try again, or raise requestTimeoutSeconds.`;
    return failed(errorCodes.timeout, message);
  }
  if (reason.code === "ERR_TLS_CERT_ALTNAME_INVALID") {
    const message = `the certificate of ${origin} is for another host name. Check baseUrl.`;
    return new UntrustedCertificateError(errorCodes.transport, request, message, { cause });
  }
  if (/CERT|SELF_SIGNED|UNABLE_TO_VERIFY|UNABLE_TO_GET_ISSUER/.test(reason.code)) {
    const message = `the certificate of ${origin} is not trusted (${code}). If it is signed by a CA of your own, set caFile to that CA's PEM file.`;
    return new UntrustedCertificateError(errorCodes.transport, request, message, { cause });
  }
  return failed(
    errorCodes.transport,
    `no response from ${origin} (${text}). Check baseUrl, the network and the proxy.`,
  );
}

function sizeOf(bytes: number): string {
  if (bytes >= megabyte) return `${Math.floor(bytes / megabyte)} MB`;
  return bytes >= 1024 ? `${Math.floor(bytes / 1024)} KB` : `${bytes}-byte`;
}

/** Returns the root cause. Connecting to several addresses fails with an AggregateError. */
function rootReason(error: unknown): { readonly code: string; readonly text: string } {
  if (error instanceof AggregateError && error.errors.length > 0) {
    return rootReason(error.errors[0]);
  }
  if (!(error instanceof Error)) return { code: "", text: String(error) };
  if (error.cause instanceof Error && !("code" in error)) return rootReason(error.cause);
  const code = "code" in error && typeof error.code === "string" ? error.code : error.name;
  return { code, text: error.message === "" ? code : error.message };
}
