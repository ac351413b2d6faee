/**
 * Sends HTTPS requests to the service, with a connection pool, timeouts, a limit on the response size
 * and errors that say what to do. Does not follow redirects, so that credentials stay with their origin.
 */
import { readFileSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { Agent, type RequestOptions, request as httpsRequest } from "node:https";
import { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { finished } from "node:stream/promises";
import * as tls from "node:tls";
import {
  type ErrorCode,
  NoResponseError,
  UntrustedCertificateError,
  errorCodes,
  failedRequest,
} from "./errors";
import type { Exchange, RequestBody, ServiceRequest } from "./exchange";
import { ProxyError, addressOf, connectTls, hostOf, openTunnel, proxyFor } from "./proxy";
import { redactNothing } from "./redact";
import { escapeText } from "./text";

/** The settings of the connection to the service. */
export interface TransportSettings {
  /** Origin of the service, https only. */
  readonly baseUrl: URL;
  /** Certificates to trust in addition to the default ones, in PEM. Default: none. */
  readonly extraCertificates?: string | undefined;
  /** The `Accept` header, which selects the API version (service document 9). */
  readonly mediaType: string;
  /** Timeout for connecting, and for each request from its start to the end of its response. */
  readonly requestTimeoutSeconds: number;
  /** The `User-Agent` header. */
  readonly userAgent: string;
}

/**
 * Creates an exchange over HTTPS with keep-alive, through the proxy that `HTTPS_PROXY` and `NO_PROXY`
 * select. Limits responses to a body of 32 MB and 16 KB of headers. Throws a `NoResponseError` with code
 * `timeout` (no response in time), `malformed-response` (too large) or `transport` (any other failure; an
 * `UntrustedCertificateError` if the certificate is the cause).
 */
export function httpsTransport(settings: TransportSettings): Exchange {
  const { baseUrl, extraCertificates } = settings;
  const proxy = proxyFor(baseUrl, process.env);
  const connections = new Connections(baseUrl, proxy, extraCertificates);
  return async (request) => {
    const timeout = AbortSignal.timeout(Math.ceil(settings.requestTimeoutSeconds * 1000));
    const signal =
      request.signal === undefined ? timeout : AbortSignal.any([request.signal, timeout]);
    try {
      const response = await send(request, settings, connections, signal);
      const body = await bodyOf(response);
      return { status: response.statusCode ?? 0, headers: headersOf(response), body };
    } catch (error) {
      throw noResponseError(timeout.aborted ? timeout.reason : error, request, settings, proxy);
    }
  };
}

/** The maximum size of a response body. A page of 500 clusters is about 1 MB. */
const maxResponseMegabytes = 32;

/** Set explicitly, because `--max-http-header-size` and NODE_OPTIONS change the default. */
const maxHeaderKilobytes = 16;

/** How long an idle connection stays open. Node.js servers close it after 5 s. */
const keepAliveMilliseconds = 4000;

/** The options of a request, with the signal that also ends its wait for a tunnel. */
interface ConnectingOptions extends RequestOptions {
  readonly connectSignal?: AbortSignal | undefined;
}

/** A pool of connections to one server, directly or through a proxy. */
class Connections extends Agent {
  readonly #server: URL;
  readonly #proxy: URL | undefined;
  readonly #extraCertificates: string | undefined;
  /** Undefined until the first connection: reading the certificates takes about 40 ms. */
  #secureContext: tls.SecureContext | undefined;

  constructor(server: URL, proxy: URL | undefined, extraCertificates: string | undefined) {
    super({ keepAlive: true, timeout: keepAliveMilliseconds });
    this.#server = server;
    this.#proxy = proxy;
    this.#extraCertificates = extraCertificates;
  }

  override createConnection(
    { connectSignal }: ConnectingOptions,
    callback: (error: Error | null, socket: Duplex) => void,
  ): Duplex | undefined {
    // Set explicitly: the environment variable NODE_TLS_REJECT_UNAUTHORIZED changes the default.
    const trust = { secureContext: this.#trustedContext(), rejectUnauthorized: true };
    if (this.#proxy === undefined) return connectTls(this.#server, trust);
    const limits = { maxHeaderSize: maxHeaderKilobytes * 1024, signal: connectSignal };
    openTunnel(this.#proxy, this.#server, { tls: trust, ...limits }).then(
      (socket) => {
        callback(null, connectTls(this.#server, { ...trust, socket }));
      },
      (error: unknown) => {
        callback(error instanceof Error ? error : new Error(String(error)), new Socket());
      },
    );
    return undefined;
  }

  #trustedContext(): tls.SecureContext {
    this.#secureContext ??= tls.createSecureContext({
      ...(this.#extraCertificates === undefined
        ? {}
        : { ca: [...defaultCertificates(), this.#extraCertificates] }),
      // Set explicitly: `--tls-min-v1.0` in NODE_OPTIONS changes the default.
      minVersion: "TLSv1.2",
    });
    return this.#secureContext;
  }
}

/**
 * Returns the certificates that Node.js trusts by default. Node.js before 22.15 only lists its own, and
 * not those of NODE_EXTRA_CA_CERTS.
 */
function defaultCertificates(): readonly string[] {
  const { getCACertificates, rootCertificates }: CertificateLists = tls;
  if (getCACertificates !== undefined) return getCACertificates("default");
  const file = process.env["NODE_EXTRA_CA_CERTS"];
  try {
    return file ? [...rootCertificates, readFileSync(file, "utf8")] : rootCertificates;
  } catch {
    // Node.js itself warns about the file, and continues without it.
    return rootCertificates;
  }
}

interface CertificateLists {
  readonly rootCertificates: readonly string[];
  readonly getCACertificates?: (type: "default") => readonly string[];
}

/** Sends a request and resolves to its response, whose body is still to be read. */
function send(
  { method, path, body, authorization }: ServiceRequest,
  { baseUrl, mediaType, userAgent }: TransportSettings,
  agent: Agent,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const options: ConnectingOptions = {
    agent,
    signal,
    connectSignal: signal,
    host: hostOf(baseUrl),
    port: baseUrl.port || 443,
    method,
    path,
    headers: {
      accept: mediaType,
      "user-agent": userAgent,
      ...(body === undefined ? {} : { "content-type": body.type }),
      ...(authorization === undefined ? {} : { authorization }),
    },
    maxHeaderSize: maxHeaderKilobytes * 1024,
    insecureHTTPParser: false,
  };
  return new Promise((resolve, reject) => {
    const request = httpsRequest(options, resolve).on("error", reject);
    request.end(body === undefined ? undefined : encode(body));
  });
}

function encode({ type, value }: RequestBody): string {
  return type === "application/json"
    ? JSON.stringify(value)
    : new URLSearchParams(value).toString();
}

/** The response is larger than {@link maxResponseMegabytes}. */
class OversizedError extends Error {}

async function bodyOf(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  response.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > maxResponseMegabytes * 1024 * 1024) response.destroy(new OversizedError());
    else chunks.push(chunk);
  });
  await finished(response);
  return new TextDecoder().decode(Buffer.concat(chunks));
}

/** Returns every header as a list of values. */
function headersOf({ headersDistinct }: IncomingMessage): Record<string, string[]> {
  return Object.fromEntries(
    Object.entries(headersDistinct).map(([name, values = []]) => [name, values]),
  );
}

/** Converts the reason why there is no response into an error that says what to do. */
function noResponseError(
  error: unknown,
  serviceRequest: ServiceRequest,
  { baseUrl: { origin }, requestTimeoutSeconds }: TransportSettings,
  proxy: URL | undefined,
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
  const server = proxy === undefined ? origin : `${origin} through the proxy ${addressOf(proxy)}`;
  if (error instanceof OversizedError) {
    const message = `the response exceeds the ${maxResponseMegabytes} MB limit. Check that ${origin} is the service.`;
    return createError(errorCodes.malformed, message);
  }
  if (/HEADERS?_OVERFLOW/.test(reason.code)) {
    const message = `the response's headers exceed the ${maxHeaderKilobytes} KB limit. Check that ${server} is the service.`;
    return createError(errorCodes.malformed, message);
  }
  if (/TIMEOUT|^TimeoutError$/.test(reason.code)) {
    const message = `no response from ${server} within ${requestTimeoutSeconds} s. Try again, or raise requestTimeoutSeconds.`;
    return createError(errorCodes.timeout, message);
  }
  const [peer, setting] =
    error instanceof ProxyError && proxy !== undefined
      ? [`the proxy ${addressOf(proxy)}`, "HTTPS_PROXY"]
      : [server, "baseUrl"];
  if (reason.code === "ERR_TLS_CERT_ALTNAME_INVALID") {
    return untrusted(`the certificate of ${peer} is for another host name. Check ${setting}.`);
  }
  if (/CERT|SELF_SIGNED|UNABLE_TO_VERIFY|UNABLE_TO_GET_ISSUER/.test(reason.code)) {
    return untrusted(
      `the certificate of ${peer} is not trusted (${code}). If it is signed by a CA of your own, set caFile to that CA's PEM file.`,
    );
  }
  return createError(
    errorCodes.transport,
    `no response from ${server} (${text}). Check baseUrl, the network and the proxy.`,
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
