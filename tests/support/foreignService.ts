/** An HTTPS server on loopback, whose responses the test defines, also those that the simulator never sends. */
import { once } from "node:events";
import type { IncomingHttpHeaders, ServerResponse } from "node:http";
import { type Server, createServer } from "node:https";
import { loopbackCertificate } from "./certificate";
import { useCleanup } from "./cleanup";

/** A request that the server received. */
export interface ReceivedRequest {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Responds to a request. If it throws, the connection is closed, and `stop()` throws the error. */
export type Handler = (request: ReceivedRequest, response: ServerResponse) => void | Promise<void>;

export interface ForeignService {
  readonly url: string;
  /** The certificate that clients must trust, in PEM format. */
  readonly ca: string;
  /** All requests, in the order in which they were fully received. */
  readonly requests: readonly ReceivedRequest[];
  /** For its events. */
  readonly server: Server;
  /** Closes the server and all connections. Throws the first error of the handler, such as a failed assertion. */
  stop(): void;
}

/** Starts an HTTPS server on a free port of 127.0.0.1, which the caller must stop. */
async function foreignService(handler: Handler): Promise<ForeignService> {
  const certificate = await loopbackCertificate();
  const requests: ReceivedRequest[] = [];
  const failures: Error[] = [];
  const respond = async (request: ReceivedRequest, response: ServerResponse) => {
    try {
      await handler(request, response);
    } catch (error) {
      failures.push(error instanceof Error ? error : new Error(String(error)));
      response.destroy();
    }
  };
  const server = createServer(certificate, (message, response) => {
    const chunks: Buffer[] = [];
    message.on("data", (chunk: Buffer) => chunks.push(chunk));
    message.on("end", () => {
      const { method = "", url: path = "", headers } = message;
      const request = { method, path, headers, body: Buffer.concat(chunks).toString() };
      requests.push(request);
      void respond(request, response);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    url: `https://127.0.0.1:${port}`,
    ca: certificate.cert,
    requests,
    server,
    stop() {
      server.closeAllConnections();
      server.close();
      const [failure] = failures;
      if (failure !== undefined) throw failure;
    },
  };
}

/** Registers the hook that stops foreign services after each test. Returns a function that starts one. */
export function useForeignService(): typeof foreignService {
  const cleanup = useCleanup("test");
  return async (handler) => {
    const service = await foreignService(handler);
    cleanup(() => {
      service.stop();
    });
    return service;
  };
}

/** Returns whether a request is for the first page of a list, with or without its number. */
export function isFirstPage(path: string): boolean {
  return !/[?&]pageNum=(?!1&)/.test(path);
}

/** Sends a JSON response. A string is sent unchanged as its body; anything else is sent as JSON. */
export function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string | string[]>> = {},
): void {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(typeof body === "string" ? body : JSON.stringify(body));
}

/** Returns a handler that sends a JSON response. The parameters are those of {@link sendJson}. */
export function respondWith(
  ...parameters: [
    status: number,
    body: unknown,
    headers?: Readonly<Record<string, string | string[]>>,
  ]
): Handler {
  return (_request, response) => {
    sendJson(response, ...parameters);
  };
}

/** Sends a 401 with a digest challenge. */
export function sendChallenge(
  response: ServerResponse,
  { nonce = "nonce-1", stale = false }: { readonly nonce?: string; readonly stale?: boolean } = {},
): void {
  const challenge = `Digest realm="MMS Public API", domain="", nonce="${nonce}", algorithm=MD5, qop="auth", stale=${String(stale)}`;
  const body = { detail: "You are not authorized.", error: 401, reason: "Unauthorized" };
  sendJson(response, 401, body, { "www-authenticate": challenge });
}

/** Challenges requests without credentials, and passes all others to the handler without checking them. */
export function withDigest(handler: Handler): Handler {
  return (request, response) => {
    if (request.headers.authorization !== undefined) return handler(request, response);
    sendChallenge(response);
  };
}
