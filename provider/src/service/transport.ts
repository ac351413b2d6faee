/**
 * Sends HTTPS requests to the service, with a connection pool, timeouts and errors that say what to do. Asks `onSend` of
 * a request when its connection is ready, so that nothing is written that is no longer allowed. Does not follow
 * redirects, so that credentials stay with their origin.
 */
import type { Socket } from "node:net";
import * as tls from "node:tls";
import { setImmediate as immediate } from "node:timers/promises";
import { getSystemErrorMap } from "node:util";
import type * as Undici from "undici";
import type { Agent, Dispatcher, buildConnector } from "undici";
import { ApiError, UnusableResponseError } from "./requestErrors";
import type { Exchange, ServiceRequest, ServiceResponse } from "./exchange";
import { type Proxy, ProxyError, openTunnel, proxyFor } from "./proxy";
import { abortable, stopwatch } from "./retry";
import { type ErrorCode, isBug } from "../messages/errors";
import { escapeText } from "../messages/text";

export interface TransportSettings {
  /** Origin of the service, https only. */
  readonly baseUrl: URL;
  /** Certificates to trust in addition to the default ones, in PEM. Default: none. */
  readonly extraCertificates?: string | undefined;
  /** The file that contains them, for errors. */
  readonly caFile?: string | undefined;
  /** Timeout for each request from its start to the end of its response. */
  readonly requestTimeoutSeconds: number;
  readonly userAgent: string;
}

/**
 * Creates an exchange that sends requests over HTTPS. Without a response, it throws an `UnusableResponseError` with the
 * code `timeout`, `certificate` (not trusted) or `connection`. Throws the errors of `onSend` and of the signal as they
 * are.
 */
export function httpsTransport(settings: TransportSettings): Exchange {
  const proxy = proxyFor(settings.baseUrl, process.env);
  const milliseconds = Math.ceil(settings.requestTimeoutSeconds * 1000);
  let connections: Agent | undefined;
  return async (request) => {
    const age = stopwatch();
    const timeout = AbortSignal.timeout(milliseconds);
    const signal =
      request.signal === undefined ? timeout : AbortSignal.any([request.signal, timeout]);
    connections ??= connectionPool(settings, proxy);
    try {
      // undici does not notice the signal while it waits for a connection.
      const response = await abortable(sendRequest(request, settings, connections, signal), signal);
      // No timer fires while the process is suspended, so what it then reads can be old. Of a change, it stays true.
      const isLate = request.method !== "PATCH" && age() > milliseconds;
      if (isLate) throw new DOMException("read after its timeout", "TimeoutError");
      return response;
    } catch (error) {
      if (isBug(error) || error instanceof ApiError) throw error;
      const cause: unknown = timeout.aborted ? timeout.reason : error;
      throw noResponseError(request, cause, settings, proxy);
    }
  };
}

/** The limit for opening a connection. */
const connectTimeoutSeconds = 10;

/** Opens a connection. */
type Connect = (options: buildConnector.Options) => Promise<Socket>;

