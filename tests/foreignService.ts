/**
 * A service that is not the simulator: an HTTPS server on loopback whose every answer is written by
 * the test, so that a test can answer what no service of ours would.
 */
import { once } from "node:events";
import type { IncomingHttpHeaders, ServerResponse } from "node:http";
import { createServer } from "node:https";
import { loopbackCertificate } from "./certificate";

/** A request as the server received it. */
export interface ReceivedRequest {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Answers a request. A rejected promise or an answer that is never ended leaves the client waiting. */
export type Handler = (request: ReceivedRequest, response: ServerResponse) => void | Promise<void>;

/** A running server. */
export interface ForeignService {
  readonly url: string;
  /** The certificate to trust it by, PEM. */
  readonly ca: string;
  /** All requests so far, in the order in which they were complete. */
  readonly requests: readonly ReceivedRequest[];
  /** Closes the server and its connections, also those that wait for an answer. */
  stop(): void;
}

/**
 * Starts an HTTPS server on a free port of 127.0.0.1.
 *
 * @param handler answers every request
 * @returns the running server; the test has to stop it
 * @example
 * const service = await foreignService(withDigest((_request, response) => {
 *   sendJson(response, 200, { results: [], totalCount: 0 });
 * }));
 */
export async function foreignService(handler: Handler): Promise<ForeignService> {
  const { cert, key } = await loopbackCertificate();
  const requests: ReceivedRequest[] = [];
  const server = createServer({ cert, key }, (message, response) => {
    const chunks: Buffer[] = [];
    message.on("data", (chunk: Buffer) => chunks.push(chunk));
    message.on("end", () => {
      const { method = "", url: path = "", headers } = message;
      const request = { method, path, headers, body: Buffer.concat(chunks).toString() };
      requests.push(request);
      void handler(request, response);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    url: `https://127.0.0.1:${port}`,
    ca: cert,
    requests,
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/**
 * Ends an answer with a JSON body.
 *
 * @param response the answer to end
 * @param status its HTTP status
 * @param body the body: a string is sent as it is, anything else as JSON
 * @param headers further headers
 */
export function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string | string[]>> = {},
): void {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(typeof body === "string" ? body : JSON.stringify(body));
}

/** Ends an answer with 401 and a digest challenge. */
export function sendChallenge(
  response: ServerResponse,
  { nonce = "nonce-1", stale = false }: { readonly nonce?: string; readonly stale?: boolean } = {},
): void {
  const challenge = `Digest realm="MMS Public API", domain="", nonce="${nonce}", algorithm=MD5, qop="auth", stale=${String(stale)}`;
  const body = { detail: "You are not authorized.", error: 401, reason: "Unauthorized" };
  sendJson(response, 401, body, { "www-authenticate": challenge });
}

/**
 * A handler that challenges requests without credentials and hands on the others, whoever signed
 * them: it checks no signature.
 */
export function withDigest(handler: Handler): Handler {
  return (request, response) => {
    if (request.headers.authorization !== undefined) return handler(request, response);
    sendChallenge(response);
  };
}
