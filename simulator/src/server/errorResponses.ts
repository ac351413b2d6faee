/** Turns errors of the service, of Fastify and of the HTTP parser into error responses. */
import type { FastifyReply, FastifyRequest } from "fastify";
import { jsonType } from "../api/mediaTypes";
import { renderError } from "../api/render";
import { ServiceError } from "../store/serviceError";
import { pathOf, rawQueryOf } from "./exchange";

/**
 * Responds with an error. Prints the stack trace of an unexpected one to stderr.
 *
 * @param error the error
 * @param request the request
 * @param reply the response
 */
export function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const serviceError = toServiceError(error);
  if (serviceError.status === 500) console.error(error);
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
 * Creates the response to data that is not an HTTP request.
 *
 * @param problem the message of the HTTP parser
 * @returns the complete HTTP response
 */
export function malformedRequest(problem: string): string {
  const error = new ServiceError(400, "INVALID_REQUEST", `Not an HTTP request: ${problem}`);
  const body = renderError(error);
  return (
    "HTTP/1.1 400 Bad Request\r\nConnection: close\r\n" +
    `Content-Type: ${jsonType}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
  );
}

/**
 * Converts an error. A 4xx of Fastify becomes a 400. Any other error becomes a 500: the state file
 * cannot be written, or there is a bug in the simulator.
 *
 * @param error the error
 * @returns the error response
 */
export function toServiceError(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  if (error instanceof Error) {
    const status = "statusCode" in error ? error.statusCode : undefined;
    if (typeof status === "number" && status >= 400 && status < 500) {
      return new ServiceError(400, "INVALID_REQUEST", error.message);
    }
    return new ServiceError(500, "UNEXPECTED_ERROR", `Unexpected failure: ${error.message}`);
  }
  return new ServiceError(500, "UNEXPECTED_ERROR", "Unexpected failure.");
}
