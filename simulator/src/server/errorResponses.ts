/** Turns errors of the service, of Fastify and of the HTTP parser into error responses. */
import { type IncomingMessage, METHODS, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import type { FastifyReply, FastifyRequest } from "fastify";
import { jsonType, renderError } from "../api/response";
import { ServiceError, StateFileError, messageOf } from "../errors";
import { beginRecord, completeRecord, pathOf, rawQueryOf } from "./requestLog";
import { type Dependencies, authenticate } from "./requests";

/** Responds with an error. Prints one that is unexpected to stderr: a bug with its stack trace. */
export function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const serviceError = toServiceError(error);
  if (serviceError.status === 500) {
    console.error(error instanceof StateFileError ? `clouddb-simulator: ${error.message}` : error);
  }
  const query = rawQueryOf(request);
  const format = { pretty: query.pretty === "true", envelope: query.envelope === "true" };
  const { status, errorCode, message, headers } = serviceError;
  // Service document 7.2: the requested path of a missing resource.
  const parameters = status === 404 ? [pathOf(request)] : serviceError.parameters;
  void reply
    .code(status)
    .headers(headers)
    .type(jsonType)
    .send(renderError({ status, errorCode, message, parameters }, format));
}

/**
 * Creates the error for data that the HTTP parser rejects, or for a request that does not end. The parser also
 * rejects a method that it does not know, which no resource supports (service document 4.1).
 */
export function malformedRequest(error: Error & { rawPacket?: unknown }): ServiceError {
  const data = Buffer.isBuffer(error.rawPacket) ? error.rawPacket.toString("latin1") : "";
  const [, method] = /^([!#$%&'*+.^`|~\w-]+) \/\S* HTTP\/1\.[01]\r?\n/.exec(data) ?? [];
  return method === undefined || METHODS.includes(method)
    ? new ServiceError(400, "INVALID_REQUEST", `The HTTP request cannot be read: ${error.message}`)
    : unknownMethod(method);
}

/** Returns the error for headers that HTTP/1.1 (RFC 9112 3.2, RFC 9110 10.1.1) or the simulator does not allow. */
export function headerProblem({ httpVersion, headers }: IncomingMessage): ServiceError | undefined {
  if (httpVersion !== "1.1") return undefined;
  const { host, expect } = headers;
  const problem = (detail: string, name: string) =>
    // The client may or may not send its body.
    new ServiceError(400, "INVALID_REQUEST", detail, [name], { connection: "close" });
  if (host === undefined) return problem("The Host header is required.", "Host");
  return expect === undefined || /\b100-continue\b/i.test(expect)
    ? undefined
    : problem("The Expect header must be 100-continue.", "Expect");
}

/** Creates the error for a method that no resource supports. */
export function unknownMethod(method: string): ServiceError {
  const allow = "HEAD, GET, POST, PATCH, PUT, DELETE";
  const detail = `No resource supports ${method}. Supported methods: ${allow}.`;
  return new ServiceError(405, "METHOD_NOT_ALLOWED", detail, [method], { allow });
}

/** Responds on a socket that the HTTP server has given up. The client may reset the connection, or keep it open. */
export function endWith(error: ServiceError, socket: Duplex): void {
  socket.on("error", () => undefined).resume();
  if (socket.writable) socket.end(rawResponse(error));
  setTimeout(() => socket.destroy(), 1000).unref();
}

function rawResponse(error: ServiceError): string {
  const body = renderError(error);
  const headers = {
    ...error.headers,
    connection: "close",
    "content-type": jsonType,
    "content-length": Buffer.byteLength(body),
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${String(value)}\r\n`);
  return `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}\r\n${lines.join("")}\r\n${body}`;
}

/**
 * Converts an error. A 4xx of Fastify becomes a 400. Any other error becomes a 500: the state file
 * cannot be written, or there is a bug in the simulator.
 */
function toServiceError(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  const status = error instanceof Error && "statusCode" in error ? Number(error.statusCode) : 500;
  return status >= 400 && status < 500
    ? new ServiceError(400, "INVALID_REQUEST", messageOf(error))
    : new ServiceError(500, "UNEXPECTED_ERROR", `Unexpected failure: ${messageOf(error)}`);
}

/**
 * Responds with the error of Fastify, or with a 401 or 403 if the path is below that of the API and the
 * credentials are not accepted.
 */
export function rejectPath(
  error: Error,
  request: FastifyRequest,
  reply: FastifyReply,
  { context, requestLog }: Dependencies,
): void {
  const path = pathOf(request);
  request.query = Object.fromEntries(new URLSearchParams(request.url.slice(path.length)));
  let rejection = error;
  if (decodeSegments(path).startsWith(`${context.settings.apiPath}/`)) {
    const now = context.clock.now();
    const requestRecord = beginRecord(request, requestLog, now, undefined);
    const caller = authenticate(request, request.ip, context);
    if (caller instanceof Error) rejection = caller;
    else requestRecord.principal = caller;
    completeRecord(requestRecord, request, toServiceError(rejection).status);
  }
  // Closes the connection, because the body is not read.
  void reply.header("connection", "close");
  sendError(rejection, request, reply);
}

/** Decodes the segments of a path, except for those that cannot be decoded. */
function decodeSegments(path: string): string {
  const decode = (segment: string) => {
    try {
      return decodeURIComponent(segment);
    } catch {
      return segment;
    }
  };
  return path.split("/").map(decode).join("/");
}
