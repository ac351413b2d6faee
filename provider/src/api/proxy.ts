/** Finds the proxy that the environment sets, and opens tunnels through it. */
import { type ClientRequestArgs, request as httpRequest } from "node:http";
import type { Socket } from "node:net";
import type { buildConnector } from "undici";

/** The environment variables for a proxy. `HTTP_PROXY` is the fallback for `HTTPS_PROXY`. */
export const proxyVariables = ["HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy"];

/**
 * Returns the proxy for an HTTPS server; undefined if there is none, or if `NO_PROXY` excludes the server.
 * Lower-case variables take precedence, as in other programs.
 */
export function proxyFor(server: URL, environment: NodeJS.ProcessEnv): URL | undefined {
  const { http_proxy, HTTP_PROXY, https_proxy, HTTPS_PROXY, no_proxy, NO_PROXY } = environment;
  const address = (https_proxy ?? HTTPS_PROXY) || (http_proxy ?? HTTP_PROXY);
  const isExcluded = (no_proxy ?? NO_PROXY ?? "")
    .split(/[,\s]+/)
    .some((entry) => excludes(entry, server));
  return !address || isExcluded ? undefined : new URL(address);
}

/** Returns whether an entry of `NO_PROXY`, such as `example.com` or `.example.com:8443`, excludes a server. */
function excludes(entry: string, { hostname, port }: URL): boolean {
  if (entry === "*") return true;
  const [, host = entry, entryPort] = /^(.+):(\d+)$/.exec(entry) ?? [];
  if (entryPort !== undefined && Number(entryPort) !== Number(port || 443)) return false;
  const domain = host.replace(/^\*?\./, "").toLowerCase();
  return domain !== "" && (hostname === domain || hostname.endsWith(`.${domain}`));
}

/** The proxy did not open a tunnel. The message contains no credentials. */
export class ProxyError extends Error {
  readonly code: string;

  constructor(message: string, code: string = "") {
    super(message);
    this.code = code;
  }
}

/**
 * Opens a tunnel to a server with the method CONNECT (RFC 9110 9.3.6). Throws a ProxyError if the proxy does not
 * open one.
 */
export async function openTunnel(
  proxy: URL,
  server: URL,
  connect: buildConnector.connector,
  limits: Pick<ClientRequestArgs, "maxHeaderSize" | "signal">,
): Promise<Socket> {
  const connection = await connectTo(proxy, connect);
  const target = `${server.hostname}:${server.port || 443}`;
  const credentials = [proxy.username, proxy.password].map(decodeURIComponent).join(":");
  const authorization = `Basic ${Buffer.from(credentials).toString("base64")}`;
  const request = httpRequest({
    ...limits,
    insecureHTTPParser: false,
    method: "CONNECT",
    path: target,
    headers: {
      host: target,
      ...(credentials === ":" ? {} : { "proxy-authorization": authorization }),
    },
    createConnection: () => connection,
  });
  return await new Promise((resolve, reject) => {
    request.on("connect", ({ statusCode = 0 }) => {
      if (statusCode >= 200 && statusCode < 300) {
        resolve(connection);
        return;
      }
      connection.destroy();
      reject(new ProxyError(`the proxy responded to CONNECT with ${statusCode}`));
    });
    request.on("error", (error) => {
      reject(proxyError(error));
    });
    request.end();
  });
}

function connectTo(proxy: URL, connect: buildConnector.connector): Promise<Socket> {
  const { protocol, port, host } = proxy;
  const hostname = proxy.hostname.replace(/^\[(.*)\]$/, "$1");
  return new Promise((resolve, reject) => {
    connect({ protocol, hostname, host, port }, (error, socket) => {
      if (error === null) resolve(socket);
      else reject(proxyError(error));
    });
  });
}

function proxyError(error: NodeJS.ErrnoException): ProxyError {
  return new ProxyError(error.message, error.code);
}

/** Returns the address of a proxy without its credentials, for messages. */
export function addressOf({ protocol, host }: URL): string {
  return `${protocol}//${host}`;
}
