/** Turns errors of the service, of Fastify and of the HTTP parser into error responses. */
import { METHODS, STATUS_CODES } from "node:http";
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
 * Creates the response to data that the HTTP parser rejects. It also rejects requests with a method that
 * it does not know, which no resource supports (service document 4.1).
 *
 * @param error the error of the HTTP parser
 * @returns the complete HTTP response
 */
export function malformedRequest(error: Error & { rawPacket?: unknown }): string {
  const data = Buffer.isBuffer(error.rawPacket) ? error.rawPacket.toString("latin1") : "";
  const [, method] = /^([!#$%&'*+.^`|~\w-]+) \/\S* HTTP\/1\.[01]\r?\n/.exec(data) ?? [];
  return method === undefined || METHODS.includes(method)
    ? rawResponse(new ServiceError(400, "INVALID_REQUEST", `Not an HTTP request: ${error.message}`))
    : unknownMethod(method);
}

/**
 * Creates the response to a method that no resource supports.
 *
 * @param method the method
 * @returns the complete HTTP response
 */
export function unknownMethod(method: string): string {
  const allow = "HEAD, GET, POST, PATCH, PUT, DELETE";
  const detail = `No resource supports ${method}. Supported methods: ${allow}.`;
  return rawResponse(new ServiceError(405, "METHOD_NOT_ALLOWED", detail, [method], { allow }));
}

/** Renders a response for a socket that the HTTP server does not respond to. */
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
