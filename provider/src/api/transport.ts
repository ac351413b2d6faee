/**
 * One HTTPS exchange with the service: a connection pool, timeouts, a bound on the answer, and
 * failures as errors for people. Redirects are not followed: credentials stay with their origin.
 */
import { createSecureContext, rootCertificates } from "node:tls";
import { EnvHttpProxyAgent, request as send } from "undici";
import { NoAnswerError, errorCodes } from "./errors";

/** A request to the service, before or after authentication. */
export interface ServiceRequest {
  readonly method: "GET" | "PATCH";
  /** Path and query, as sent. */
  readonly path: string;
  /** Sent as JSON. */
  readonly body?: object;
  readonly authorization?: string;
  /** 1 for the first try. */
  readonly attempt: number;
}

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
  readonly extraCertificates: string | undefined;
  /** The `Accept` header. */
  readonly mediaType: string;
  readonly requestTimeoutSeconds: number;
  readonly userAgent: string;
}

/** A page of 500 clusters is about 1 MB; what is far over that is no answer of this service. */
const largestAnswer = 64 * 1024 * 1024;

/** HTTPS with keep-alive, through the proxy of `HTTPS_PROXY` and `NO_PROXY` where there is one. */
export function httpsTransport(settings: TransportSettings): Exchange {
  const dispatcher = agentOf(settings);
  const timeout = settings.requestTimeoutSeconds * 1000;
  return async ({ method, path, body, authorization, attempt }) => {
    try {
      const response = await send(new URL(path, settings.baseUrl), {
        dispatcher,
        method,
        headers: {
          accept: settings.mediaType,
          "user-agent": settings.userAgent,
          ...(body === undefined ? {} : { "content-type": "application/json" }),
          ...(authorization === undefined ? {} : { authorization }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(timeout),
      });
      return {
        status: response.statusCode,
        headers: severalValues(response.headers),
        body: await response.body.text(),
      };
    } catch (error) {
      throw noAnswer(error, { method, path, attempts: attempt }, settings);
    }
  };
}

function agentOf({ extraCertificates, requestTimeoutSeconds }: TransportSettings) {
  const tls =
    extraCertificates === undefined
      ? {}
      : { secureContext: createSecureContext({ ca: [...rootCertificates, extraCertificates] }) };
  return new EnvHttpProxyAgent({
    connect: { ...tls, timeout: requestTimeoutSeconds * 1000 },
    requestTls: tls,
    maxResponseSize: largestAnswer,
  });
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
  { baseUrl, requestTimeoutSeconds }: TransportSettings,
): NoAnswerError {
  const reason = rootReason(error);
  const failed = (code: NoAnswerError["code"], message: string) =>
    new NoAnswerError(code, request, message, { cause: error });
  if (reason.code === "UND_ERR_RES_EXCEEDED_MAX_SIZE") {
    return failed(
      errorCodes.malformed,
      `the answer is larger than ${largestAnswer / 1024 / 1024} MB. Check that ${baseUrl.origin} is the service.`,
    );
  }
  if (/TIMEOUT|^TimeoutError$/.test(reason.code)) {
    return failed(
      errorCodes.timeout,
      `no answer from ${baseUrl.origin} within ${requestTimeoutSeconds} s. Try again, or raise requestTimeoutSeconds.`,
    );
  }
  if (/CERT|SELF_SIGNED|UNABLE_TO_VERIFY|UNABLE_TO_GET_ISSUER/.test(reason.code)) {
    return failed(
      errorCodes.transport,
      `the certificate of ${baseUrl.origin} is not trusted (${reason.code}). If it is signed by a CA of your own, set caFile to that CA's PEM file.`,
    );
  }
  return failed(
    errorCodes.transport,
    `no connection to ${baseUrl.origin} (${reason.text}). Check baseUrl, the network and the proxy.`,
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
