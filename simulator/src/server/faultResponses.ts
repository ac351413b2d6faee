/** Applies faults to responses: delays, statuses, connection resets and truncated bodies. */
import type { FastifyReply, FastifyRequest } from "fastify";
import { renderError } from "../api/render";
import { jsonType } from "../api/mediaTypes";
import type { Fault } from "./fault";

/**
 * Calls a function after the delay of a fault. The delay does not keep a stopped simulator alive.
 *
 * @param fault the fault, if any
 * @param next called immediately if there is no delay
 */
export function delayFor(fault: Fault | undefined, next: () => void): void {
  if (fault?.delayMs) setTimeout(next, fault.delayMs).unref();
  else next();
}

/**
 * Responds with the status of a fault, or resets the connection before the request is processed.
 *
 * @param fault the fault
 * @param request the request
 * @param reply the response
 * @returns false if the service must still process the request
 */
export function sendFaultResponse(
  fault: Fault,
  request: FastifyRequest,
  reply: FastifyReply,
): boolean {
  if (fault.reset === true) {
    reply.hijack();
    request.raw.socket.destroy();
    return true;
  }
  if (fault.status === undefined) return false;
  const { status, body } = fault;
  const text =
    typeof body === "string"
      ? body
      : body === undefined
        ? defaultBody(status)
        : JSON.stringify(body);
  const type = text.startsWith("<") ? "text/html; charset=utf-8" : jsonType;
  void reply
    .code(status)
    .type(type)
    .headers(fault.headers ?? {})
    .send(text);
  return true;
}

/**
 * Sends the headers with the full length but only half of the body, and closes the connection.
 *
 * @param payload the full body
 * @param reply the response
 */
export function truncateResponse(payload: unknown, reply: FastifyReply): void {
  const bytes = Buffer.from(typeof payload === "string" ? payload : "");
  reply.hijack();
  for (const [name, value] of Object.entries(reply.getHeaders())) {
    if (value !== undefined) reply.raw.setHeader(name, value);
  }
  reply.raw.setHeader("content-length", Math.max(bytes.length, 1));
  reply.raw.writeHead(reply.statusCode);
  reply.raw.flushHeaders();
  reply.raw.write(bytes.subarray(0, bytes.length >> 1), () => reply.raw.destroy());
}

function defaultBody(status: number): string {
  return renderError({ status, errorCode: "FAULT", message: "Injected fault.", parameters: [] });
}
