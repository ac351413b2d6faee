// How a fault shapes an answer: a wait, a status of its own, a reset, a body that breaks off.
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Fault } from "../faults";
import { renderError } from "./render";

export function waitFor(fault: Fault | undefined, next: () => void): void {
  if (fault?.delayMs) setTimeout(next, fault.delayMs);
  else next();
}

/** Answers in place of the service, where the fault says so; true when it did. */
export function answerWithFault(
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
  const type = text.startsWith("<")
    ? "text/html; charset=utf-8"
    : "application/json; charset=utf-8";
  void reply
    .code(status)
    .type(type)
    .headers(fault.headers ?? {})
    .send(text);
  return true;
}

/** Sends the first half of a body whose length is announced as a whole, and ends the connection. */
export function breakOff(payload: unknown, reply: FastifyReply): void {
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
  return renderError(
    { status, errorCode: "FAULT", message: "A fault was asked for.", parameters: [] },
    false,
  );
}
