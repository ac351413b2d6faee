/**
 * Sends HTTPS requests to the service, with a connection pool, timeouts, a limit on the response size
 * and errors that say what to do. Does not follow redirects, so that credentials stay with their origin.
 */
import { setImmediate as immediate } from "node:timers/promises";
import { type SecureContext, createSecureContext, rootCertificates } from "node:tls";
import { Agent, EnvHttpProxyAgent } from "undici";
import {
  type ErrorCode,
  NoResponseError,
  UntrustedCertificateError,
  errorCodes,
  failedRequest,
} from "./errors";
import { escapeText } from "./text";
import type { Exchange, RequestBody, ServiceRequest } from "./exchange";
import { redactNothing } from "./redact";

/** The settings of the connection to the service. */
export interface TransportSettings {
  /** Origin of the service, https only. */
  readonly baseUrl: URL;
  /**
   * Certificates to trust in addition to the default ones, in PEM.
   *
   * @default none
   */
  readonly extraCertificates?: string | undefined;
  /** The `Accept` header, which selects the API version (service document 9). */
  readonly mediaType: string;
  /** Timeout for connecting, and for each request from its start to the end of its response. */
  readonly requestTimeoutSeconds: number;
  /** The `User-Agent` header. */
  readonly userAgent: string;
}

/**
 * Creates an exchange over HTTPS with keep-alive, through the proxy that {@link proxyVariables} and
 * `NO_PROXY` select. Limits responses to a body of 32 MB and 16 KB of headers.
 *
 * @param settings the settings of the connection
 * @returns the exchange, which sends a request as it is. It throws a `NoResponseError` with code
 * `timeout` (no response in time), `malformed-response` (too large) or `transport` (any other failure;
 * an `UntrustedCertificateError` if the certificate is the cause)
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
      // The connection returns to the pool one event loop turn later; a request before then would open a
      // second one.
      await immediate();
      return {
        status: response.statusCode,
        headers: headerLists(response.headers),
        body: text,
      };
    } catch (error) {
      throw noResponseError(error, request, settings);
    }
  };
}

/** The maximum size of a response body. A page of 500 clusters is about 1 MB. */
const maxResponseMegabytes = 32;

/** Set explicitly, because `--max-http-header-size` and NODE_OPTIONS change the default. */
const maxHeaderKilobytes = 16;

function agentOf(settings: TransportSettings) {
  const { extraCertificates, requestTimeoutSeconds } = settings;
  const tls =
    extraCertificates === undefined ? {} : { secureContext: contextTrusting(extraCertificates) };
  // Set explicitly: by default, the environment variable NODE_TLS_REJECT_UNAUTHORIZED decides.
  const connect = { ...tls, rejectUnauthorized: true, timeout: requestTimeoutSeconds * 1000 };
  const options = {
    connect,
    // The request's signal is its only time limit; the defaults would end it after 300 s.
    headersTimeout: 0,
    bodyTimeout: 0,
    maxResponseSize: maxResponseMegabytes * 1024 * 1024,
    maxHeaderSize: maxHeaderKilobytes * 1024,
  };
  // Most users have no proxy, and the agent for proxies is slower to load.
  const isProxied = proxyVariables.some((name) => process.env[name]);
  return isProxied
    ? new EnvHttpProxyAgent({ ...options, requestTls: connect, proxyTls: connect })
    : new Agent(options);
}

/** The environment variables for a proxy. `HTTP_PROXY` is the fallback for `HTTPS_PROXY`. */
export const proxyVariables = ["HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy"];

/**
 * Trusts the certificates in addition to the default ones. If this Node.js cannot add to the default
 * ones, passes all of them, which takes about 40 ms to read.
 */
function contextTrusting(extraCertificates: string): SecureContext {
  const context = createSecureContext();
  const native: unknown = context.context;
  if (!canAddCertificates(native)) {
    return createSecureContext({ ca: [...rootCertificates, extraCertificates] });
  }
  native.addCACert(extraCertificates);
  return context;
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

/** Converts every header to a list of values. */
function headerLists(headers: Record<string, string | string[] | undefined>) {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      value === undefined ? [] : [value].flat(),
    ]),
  );
}

/** Converts the reason why there is no response into an error that says what to do. */
function noResponseError(
  error: unknown,
  serviceRequest: ServiceRequest,
  { baseUrl: { origin }, requestTimeoutSeconds }: TransportSettings,
): NoResponseError {
  const redact = serviceRequest.redact ?? redactNothing;
  const request = failedRequest(serviceRequest, redact);
  const reason = rootCause(error);
  const code = escapeText(redact(reason.code), 100);
  const text = escapeText(redact(reason.text), 200);
  // The original error may contain text from the service, including credentials of the request.
  const cause = new Error(`${code}: ${text}`);
  const createError = (errorCode: ErrorCode, message: string) =>
    new NoResponseError(errorCode, request, message, { cause });
  const untrusted = (message: string) =>
    new UntrustedCertificateError(errorCodes.transport, request, message, { cause });
  if (reason.code === "UND_ERR_RES_EXCEEDED_MAX_SIZE") {
    const message = `the response exceeds the ${maxResponseMegabytes} MB limit. Check that ${origin} is the service.`;
    return createError(errorCodes.malformed, message);
  }
  if (/HEADERS?_OVERFLOW/.test(reason.code)) {
    const message = `the response's headers exceed the ${maxHeaderKilobytes} KB limit. Check that ${origin} is the service.`;
    return createError(errorCodes.malformed, message);
  }
  if (/TIMEOUT|^TimeoutError$/.test(reason.code)) {
    const message = `no response from ${origin} within ${requestTimeoutSeconds} s. Try again, or raise requestTimeoutSeconds.`;
    return createError(errorCodes.timeout, message);
  }
  if (reason.code === "ERR_TLS_CERT_ALTNAME_INVALID") {
    return untrusted(`the certificate of ${origin} is for another host name. Check baseUrl.`);
  }
  if (/CERT|SELF_SIGNED|UNABLE_TO_VERIFY|UNABLE_TO_GET_ISSUER/.test(reason.code)) {
    return untrusted(
      `the certificate of ${origin} is not trusted (${code}). If it is signed by a CA of your own, set caFile to that CA's PEM file.`,
    );
  }
  return createError(
    errorCodes.transport,
    `no response from ${origin} (${text}). Check baseUrl, the network and the proxy.`,
  );
}

/** Returns the root cause of an error. Connecting to several addresses fails with an AggregateError. */
function rootCause(error: unknown): { readonly code: string; readonly text: string } {
  if (error instanceof AggregateError && error.errors.length > 0) {
    return rootCause(error.errors[0]);
  }
  if (!(error instanceof Error)) return { code: "", text: String(error) };
  if (error.cause instanceof Error && !("code" in error)) return rootCause(error.cause);
  const code = "code" in error && typeof error.code === "string" ? error.code : error.name;
  return { code, text: error.message === "" ? code : error.message };
}
