/** Proxies on loopback: one that supports CONNECT and records its tunnels, and ones that misbehave. */
import { once } from "node:events";
import { createServer } from "node:http";
import {
  type AddressInfo,
  type Server,
  type Socket,
  connect,
  createServer as listen,
} from "node:net";

export interface Proxy {
  readonly url: string;
  /** The host and port of each tunnel's target. */
  readonly tunnels: readonly string[];
  /** Returns how many tunnels are open. */
  openTunnels(): number;
  /** The credentials that clients sent to the proxy. */
  readonly authorizations: readonly (string | undefined)[];
  /** Returns all bytes that clients sent through the tunnels. */
  sent(): Buffer;
  stop(): void;
}

/** A running proxy that does not open tunnels. */
export interface MisbehavingProxy {
  readonly url: string;
  /** The connections that clients opened, including closed ones. */
  readonly connections: readonly Socket[];
  stop(): void;
}

/** Removes the proxy settings of the machine from an environment. */
export function withoutProxy(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !isProxy(name)));
}

const isProxy = (name: string) => /^(https?|grpc|no|no_grpc)_proxy$/i.test(name);

/**
 * Starts a proxy on a free port of 127.0.0.1. The caller must stop it.
 *
 * @param destination the host and port that every tunnel leads to. Default: those that the client names
 */
export async function startProxy(destination?: string): Promise<Proxy> {
  const sockets = new Set<Socket>();
  const tunnels: string[] = [];
  const authorizations: (string | undefined)[] = [];
  const sent: Buffer[] = [];
  const server = createServer().on("connect", (request, client: Socket, head: Buffer) => {
    const { url = "", headers } = request;
    tunnels.push(url);
    authorizations.push(headers["proxy-authorization"]);
    // Bytes that arrived with the CONNECT request are already part of the tunnel.
    client.unshift(head);
    const [host, port] = (destination ?? url).split(":");
    const target = connect(Number(port), host, () => {
      client.write("HTTP/1.1 200 Connection established\r\n\r\n");
      client.on("data", (bytes: Buffer) => sent.push(bytes));
      client.pipe(target).pipe(client);
    });
    sockets.add(client).add(target);
    client.on("error", () => target.destroy());
    target.on("error", () => client.destroy());
  });
  return {
    url: await urlOf(server),
    tunnels,
    authorizations,
    openTunnels: () => [...sockets].filter(({ destroyed }) => !destroyed).length,
    sent: () => Buffer.concat(sent),
    stop() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

/** Starts a proxy whose response to the bytes of a CONNECT request is `respond`. The caller must stop it. */
export async function startMisbehavingProxy(
  respond: (client: Socket) => void,
): Promise<MisbehavingProxy> {
  const connections: Socket[] = [];
  const server = listen((client) => {
    connections.push(client);
    client.on("error", () => undefined);
    client.once("data", () => {
      respond(client);
    });
  });
  return {
    url: await urlOf(server),
    connections,
    stop() {
      for (const client of connections) client.destroy();
      server.close();
    },
  };
}

async function urlOf(server: Server): Promise<string> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return `http://127.0.0.1:${port}`;
}
