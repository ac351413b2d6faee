// Errors as responses: what the service refuses, what Fastify refuses, and what is no HTTP at all.
import type { FastifyReply, FastifyRequest } from "fastify";
import { ServiceError } from "../errors";
import { rawQueryOf } from "./exchange";
import { renderError } from "./render";

export const JSON_TYPE = "application/json; charset=utf-8";

export function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const refusal = asRefusal(error);
  const pretty = rawQueryOf(request).pretty === "true";
  void reply
    .code(refusal.status)
    .headers(refusal.headers)
    .type(JSON_TYPE)
    .send(renderError(refusal, pretty));
}

/** The answer to bytes that are no HTTP request. */
export function malformedRequest(problem: string): string {
  const refusal = new ServiceError(400, "INVALID_REQUEST", `Not an HTTP request: ${problem}`);
  const body = renderError(refusal, false);
  return (
    "HTTP/1.1 400 Bad Request\r\nConnection: close\r\n" +
    `Content-Type: ${JSON_TYPE}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
  );
}

/** What Fastify itself refuses is the caller's mistake; anything else is a defect of the simulator. */
export function asRefusal(error: unknown): ServiceError {
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
