// A plain HTTP port that serves nothing: the service is reachable over HTTPS only (service document
// 1.6), and a client that tries the other is told so.
import Fastify from "fastify";
import { renderError } from "./render";

export async function refusePlainHttp(
  port: number,
  host: string,
  url: string,
): Promise<{ readonly url: string; close(): Promise<void> }> {
  const app = Fastify({ forceCloseConnections: true });
  app.removeAllContentTypeParsers();
  app.setNotFoundHandler((_request, reply) => {
    const refusal = {
      status: 403,
      errorCode: "HTTPS_REQUIRED",
      message: `Plain HTTP is not supported. Use ${url}.`,
      parameters: [url],
    };
    return reply
      .code(403)
      .type("application/json; charset=utf-8")
      .send(renderError(refusal, false));
  });
  return { url: await app.listen({ port, host }), close: () => app.close() };
}
