/** Finds the proxy that the environment sets, and opens tunnels through it. */
import { request as httpRequest } from "node:http";
import type { Socket } from "node:net";
import type { buildConnector } from "undici";

/** The variables for a proxy, in the order of precedence. */
const proxyVariables = ["https_proxy", "HTTPS_PROXY", "http_proxy", "HTTP_PROXY"];

export interface Proxy {
  readonly variable: string;
  /** The address without credentials. */
  readonly origin: string;
  /** The decoded credentials, `<user>:<password>`; undefined if there are none. */
  readonly credentials: string | undefined;
}

/**
 * Returns the proxy to a server, or undefined if no variable sets one or NO_PROXY excludes the server. Variables in
 * lower case take precedence over those in upper case, and empty ones count as unset. Throws if the URL is invalid.
 */
export function proxyFor(server: URL, environment: NodeJS.ProcessEnv): Proxy | undefined {
  const variable = proxyVariables.find((name) => environment[name]);
  const excluded = environment["no_proxy"] || environment["NO_PROXY"] || "";
  const isExcluded = excluded.split(/[,\s]+/).some((entry) => excludes(entry, server));
  return variable === undefined || isExcluded ? undefined : proxyIn(variable, environment);
}

/** Returns the variables that contain something other than the URL of a proxy. */
export function invalidProxyVariables(environment: NodeJS.ProcessEnv): string[] {
  return proxyVariables.filter((name) => {
    try {
      return environment[name] && !proxyIn(name, environment);
    } catch {
      return true;
    }
  });
}

/** Returns the decoded passwords of all proxies that variables set. Throws like {@link proxyFor}. */
export function proxyPasswords(environment: NodeJS.ProcessEnv): string[] {
  const urls = proxyVariables.flatMap((name) => environment[name] || []);
  return urls.map((url) => decodeURIComponent(new URL(url).password));
}

/**
 * Reads the proxy that a variable sets. Throws if its URL is invalid, or if text follows the host, because that may be
 * the rest of a password that is not encoded.
 */
function proxyIn(variable: string, environment: NodeJS.ProcessEnv): Proxy {
  const url = new URL(environment[variable] ?? "");
  const { protocol, origin, username, password } = url;
  const isHttp = protocol === "http:" || protocol === "https:";
  if (!isHttp || !url.href.endsWith(`${url.host}/`)) {
    throw new Error(`${variable} is not a proxy URL`);
  }
  const credentials = [username, password].map(decodeURIComponent).join(":");
  return { variable, origin, credentials: credentials === ":" ? undefined : credentials };
}

/** Returns whether an entry of `NO_PROXY`, such as `example.com` or `.example.com:8443`, excludes a server. */
function excludes(entry: string, server: URL): boolean {
  if (entry === "*") return true;
  const [, host = entry, entryPort] = /^([^:]+|\[.+\]):(\d+)$/.exec(entry) ?? [];
  if (entryPort !== undefined && Number(entryPort) !== portOf(server)) return false;
  const domain = withoutBrackets(host.replace(/^\*?\./, "").toLowerCase());
  const name = withoutBrackets(server.hostname);
  return domain !== "" && (name === domain || name.endsWith(`.${domain}`));
}

/** Returns the port of a server, which is always one with TLS. */
function portOf({ port }: URL): number {
  return Number(port || 443);
}

function withoutBrackets(hostname: string): string {
  return hostname.replace(/^\[(.*)\]$/, "$1");
}

/** Thrown if a proxy does not open a tunnel. It has no cause if the proxy responded with a status. */
export class ProxyError extends Error {}

/**
 * Opens a tunnel to a server with the method CONNECT (RFC 9110 9.3.6). Throws a ProxyError if the proxy does not open
 * one. Replaces the ProxyAgent of undici 7, whose CONNECT has no timeout and does not hear the abort signal of the
 * request (https://github.com/nodejs/undici/issues/3944, https://github.com/nodejs/undici/issues/386), and which
 * reconnects without delay after the proxy closes the connection (https://github.com/nodejs/undici/issues/3897).
 */
export async function openTunnel(
  proxy: Proxy,
  server: URL,
  connect: (options: buildConnector.Options) => Promise<Socket>,
  signal: AbortSignal,
): Promise<Socket> {
  const { protocol, port, host, hostname } = new URL(proxy.origin);
  let connection: Socket | undefined;
  try {
    connection = await connect({ protocol, port, host, hostname: withoutBrackets(hostname) });
    const status = await connectThrough(connection, proxy, server, signal);
    if (status >= 200 && status < 300) return connection;
    const outcome = status >= 500 ? "cannot reach the service" : "refused the tunnel";
    throw new ProxyError(`the proxy ${outcome} (it responded to CONNECT with ${status})`);
  } catch (error) {
    connection?.destroy();
    if (error instanceof ProxyError) throw error;
    throw new ProxyError("the proxy did not open a tunnel", { cause: error });
  }
}

/** Sends the CONNECT request. Resolves to the status of the response. */
function connectThrough(
  connection: Socket,
  { credentials }: Proxy,
  server: URL,
  signal: AbortSignal,
): Promise<number> {
  const target = `${server.hostname}:${portOf(server)}`;
  const encoded = Buffer.from(credentials ?? "").toString("base64");
  const authorization =
    credentials === undefined ? {} : { "proxy-authorization": `Basic ${encoded}` };
  return new Promise((resolve, reject) => {
    const request = httpRequest({
      signal,
      insecureHTTPParser: false,
      method: "CONNECT",
      path: target,
      headers: { host: target, ...authorization },
      createConnection: () => connection,
    });
    request.on("connect", ({ statusCode = 0 }) => {
      resolve(statusCode);
    });
    request.on("error", reject);
    request.end();
  });
}
