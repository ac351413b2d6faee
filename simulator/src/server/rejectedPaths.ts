/** Responds to paths that cannot be decoded or are too long. Fastify calls no hooks for them. */
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Service } from "../api/operation";
import { sendError } from "./errorResponses";
import { pathOf } from "./exchange";
import { authenticate } from "./hooks";

/**
 * Responds with the error of Fastify, or with a 401 or 403 if the path is below that of the API and the
 * credentials are not accepted.
 *
 * @param error the error of Fastify
 * @param request the request, whose query is not parsed
 * @param reply the response
 * @param service settings and authentication
 */
export function rejectPath(
  error: Error,
  request: FastifyRequest,
  reply: FastifyReply,
  service: Service,
): void {
  const path = pathOf(request);
  request.query = Object.fromEntries(new URLSearchParams(request.url.slice(path.length)));
  const isApi = decodeSegments(path).startsWith(`${service.settings.apiPath}/`);
  const rejection = isApi ? authenticate(request, service) : undefined;
  // Closes the connection: the body is not read.
  void reply.header("connection", "close");
  sendError(rejection instanceof Error ? rejection : error, request, reply);
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
