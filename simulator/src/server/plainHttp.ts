/** A plain HTTP port that rejects every request: the API requires HTTPS (service document 1 rule 6). */
import Fastify from "fastify";
import { renderError } from "../api/render";
import { jsonType } from "../api/mediaTypes";

/**
 * Listens for plain HTTP and responds to every request with a 403 that contains the HTTPS URL.
 *
 * @param port the port; 0 selects a free one
 * @param host the address to listen on
 * @param url the HTTPS URL
 * @returns the plain HTTP URL, and a function that stops listening
 */
export async function listenForPlainHttp(
  port: number,
  host: string,
  url: string,
): Promise<{ readonly url: string; close(): Promise<void> }> {
  const app = Fastify({ forceCloseConnections: true });
  app.removeAllContentTypeParsers();
  app.setNotFoundHandler((_request, reply) => {
    const error = {
      status: 403,
      errorCode: "HTTPS_REQUIRED",
      message: `Plain HTTP is not supported. Use ${url}.`,
      parameters: [url],
    };
    return reply.code(403).type(jsonType).send(renderError(error));
  });
  return { url: await app.listen({ port, host }), close: () => app.close() };
}
