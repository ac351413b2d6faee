/** Turns errors of the service and of Fastify into error responses. */
import { STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import type { FastifyReply, FastifyRequest } from "fastify";
import { jsonType, renderError } from "../api/response";
import { ServiceError, StateFileError, codeOf, escapeMessage, messageOf } from "../errors";
import { pathOf, rawQueryOf } from "./requestLog";

/** Responds with an error. Prints one that is unexpected to stderr: a bug with its stack trace. */
export function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const serviceError = toServiceError(error);
  if (serviceError.status === 500) {
    const isExpected = error instanceof StateFileError;
    console.error(isExpected ? `clouddb-simulator: ${escapeMessage(error.message)}` : error);
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

/** Responds to a request that the parser of Node.js rejects, such as one with a method that it does not know. */
export function rejectUnreadable(error: Error, socket: Duplex): void {
  if (!socket.writable || codeOf(error) === "ECONNRESET") {
    socket.destroy();
    return;
  }
  const isMethod = codeOf(error) === "HPE_INVALID_METHOD";
  const status = isMethod ? 405 : 400;
  const body = renderError({
    status,
    errorCode: isMethod ? "METHOD_NOT_ALLOWED" : "INVALID_REQUEST",
    message: `The request is not valid HTTP for this service. ${error.message}.`,
    parameters: [],
  });
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    `content-type: ${jsonType}`,
    `content-length: ${Buffer.byteLength(body)}`,
    "connection: close",
  ];
  socket.end(`${head.join("\r\n")}\r\n\r\n${body}`);
}

/** A 4xx of Fastify becomes a 400, and any other error, which is a bug or of the state file, a 500. */
function toServiceError(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  const status = error instanceof Error && "statusCode" in error ? Number(error.statusCode) : 500;
  return status >= 400 && status < 500
    ? new ServiceError(400, "INVALID_REQUEST", messageOf(error))
    : new ServiceError(500, "UNEXPECTED_ERROR", `Unexpected failure: ${messageOf(error)}`);
}
