/** Responds to paths that cannot be decoded or are too long. Fastify calls no hooks for them. */
import type { FastifyReply, FastifyRequest } from "fastify";
import { sendError, toServiceError } from "./errorResponses";
import { beginExchange, completeExchange, pathOf } from "./exchange";
import { authenticate, type HookParts } from "./hooks";

/**
 * Responds with the error of Fastify, or with a 401 or 403 if the path is below that of the API and the
 * credentials are not accepted.
 *
 * @param error the error of Fastify
 * @param request the request, whose query is not parsed
 * @param reply the response
 * @param parts the service, and the request log, which gets requests to the API
 */
export function rejectPath(
  error: Error,
  request: FastifyRequest,
  reply: FastifyReply,
  { service, requestLog }: HookParts,
): void {
  const path = pathOf(request);
  request.query = Object.fromEntries(new URLSearchParams(request.url.slice(path.length)));
  let rejection = error;
  if (decodeSegments(path).startsWith(`${service.settings.apiPath}/`)) {
    const now = service.clock.now();
    const exchange = beginExchange(request, requestLog, now, undefined, undefined);
    const caller = authenticate(request, service);
    if (caller instanceof Error) rejection = caller;
    else exchange.principal = caller;
    completeExchange(exchange, request, toServiceError(rejection).status);
  }
  // Closes the connection: the body is not read.
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
