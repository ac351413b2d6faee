/** Parses the bodies of control requests. */
import type { FastifyRequest } from "fastify";
import type { z } from "zod";
import { parseBody, parseJson } from "../api/body";

/**
 * Parses the body of a control request. Requires the JSON content type, which an HTML form on another
 * website cannot send.
 *
 * @param request the request
 * @param schema the schema of the body
 * @returns the valid body
 * @throws ServiceError 400 if the body is not JSON or invalid
 */
export function controlBody<S extends z.ZodType>(request: FastifyRequest, schema: S): z.output<S> {
  return parseBody(schema, parseJson(request.headers["content-type"], request.body));
}