/** Creates a pool of connections. Loads undici late, because many processes make no request at all. */
function connectionPool(settings: TransportSettings, proxy: Proxy | undefined): Agent {
  // oxlint-disable-next-line typescript/no-unsafe-assignment -- see above
  const { Agent, buildConnector }: typeof Undici = require("#undici");
  const direct = directConnector(settings, buildConnector);
  const open = proxy === undefined ? direct : proxyConnector(settings, proxy, direct);
  const connect: buildConnector.connector = (options, callback) => {
    open(options).then(
      (socket) => {
        callback(null, socket);
      },
      (error: unknown) => {
        callback(error instanceof Error ? error : new Error(String(error)), null);
      },
    );
  };
  return new Agent({
    connect,
    // The request's signal is its only time limit; the defaults would end it after 300 s.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
}

/** Returns a function that connects to the service or to a proxy, with TLS if the protocol is HTTPS. */
function directConnector(
  { extraCertificates }: TransportSettings,
  build: typeof Undici.buildConnector,
): Connect {
  /** Undefined until the first connection, because reading the certificates takes about 40 ms. */
  let connector: buildConnector.connector | undefined;
  return (options) =>
    new Promise((resolve, reject) => {
      connector ??= build({
        secureContext: secureContext(extraCertificates),
        // Set explicitly, because the environment variable NODE_TLS_REJECT_UNAUTHORIZED changes the default.
        rejectUnauthorized: true,
        timeout: connectTimeoutSeconds * 1000,
      });
      connector(options, (error, socket) => {
        if (error === null) resolve(socket);
        else reject(error);
      });
    });
}

/** Returns a function that connects to the service through a tunnel, which it closes if that fails. */
function proxyConnector(
  { baseUrl, requestTimeoutSeconds }: TransportSettings,
  proxy: Proxy,
  connect: Connect,
): Connect {
  // undici does not pass on the signal of the request that waits for the tunnel, so the tunnel has its own limit.
  const timeout = Math.ceil(Math.min(connectTimeoutSeconds, requestTimeoutSeconds) * 1000);
  return async (options) => {
    const signal = AbortSignal.timeout(timeout);
    let httpSocket: Socket | undefined;
    const abandon = () => httpSocket?.destroy();
    signal.addEventListener("abort", abandon);
    try {
      httpSocket = await openTunnel(proxy, baseUrl, connect, signal);
      return await connect({ ...options, httpSocket });
    } catch (error) {
      abandon();
      throw error;
    } finally {
      signal.removeEventListener("abort", abandon);
    }
  };
}

/**
 * Returns what trusts the default certificates and the extra ones. Before version 22.15, Node.js lists only the
 * certificates that it contains, without those of NODE_EXTRA_CA_CERTS.
 */
function secureContext(extraCertificates: string | undefined): tls.SecureContext {
  if (extraCertificates === undefined) return tls.createSecureContext();
  const { getCACertificates, rootCertificates }: CertificateLists = tls;
  const defaults = getCACertificates?.("default") ?? rootCertificates;
  return tls.createSecureContext({ ca: [...defaults, extraCertificates] });
}

interface CertificateLists {
  readonly rootCertificates: readonly string[];
  readonly getCACertificates?: (type: "default") => readonly string[];
}

async function sendRequest(
  { method, path, body, accept, authorization, onSend }: ServiceRequest,
  { baseUrl, userAgent }: TransportSettings,
  connections: Agent,
  signal: AbortSignal,
): Promise<ServiceResponse> {
  const agent = connections.compose(
    beforeWriting(() => {
      signal.throwIfAborted();
      onSend?.();
    }),
  );
  const response = await agent.request({
    origin: baseUrl.origin,
    path,
    method,
    headers: {
      accept,
      "user-agent": userAgent,
      ...(body === undefined ? {} : { "content-type": body.type }),
      ...(authorization === undefined ? {} : { authorization }),
    },
    body: body?.text ?? null,
    signal,
  });
  const text = await response.body.text();
  // The connection returns to the pool one event loop turn later; a request before then would open a second one.
  await immediate();
  const headers: [string, string[]][] = Object.entries(response.headers).map(
    ([name, value = []]) => [name, [value].flat()],
  );
  return { status: response.statusCode, headers: Object.fromEntries(headers), body: text };
}

/** Makes undici ask before it writes a request to a connection that is ready. If `ask` throws, nothing is written. */
function beforeWriting(ask: () => void): Dispatcher.DispatcherComposeInterceptor {
  return (dispatch) => (options, handler) =>
    dispatch(options, {
      onRequestStart: (controller, context) => {
        try {
          ask();
        } catch (error) {
          controller.abort(error instanceof Error ? error : new Error(String(error)));
          return;
        }
        handler.onRequestStart?.(controller, context);
      },
      onResponseStart: (...args) => handler.onResponseStart?.(...args),
      onResponseData: (...args) => handler.onResponseData?.(...args),
      onResponseEnd: (...args) => handler.onResponseEnd?.(...args),
      onResponseError: (...args) => handler.onResponseError?.(...args),
    });
}

/**
 * Creates the error for a request without a response, which says what happened and what to do.
 *
 * @param error the error of the connection, or of the request's timeout
 */
function noResponseError(
  request: ServiceRequest,
  error: unknown,
  settings: TransportSettings,
  proxy: Proxy | undefined,
): UnusableResponseError {
  const { obstacle, ...cause } = rootCause(error);
  const code = escapeText(cause.code, 100);
  const text = escapeText(cause.text, 200);
  // Without the original error, which may contain text from outside, such as the names in a certificate.
  const failure = (errorCode: ErrorCode, problem: string) =>
    new UnusableResponseError(errorCode, request, problem, { cause: new Error(code) });

  const { origin } = settings.baseUrl;
  const server = proxy === undefined ? origin : `${origin} through the proxy ${proxy.origin}`;
  const failedProxy = error instanceof ProxyError ? proxy : undefined;
  const peer = failedProxy === undefined ? server : `the proxy ${failedProxy.origin}`;
  const address = failedProxy?.variable ?? "clouddb:baseUrl";

  if (code === "TimeoutError" || code.includes("TIMEOUT")) {
    if (failedProxy !== undefined || code === "UND_ERR_CONNECT_TIMEOUT") {
      const problem = `could not connect to ${server} within ${connectTimeoutSeconds} s. Check clouddb:baseUrl, the network and the proxy.`;
      return failure("timeout", problem);
    }
    const problem = `no response from ${server} within ${settings.requestTimeoutSeconds} s. Try again, or raise clouddb:requestTimeoutSeconds.`;
    return failure("timeout", problem);
  }
  const certificate = certificateProblem(code, { peer, address, caFile: settings.caFile });
  if (certificate !== undefined) return failure("certificate", certificate);
  if (obstacle !== undefined) {
    const hint = proxy === undefined ? ", which may require a proxy (HTTPS_PROXY)" : "";
    const problem = `could not connect to ${peer}: ${obstacle} (${text}). Check ${address} and the network${hint}.`;
    return failure("connection", problem);
  }
  if (error instanceof ProxyError && error.cause === undefined) {
    const problem = `could not connect to ${server}: ${text}. Check clouddb:baseUrl, ${address} and NO_PROXY.`;
    return failure("connection", problem);
  }
  const problem = `no response from ${peer} (${text}). Check ${address}, the network and the proxy.`;
  return failure("connection", problem);
}

/** Returns what is wrong with the certificate of a peer, and what to do; undefined if the code is of another error. */
function certificateProblem(
  code: string,
  { peer, address, caFile }: { peer: string; address: string; caFile: string | undefined },
): string | undefined {
  switch (code) {
    case "ERR_TLS_CERT_ALTNAME_INVALID":
      return `the certificate of ${peer} is for another host name. Check ${address}.`;
    case "CERT_HAS_EXPIRED":
    case "CERT_NOT_YET_VALID":
      return `the certificate of ${peer} has expired or is not valid yet (${code}). Check this machine's clock; if it is right, the certificate must be renewed.`;
  }
  // The only code of an untrusted certificate that does not contain CERT, like SELF_SIGNED_CERT_IN_CHAIN.
  if (code !== "UNABLE_TO_VERIFY_LEAF_SIGNATURE" && !code.includes("CERT")) return undefined;
  return caFile === undefined
    ? `the certificate of ${peer} is not trusted (${code}). If it is signed by a CA of your own, set clouddb:caFile to that CA's PEM file.`
    : `the certificate of ${peer} is not trusted (${code}): it is not signed by a root CA in ${escapeText(caFile)}. Set clouddb:caFile to a PEM file with the root CA that signed it.`;
}

interface RootCause {
  readonly code: string;
  readonly text: string;
  /** Why there is no connection, in words. Undefined if there was one. */
  readonly obstacle?: string | undefined;
}

/** Returns the root cause of an error, which for a host with several addresses is an AggregateError. */
function rootCause(error: unknown): RootCause {
  if (error instanceof AggregateError && error.errors.length > 0) {
    const texts = error.errors.map((inner) => rootCause(inner).text);
    return { ...rootCause(error.errors[0]), text: texts.join(", ") };
  }
  if (!(error instanceof Error)) return { code: "", text: String(error) };
  if (error.cause instanceof Error && !("code" in error)) return rootCause(error.cause);
  const code = "code" in error && typeof error.code === "string" ? error.code : error.name;
  return { code, text: error.message === "" ? code : error.message, obstacle: obstacleOf(error) };
}

/** Returns why the system calls before a connection failure, in words. */
function obstacleOf({ syscall, errno = 0 }: NodeJS.ErrnoException): string | undefined {
  if (syscall === "getaddrinfo") return "the host name cannot be resolved";
  return syscall === "connect" ? (getSystemErrorMap().get(errno)?.[1] ?? "it failed") : undefined;
}
